import { SAMPLE } from './numbers.ts'

/** What each call is tried with, by its operation, where an address alone is no question: about invented companies. */
export const QUESTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sokEtterForetak: { q: 'tindevåg' },
  foreslaForetak: { q: 'tinde' },
  finnForetak: { navn: 'tindevåg sjømat as' },
}

/** A list that the public test key always has, and that is always done: of these invented companies. */
export const EXAMPLE_BATCH = {
  id: 'e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0',
  orgnrs: [SAMPLE.healthy, SAMPLE.bankrupt],
} as const
/** What a list is called when it is handed in as it stands in the documentation. */
export const EXAMPLE_NAME = 'eksempel'

const LIST = [SAMPLE.healthy, SAMPLE.bankrupt]
/** What is sent with a call that takes something, by its operation. */
export const BODIES: Readonly<Record<string, unknown>> = {
  slaaOppMange: LIST,
  bestillMange: LIST,
  overvakMange: LIST,
  overvakForetak: { navn: 'Kunde 1001', typer: ['foretak', 'roller.styre'] },
}

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

/** An endpoint that the public test key always has, and what was sent there. Nothing is sent to it. */
export const EXAMPLE_ENDPOINT = {
  id: 'ep_eksempeleksempel0000',
  delivery: '1',
  adresse: 'https://mottaker.example/oppslag',
  typer: ['foretak', 'roller.styre'],
  secret: 'whsec_RXQgZWtzZW1wZWw6IGRldCBzaWduZXJlcyBpa2tlIG4=',
} as const

/** An address of the document with what stands for each of its parts in an example. */
export function examplePath(path: string): string {
  return path
    .replace('{orgnr}', SAMPLE.healthy)
    .replace('{id}', EXAMPLE_BATCH.id)
    .replace('{endepunkt}', EXAMPLE_ENDPOINT.id)
    .replace('{levering}', EXAMPLE_ENDPOINT.delivery)
}

const LIST = [SAMPLE.healthy, SAMPLE.bankrupt]
/** What is sent with a call that takes something, by its operation. */
export const BODIES: Readonly<Record<string, unknown>> = {
  slaaOppMange: LIST,
  bestillMange: LIST,
  overvakMange: LIST,
  opprettEndepunkt: { adresse: EXAMPLE_ENDPOINT.adresse, typer: EXAMPLE_ENDPOINT.typer },
  endreEndepunkt: { adresse: EXAMPLE_ENDPOINT.adresse, typer: null, paa: true },
  sendIgjen: { levering: EXAMPLE_ENDPOINT.delivery },
  overvakForetak: { navn: 'Kunde 1001', typer: ['foretak', 'roller.styre'] },
}

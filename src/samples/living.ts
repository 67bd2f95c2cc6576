import type { CompanyAnswers, RegisterAnswer } from './answers.ts'
import { asOf } from './as-of.ts'
import { companies } from './companies.ts'
import { SAMPLE } from './numbers.ts'

/**
 * Invented companies that change by the clock, and those about which nothing is answered as one would wish: what a client must
 * be able to handle, each under a number that always does it.
 */
export const LIVING = {
  /** Has another name every ten minutes, and the one before among its former names. */
  renamed: '901400016',
  /** Bankrupt from 12 to 13 UTC every day, and active for the rest of it. */
  bankruptAtNoon: '901401101',
  /** Answered after five seconds. */
  slow: '901402205',
  /** 429 with Retry-After. */
  tooMany: '901403309',
  /** 503 with Retry-After. */
  unavailable: '901404410',
} as const

const RENAMED_EVERY_MS = 10 * 60_000
const NAMES = ['SKIFTEVIK DRIFT AS', 'SKIFTEVIK HANDEL AS', 'SKIFTEVIK INVEST AS', 'SKIFTEVIK OG SØNNER AS']

/** The same as long as this is: what they are changes with it and with nothing else. */
export function livingEdition(now: Date): number {
  return Math.floor(now.getTime() / RENAMED_EVERY_MS)
}

/** What the registers say of them at this moment. */
export function livingAt(now: Date): [string, CompanyAnswers][] {
  const round = livingEdition(now)
  const name = (at: number) => NAMES[at % NAMES.length] ?? ''
  const since = new Date(round * RENAMED_EVERY_MS).toISOString()
  const isBankrupt = now.getUTCHours() === 12
  return [
    [
      LIVING.renamed,
      like(LIVING.renamed, now, {
        navn: name(round),
        historiskeNavn: [{ navn: name(round - 1), fraDato: since, tilDato: since }],
      }),
    ],
    [
      LIVING.bankruptAtNoon,
      like(LIVING.bankruptAtNoon, now, {
        navn: 'MIDDAGSVIK AS',
        ...(isBankrupt && { konkurs: true, konkursdato: now.toISOString().slice(0, 10) }),
      }),
    ],
    [LIVING.slow, like(LIVING.slow, now, { navn: 'SEINVIKA AS' })],
  ]
}

/** An ordinary limited company under this number, with other facts in its unit where they are given. */
function like(orgnr: string, now: Date, facts: Readonly<Record<string, unknown>>): CompanyAnswers {
  const answers = asOf(companies[SAMPLE.associate], now)
  const renumbered = (answer: RegisterAnswer): RegisterAnswer =>
    JSON.parse(JSON.stringify(answer).replaceAll(SAMPLE.associate, orgnr))
  return Object.fromEntries(
    Object.entries(answers).map(([source, answer]) => {
      const own = renumbered(answer)
      return [
        source,
        source === 'enhet' && 'json' in own ? { ...own, json: { ...(own.json as object), ...facts } } : own,
      ]
    }),
  )
}

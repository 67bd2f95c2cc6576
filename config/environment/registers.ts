import { choice, decimal, text, webAddress, whole } from './kinds.ts'
import { type Given, valuesOf } from './variable.ts'

/** The public registers: where they are, and how they are asked. */
export const registerVariables = {
  REGISTER_URL: {
    meaning: 'Enhetsregisteret, Fullmakt and Regnskapsregisteret.',
    standard: 'https://data.brreg.no',
    read: webAddress,
  },
  KUNNGJORING_URL: {
    meaning: 'The announcements of Brønnøysundregistrene.',
    standard: 'https://w2.brreg.no',
    read: webAddress,
  },
  KLASS_URL: {
    meaning: 'SSB KLASS, where the correspondence from SN2025 to SN2007 comes from.',
    standard: 'https://data.ssb.no',
    read: webAddress,
  },
  KUNNGJORINGER: {
    meaning: 'w2: read the announcements page. av: never; the section is then unavailable in every record.',
    standard: 'w2',
    read: choice('w2', 'av'),
  },
  KUNNGJORING_CALLS_PER_SECOND: {
    meaning:
      'Most calls a second to the announcements page, of all fronts together; it is meant for people. Beyond it calls wait in turn; then the section is unavailable.',
    standard: '5',
    read: decimal(0.1, 1000),
  },
  REGNSKAPSKOPI_CALLS_PER_SECOND: {
    meaning:
      'Most calls a second to the list of filed copies of accounts, of all fronts together; its register takes thirty a minute. Ten may come together after a while without any. Beyond it the record says that they were not asked for.',
    standard: '0.2',
    read: decimal(0.1, 1000),
  },
  SOKEINDEKS: {
    meaning:
      'paa: build an index of all names from the bulk files, in PostgreSQL (1.5 GB), and search it. av: never; the register is asked.',
    standard: 'paa',
    read: choice('paa', 'av'),
  },
  KANARI: {
    meaning:
      'natt: a worker asks some well-known companies each night and tells what is other in the shape of the answers. av: only `oppslag kanari` does.',
    standard: 'natt',
    read: choice('natt', 'av'),
  },
  CONTACT: {
    meaning: 'E-mail or web address the registers can reach the operator at; sent in User-Agent.',
    standard: 'https://bedriftsoppslag.example',
    read: text(3, 200),
  },
  ANSWER_DEADLINE_MS: {
    meaning:
      'The whole time one record may take once its turn has come, in milliseconds. A source that is later is unavailable in it.',
    standard: '2500',
    read: whole(100, 60_000),
  },
} as const

export type RegisterSettings = {
  readonly registerUrl: string
  readonly kunngjoringUrl: string
  readonly klassUrl: string
  readonly kunngjoringer: 'w2' | 'av'
  /** May be less than one: 0.5 is a call in two seconds. */
  readonly kunngjoringCallsPerSecond: number
  readonly regnskapskopiCallsPerSecond: number
  readonly sokeindeks: 'paa' | 'av'
  readonly kanari: 'natt' | 'av'
  readonly contact: string
  readonly answerDeadlineMs: number
}

export function registerSettings(env: Given): RegisterSettings {
  const value = valuesOf(registerVariables, env)
  return {
    registerUrl: value('REGISTER_URL'),
    kunngjoringUrl: value('KUNNGJORING_URL'),
    klassUrl: value('KLASS_URL'),
    kunngjoringer: value('KUNNGJORINGER'),
    kunngjoringCallsPerSecond: value('KUNNGJORING_CALLS_PER_SECOND'),
    regnskapskopiCallsPerSecond: value('REGNSKAPSKOPI_CALLS_PER_SECOND'),
    sokeindeks: value('SOKEINDEKS'),
    kanari: value('KANARI'),
    contact: value('CONTACT'),
    answerDeadlineMs: value('ANSWER_DEADLINE_MS'),
  }
}

import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Addresses } from '#src/sources/addresses.ts'
import type { Enhet, SlettetEnhet } from '#src/sources/enhetsregisteret/schema.ts'
import type { SourceValues } from '#src/sources/index.ts'
import type { Answer, SourceCall, SourceFailure } from '#src/sources/source.ts'
import type { Eierskap } from './eierskap/eierskap.ts'
import type { PersonIds } from './person-ids.ts'
import type { Aksjonaerer } from './sections/aksjonaerer.ts'
import type { Unit } from './sections/foretak.ts'
import type { IndustryCodes } from './sections/naering.ts'
import type { KnownAccounts } from './sections/regnskap/known-accounts.ts'

/** An answer, and whether it is an older copy: shown while the source is asked again, or because it failed so. */
export type ServedAnswer<T> = Answer<T> & { stale?: { failure: SourceFailure | null } }

/** What became of one call: an answer, or why there is none. */
export type ServedOrFailed<T> = ServedAnswer<T> | Failed
/** `field`: what in the answer was refused, when it was not all of it. */
export type Failed = {
  outcome: 'failed'
  failure: SourceFailure
  field?: string | null
  /** When the register said when to come again. */
  retryAfterSeconds?: number | null
}
export type FoundAnswer<T> = Extract<ServedAnswer<T>, { outcome: 'found' }>

/** Of an archive that has not been delivered to the service: it says nothing of any company. */
export type NotImported = { outcome: 'not_imported' }

/** What registers say for a record: the accounts are joined with those the service has kept. */
type RegisterValues = Omit<SourceValues, 'regnskap'> & { regnskap: KnownAccounts }
/** What our own archive says. */
export type ArchiveValues = { aksjonaerer: Aksjonaerer; eierskap: Eierskap }

type Ask<T> = (orgnr: Organisasjonsnummer, call: SourceCall) => Promise<ServedAnswer<T>>
/** `anew`: what is held will not do. */
type AskArchive<T> = (
  orgnr: Organisasjonsnummer,
  call: SourceCall,
  anew?: boolean,
) => Promise<ServedAnswer<T> | NotImported>

/** The questions one record asks of registers. Whoever wires them decides whether a register or a cache answers. */
export type RegisterSources = { [Name in keyof RegisterValues]: Ask<RegisterValues[Name]> }

/** All the questions one record is made of. */
export type RecordSources = RegisterSources & {
  [Name in keyof ArchiveValues]: AskArchive<ArchiveValues[Name]>
}

/** What is asked beside the unit itself, and what became of it. */
export type RecordAnswers = {
  [Name in Exclude<keyof RegisterValues, 'enhet' | 'underenhet'>]: ServedOrFailed<RegisterValues[Name]>
} & { [Name in keyof ArchiveValues]: ServedOrFailed<ArchiveValues[Name]> | NotImported }

/** What every section knows of. `parent` is null when the unit names no parent; its number is when it names one unreadably. */
export type About = {
  unit: FoundAnswer<Unit>
  parent: { organisasjonsnummer: string | null; answer: ServedOrFailed<Enhet | SlettetEnhet> } | null
  industryCodes: IndustryCodes
  /** Which of the two the unit was answered by. */
  unitFrom: 'enhet' | 'underenhet'
  addresses: Addresses
  personIds: PersonIds
  /** The section that is asked for at its own address. */
  alone: string | null
}

/** Everything one record is made of. */
export type Parts = About & RecordAnswers

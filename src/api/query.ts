import { policy } from '#config/policy.ts'
import { type LogCursor, readLogCursor } from '#src/changes/log-cursor.ts'
import { readTypeFilter } from '#src/changes/type-filter.ts'
import type { InputError } from '#src/core/errors.ts'
import { findOrganisasjonsnummer, parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { type Field, readFields } from '#src/record/fields.ts'
import { type HolderCursor, readCursor } from '#src/record/holder-cursor.ts'
import { type ListCursor, readListCursor } from '#src/record/list-page.ts'
import { onlyOnce, parameterRefused, readWholeNumber, readWord } from './parameters.ts'

/** @throws InputError unless `felt` names fields there are, and `fersk` is true or false; either may be left out */
export function readCompanyQuestion(query: unknown): { fersk: boolean; fields: Field[] | null } {
  const { felt, ...rest } = onlyOnce(query, ['felt', 'fersk'])
  return { fersk: isFersk(rest), fields: felt === undefined ? null : readFields(felt) }
}

/** @throws InputError like `readCompanyQuestion`; null: all of them */
export function readFieldsAlone(query: unknown): Field[] | null {
  const { felt } = onlyOnce(query, ['felt'])
  return felt === undefined ? null : readFields(felt)
}

/** @throws InputError unless `fra` is a line's number, or not there, and nothing else is */
export function readFromLine(query: unknown): { fra: number } {
  const { fra = '1' } = onlyOnce(query, ['fra'])
  if (!/^[1-9][0-9]{0,5}$/.test(fra)) {
    throw parameterRefused(
      'fra',
      'fra er nummeret på en linje, fra 1.',
      'fra is the number of a line, from 1.',
    )
  }
  return { fra: Number(fra) }
}

/** @throws InputError unless `fersk` is true or false, or not there, and nothing else is */
export function readFersk(query: unknown): { fersk: boolean } {
  return { fersk: isFersk(onlyOnce(query, ['fersk'])) }
}

function isFersk({ fersk }: { fersk?: string }): boolean {
  if (fersk !== undefined && fersk !== 'true' && fersk !== 'false') {
    throw parameterRefused('fersk', 'fersk er true eller false.', 'fersk is true or false.')
  }
  return fersk === 'true'
}

export type HolderParameters = { aar: number | null; etter: HolderCursor | null; size: number }

export const holderBounds = { sizeMax: 500, sizeStandard: 100 } as const

/** @throws InputError `ugyldig_parameter` that names the parameter and what it may be */
export function readHolders(query: unknown): HolderParameters {
  const { aar, etter, size } = onlyOnce(query, ['aar', 'etter', 'size'])
  const cursor = etter === undefined ? null : readCursor(etter)
  if (etter !== undefined && cursor === null) throw notACursor()
  return {
    aar: aar === undefined ? null : readWholeNumber('aar', aar, YEARS),
    etter: cursor,
    size: pageSize(size),
  }
}

/** @throws InputError `ugyldig_parameter` that names the parameter and what it may be */
export function readListPage(query: unknown): { etter: ListCursor | null; size: number; fersk: boolean } {
  const { etter, size, ...rest } = onlyOnce(query, ['etter', 'size', 'fersk'])
  const cursor = etter === undefined ? null : readListCursor(etter)
  if (etter !== undefined && cursor === null) throw notACursor()
  return { etter: cursor, size: pageSize(size), fersk: isFersk(rest) }
}

function pageSize(size: string | undefined): number {
  const { sizeStandard, sizeMax } = holderBounds
  return size === undefined ? sizeStandard : readWholeNumber('size', size, { least: 1, most: sizeMax })
}

function notACursor(): InputError {
  return parameterRefused(
    'etter',
    'etter er verdien av neste i en tidligere side, uendret.',
    'etter is the value of neste in an earlier page, unchanged.',
  )
}

export type OwnershipParameters = {
  aar: number | null
  retning: 'opp' | 'ned' | 'begge'
  dybde: number | undefined
  format: 'json' | 'bods' | null
}

export const ownershipBounds = { levelsMax: policy.eierskap.levelsMax } as const

/** @throws InputError `ugyldig_parameter` that names the parameter and what it may be */
export function readOwnershipQuestion(query: unknown): OwnershipParameters {
  const { aar, retning, dybde, format } = onlyOnce(query, ['aar', 'retning', 'dybde', 'format'])
  return {
    aar: aar === undefined ? null : readWholeNumber('aar', aar, YEARS),
    retning: retning === undefined ? 'begge' : readWord('retning', retning, ['opp', 'ned', 'begge']),
    dybde:
      dybde === undefined
        ? undefined
        : readWholeNumber('dybde', dybde, { least: 1, most: ownershipBounds.levelsMax }),
    format: format === undefined ? null : readWord('format', format, ['json', 'bods']),
  }
}

const YEARS = { least: 2002, most: 2200 }

export type ChangesParameters = {
  after: LogCursor | null
  orgnr: string | null
  types: string[] | null
  size: number
  waitMs: number
  asEvents: boolean
}

/** @throws InputError `ugyldig_parameter` that names the parameter and what it may be; also for a number that is none */
export function readChangesQuestion(query: unknown): ChangesParameters {
  const read = onlyOnce(query, ['etter', 'orgnr', 'type', 'size', 'vent', 'format'])
  const { sizeStandard, sizeMax, waitSecondsMax } = policy.changeLog
  const after = read.etter === undefined ? null : readLogCursor(read.etter)
  if (read.etter !== undefined && after === null) throw notAPlaceInTheLog()
  const format = read.format === undefined ? 'json' : readWord('format', read.format, ['json', 'cloudevents'])
  return {
    after,
    orgnr: read.orgnr === undefined ? null : parseOrganisasjonsnummer(read.orgnr),
    types: read.type === undefined ? null : readTypeFilter(read.type.split(','), 'type'),
    size:
      read.size === undefined
        ? sizeStandard
        : readWholeNumber('size', read.size, { least: 1, most: sizeMax }),
    waitMs:
      read.vent === undefined
        ? 0
        : 1000 * readWholeNumber('vent', read.vent, { least: 0, most: waitSecondsMax }),
    asEvents: format === 'cloudevents',
  }
}

/** @throws InputError `ugyldig_parameter` that names the parameter and what it may be */
export function readCompanyChanges(query: unknown): { before: LogCursor | null; size: number } {
  const { etter, size } = onlyOnce(query, ['etter', 'size'])
  const { sizeStandard, sizeMax } = policy.changeLog
  const before = etter === undefined ? null : readLogCursor(etter)
  if (etter !== undefined && before === null) throw notACursor()
  return {
    before,
    size: size === undefined ? sizeStandard : readWholeNumber('size', size, { least: 1, most: sizeMax }),
  }
}

/** @throws InputError `ugyldig_parameter` that names the parameter and what it may be */
export function readWatchPage(query: unknown): { after: string | null; size: number } {
  const { etter, size } = onlyOnce(query, ['etter', 'size'])
  const { sizeStandard, sizeMax } = policy.watches
  const after = etter === undefined ? null : findOrganisasjonsnummer(etter)
  if (etter !== undefined && after === null) throw notACursor()
  return {
    after,
    size: size === undefined ? sizeStandard : readWholeNumber('size', size, { least: 1, most: sizeMax }),
  }
}

/** @throws InputError `ugyldig_parameter` that names the parameter and what it may be */
export function readWatchMany(query: unknown): {
  ends: boolean
  typer: string[] | null
  epost: 'straks' | 'daglig' | null
} {
  const { gjor, typer, epost } = onlyOnce(query, ['gjor', 'typer', 'epost'])
  const wanted = epost === undefined ? 'ingen' : readWord('epost', epost, ['ingen', 'straks', 'daglig'])
  return {
    ends: gjor !== undefined && readWord('gjor', gjor, ['overvak', 'slutt']) === 'slutt',
    typer: typer === undefined ? null : readTypeFilter(typer.split(','), 'typer'),
    epost: wanted === 'ingen' ? null : wanted,
  }
}

/** @throws InputError `ugyldig_parameter` that names the parameter and what it may be */
export function readDeliveryPage(query: unknown): {
  below: string | null
  tilstand: 'venter' | 'levert' | 'oppgitt' | null
  size: number
} {
  const { etter, size, leveringstilstand } = onlyOnce(query, ['etter', 'size', 'leveringstilstand'])
  const { sizeStandard, sizeMax } = policy.push
  if (etter !== undefined && !/^[1-9][0-9]{0,17}$/.test(etter)) throw notACursor()
  return {
    below: etter ?? null,
    tilstand:
      leveringstilstand === undefined
        ? null
        : readWord('leveringstilstand', leveringstilstand, ['venter', 'levert', 'oppgitt']),
    size: size === undefined ? sizeStandard : readWholeNumber('size', size, { least: 1, most: sizeMax }),
  }
}

function notAPlaceInTheLog(): InputError {
  return parameterRefused(
    'etter',
    'etter er verdien av neste, eller en endrings peker, uendret.',
    'etter is the value of neste, or the peker of a change, unchanged.',
  )
}

/** @throws InputError when there is any parameter at all */
export function readNothing(query: unknown): void {
  onlyOnce(query, [])
}

import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { isJsonObject } from '#src/core/json-object.ts'
import { isOrganisasjonsnummer, type Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { RegisterResponse } from '../register-client.ts'
import { invalid } from '../response.ts'

/** `Ukjent` is the register's own word, and ours for a kind that is not in its documentation. */
type ChangeKind = 'Ny' | 'Endring' | 'Sletting' | 'Fjernet' | 'Ukjent'

/** `changedPaths` are the JSON pointers of the register's patch; null when it did not say what was changed. */
export type UnitChange = {
  id: number
  /** When it was published here, which is later than when it took effect. */
  at: Date
  organisasjonsnummer: Organisasjonsnummer
  kind: ChangeKind
  changedPaths: string[] | null
}

/** Somebody's role in the company changed; the event does not say whose or how. */
export type RoleChange = { id: string; at: Date; organisasjonsnummer: Organisasjonsnummer }

/**
 * Events by rising id. `oldest` and `newest` are the ends of all that came, also of what could not be read, so that a
 * follower gets past it; null when nothing came. `unreadable` counts what was passed over. `isLast`: no more for now.
 */
export type ChangePage<Event extends { id: number | string }> = {
  events: Event[]
  oldest: { id: Event['id']; at: Date } | null
  newest: { id: Event['id']; at: Date } | null
  unreadable: number
  isLast: boolean
}

/**
 * Puts the rows of one page in order, each read on its own.
 *
 * @param fromId the event it was asked from; null when it was asked for by time, or for its end
 * @throws SourceError `ugyldig_svar` when the page as a whole is not what this feed gives
 */
export function pageOfChanges<Event extends { id: number | string }>(
  rows: unknown[],
  readRow: (row: unknown) => Row<Event> | null,
  response: RegisterResponse,
  { size, fromId }: { size: number; fromId: Event['id'] | null },
): ChangePage<Event> {
  if (rows.length > size)
    throw invalid('oppdateringer', response, `${rows.length} changes came where ${size} were asked for`)
  const read = rows.map(readRow).filter((row) => row !== null)
  read.sort((a, b) => compareIds(a.id, b.id))
  const events = read.map(({ event }) => event).filter((event) => event !== null)
  const unreadable = rows.length - events.length
  // One bad event is passed over. A page of them is a new shape, and passing that over would be to follow nothing.
  const isAnotherShape = unreadable > UNREADABLE_MAX && unreadable > rows.length / 2
  const [oldest, newest] = [read[0], read.at(-1)].map((row) => row && { id: row.id, at: row.at })
  if (isAnotherShape || (rows.length > 0 && newest === undefined))
    throw invalid('oppdateringer', response, `${unreadable} of ${rows.length} changes can not be read`)
  // They are of another question. Who followed them would go back, and read what it has read for ever.
  if (fromId !== null && oldest !== undefined && compareIds(oldest.id, fromId) < 0)
    throw invalid('oppdateringer', response, 'there are changes before the one that was asked from')
  return {
    events,
    oldest: oldest ?? null,
    newest: newest ?? null,
    unreadable,
    isLast: rows.length < size,
  }
}

/** The place of one row in the feed, and its event when the number in it is one. Null when not even the place is known. */
type Row<Event extends { id: number | string }> = { id: Event['id']; at: Date; event: Event | null }

const UNREADABLE_MAX = 10

/** Ids are whole numbers, those given as text too; other text, should it come, stays in the order it came in. */
function compareIds(a: number | string, b: number | string): number {
  const [left, right] = [Number(a), Number(b)]
  return Number.isNaN(left) || Number.isNaN(right) ? 0 : left - right
}

export function readUnitChange(row: unknown): Row<UnitChange> | null {
  if (!unitRow.Check(row)) return null
  const { oppdateringsid: id } = row
  const at = new Date(row.dato)
  if (Number.isNaN(at.getTime())) return null
  const organisasjonsnummer = numberOf(row.organisasjonsnummer)
  if (organisasjonsnummer === null) return { id, at, event: null }
  const kind = KINDS.find((known) => known === row.endringstype) ?? 'Ukjent'
  return { id, at, event: { id, at, organisasjonsnummer, kind, changedPaths: pathsOf(row.endringer) } }
}

export function readRoleChange(row: unknown): Row<RoleChange> | null {
  if (!roleRow.Check(row)) return null
  const { id } = row
  const at = new Date(row.time)
  if (Number.isNaN(at.getTime())) return null
  const organisasjonsnummer = numberOf(isJsonObject(row.data) ? row.data.organisasjonsnummer : null)
  return { id, at, event: organisasjonsnummer === null ? null : { id, at, organisasjonsnummer } }
}

function numberOf(value: unknown): Organisasjonsnummer | null {
  return typeof value === 'string' && isOrganisasjonsnummer(value) ? value : null
}

/** A patch that can not be read whole may have touched anything: that is null, not less. */
function pathsOf(patch: unknown): string[] | null {
  if (!jsonPatch.Check(patch)) return null
  return patch.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
}

const KINDS: readonly ChangeKind[] = ['Ny', 'Endring', 'Sletting', 'Fjernet', 'Ukjent']

/** A follower keeps the place of what it has read: it is only one when it can be kept as it is, and asked for again. */
const PlaceNumber = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const PlaceText = Type.String({ pattern: '^[!-~]{1,100}$' })
const PlaceTime = Type.String({ pattern: '^[12][0-9]{3}-' })

const unitRow = Compile(
  Type.Object({
    oppdateringsid: PlaceNumber,
    dato: PlaceTime,
    organisasjonsnummer: Type.Optional(Type.Unknown()),
    endringstype: Type.Optional(Type.Unknown()),
    endringer: Type.Optional(Type.Unknown()),
  }),
)
const roleRow = Compile(
  Type.Object({
    id: PlaceText,
    time: PlaceTime,
    data: Type.Optional(Type.Unknown()),
  }),
)
const jsonPatch = Compile(
  Type.Array(Type.Object({ path: Type.String(), from: Type.Optional(Type.String()) })),
)

import type { Failed, FoundAnswer, ServedAnswer, ServedOrFailed } from './parts.ts'
import { failureReason, reason } from './provenance.ts'
import type { Unit } from './sections/foretak.ts'
import type { Arsak, Section } from './state.ts'

/** One section with all that will be said of it. `data` is null whenever the state says there is none. */
export type Stated<D> = Section<D> & {
  gjelderPer: string | null
  hentet: Date | null
  arsak: Arsak | null
  avvik: string[]
}

export function answered<V, D>(
  settled: ServedOrFailed<V>,
  toData: (value: V) => D,
  asOf: (value: V) => string | null = () => null,
): Stated<D> {
  switch (settled.outcome) {
    case 'found': {
      const { value, fetchedAt, avvik, stale } = settled
      const gjelderPer = asOf(value) ?? fetchedAt.toISOString()
      const tilstand = stale === undefined ? 'fersk' : 'utdatert'
      return {
        tilstand,
        data: toData(value),
        gjelderPer,
        hentet: fetchedAt,
        arsak: staleReason(stale),
        avvik,
      }
    }
    case 'absent':
      return {
        ...notFound('ingen_hos_kilden'),
        hentet: settled.fetchedAt,
        gjelderPer: settled.fetchedAt.toISOString(),
      }
    case 'removed':
      return { ...notFound('fjernet_hos_kilden'), hentet: settled.fetchedAt }
    case 'unsupported':
      return { ...unavailable(failureReason('feilstatus')), hentet: settled.fetchedAt }
    case 'failed':
      return refused(settled)
  }
}

/** What is shown of a section beside its entry in `kilder`. */
export function shown<D>(stated: Stated<D>): Section<D> {
  return stated.tilstand === 'fersk' || stated.tilstand === 'utdatert'
    ? { tilstand: stated.tilstand, data: stated.data }
    : { tilstand: stated.tilstand, data: null }
}

/** Sections cut from the unit's own answer share its times. */
export function same<D>(unit: FoundAnswer<Unit>, data: D): Stated<D> {
  return answered(unit, () => data)
}

/** What was refused is named: a place in the answer, or all of it. */
function refused(failed: Failed): Stated<never> {
  return { ...unavailable(failureReason(failed.failure)), avvik: refusedIn(failed.field) }
}

export function refusedIn(field: string | null = null): string[] {
  return field === null ? [] : [field === '' ? '(hele svaret)' : field]
}

function staleReason(stale: ServedAnswer<unknown>['stale']): Arsak | null {
  if (stale === undefined) return null
  return stale.failure === null ? reason('fornyes') : failureReason(stale.failure)
}

const without = { data: null, gjelderPer: null, hentet: null, avvik: [] }

export function unavailable(arsak: Arsak): Stated<never> {
  return { tilstand: 'utilgjengelig', ...without, arsak }
}

export function notFound(kode: Parameters<typeof reason>[0]): Stated<never> {
  return { tilstand: 'ikke_funnet', ...without, arsak: reason(kode) }
}

export function notRelevant(kode: Parameters<typeof reason>[0]): Stated<never> {
  return { tilstand: 'ikke_relevant', ...without, arsak: reason(kode) }
}

export const notImported: Stated<never> = {
  tilstand: 'ikke_importert',
  ...without,
  arsak: reason('arkiv_ikke_importert'),
}

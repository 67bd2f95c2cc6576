import type { NotImported, ServedOrFailed } from '../parts.ts'
import { answered, notFound, notImported, type Stated } from '../stated.ts'

/** A section of our own archive. Holdings are those of one day, whenever the file came. */
export function archived<D extends { gjelderPer: string }>(part: ServedOrFailed<D> | NotImported): Stated<D> {
  if (part.outcome === 'not_imported') return notImported
  if (part.outcome === 'absent') return { ...notFound('ikke_i_aksjonaerregisteret'), hentet: part.fetchedAt }
  return answered(
    part,
    (data) => data,
    ({ gjelderPer }) => gjelderPer,
  )
}

import { reason } from '../provenance.ts'
import { type Stated, unavailable } from '../stated.ts'
import type { IndustryCodes } from './naering.ts'

/** The table by which the older codes are known: the second source of `naering`, with a state of its own. */
export function sn2007Of(codes: IndustryCodes): Stated<null> {
  if (codes === null) return unavailable(reason('ikke_hentet'))
  const hentet = codes.loadedAt
  const tilstand = codes.isFresh ? 'fersk' : 'utdatert'
  const { avvik } = codes
  return { tilstand, data: null, gjelderPer: hentet.toISOString(), hentet, arsak: null, avvik }
}

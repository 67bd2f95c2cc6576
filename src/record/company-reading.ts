import type { WholeAnswer } from '#src/cache/answers.ts'
import { SourceError, type SourceFailure } from '#src/sources/source.ts'
import type { Assembled } from './assembled.ts'
import type { PartOfRecord } from './fields.ts'
import type { ForcedRefresh } from './forced-refresh.ts'
import type { ServedPart } from './read.ts'
import type { Unavailable } from './reading.ts'

/**
 * How an answer came about, for Cache-Status (RFC 9211):
 * - `hit`: from what was held: the whole answer, or its parts in memory or in Redis; possibly stale, with a refresh behind it
 * - `collapsed`: another reader's question was waited for
 * - `miss`, `forced`: at least one source was asked; `forced` because the reader wanted it
 * - `stale-if-error`: a source failed, with this status if it had one, and an older copy covers it
 */
export type CacheStatus =
  | { by: 'hit'; tier: 'answers' | 'memory' | 'redis' }
  | { by: 'collapsed' | 'miss' | 'forced'; isStored: boolean }
  | { by: 'stale-if-error'; status: number | null }

/** Never existed, removed on legal grounds, and not to be had now are three different answers (P3). */
export type ReadingOutcome<A extends WholeAnswer = Assembled> =
  | { outcome: 'record'; answer: A; came: CacheStatus; lacking: Lacking }
  | { outcome: 'unknown' }
  | Removed
  | Unavailable
  | Crowded

/**
 * Why something is missing that may be there for the next who asks: no turn at a source came in time, or a source could not be
 * heard. Null: it is all there, but for what is switched off.
 */
export type Lacking = 'turn' | 'source' | null

export type Removed = { outcome: 'removed'; slettedato: string | null }
/** Its turn did not come: nothing was found out. `isOwn`: for what the same reader has under way besides. */
export type Crowded = { outcome: 'crowded'; isOwn: boolean }

/** `forced`: what became of the reader's wish that the sources be asked; null when there was none. */
export type CompanyReading<A extends WholeAnswer = Assembled> = ReadingOutcome<A> & {
  forced: ForcedRefresh | null
}

/** Some of a company; `neste`: where the next page of its list begins, where it is a page. */
export type PartAnswer = WholeAnswer & { readonly neste?: string | null }

export const HELD: CacheStatus = { by: 'hit', tier: 'answers' }

/** What was switched off stays so; anything else that is missing may be there for the next reader (P2). */
export function lackingIn({ kilder }: Pick<PartOfRecord, 'kilder'>): Lacking {
  const reasons = Object.values(kilder)
    .filter(({ tilstand }) => tilstand === 'utilgjengelig')
    .map(({ arsak }) => arsak?.kode ?? '')
    .filter((kode) => kode !== 'avslatt')
  if (reasons.length === 0) return null
  return reasons.every((kode) => OF_TURNS.has(kode)) ? 'turn' : 'source'
}

/** A reader whose time runs out while its call waits in a line hears of the time alone; the call goes on. */
const OF_TURNS: ReadonlySet<string> = new Set<SourceFailure>(['opptatt', 'budsjett_brukt', 'tidsfrist'])

export function cameOf(
  parts: readonly ServedPart[],
  mode: 'normal' | 'refresh',
  isStored: boolean,
  from: 'memory' | 'redis',
): CacheStatus {
  const hows = parts.map(({ served }) => served.how)
  const failed = parts.find(({ served }) => served.how === 'stale-if-error')?.served
  if (failed?.how === 'stale-if-error') {
    return { by: 'stale-if-error', status: failed.error instanceof SourceError ? failed.error.status : null }
  }
  if (mode === 'refresh') return { by: 'forced', isStored }
  if (hows.includes('miss')) return { by: 'miss', isStored }
  if (hows.includes('collapsed')) return { by: 'collapsed', isStored }
  return { by: 'hit', tier: hows.includes('redis') ? 'redis' : from }
}

export function collapsed(reading: ReadingOutcome): ReadingOutcome {
  if (reading.outcome !== 'record' || reading.came.by !== 'miss') return reading
  return { ...reading, came: { by: 'collapsed', isStored: reading.came.isStored } }
}

import { registerSources } from '#src/sources/index.ts'
import type { SourceNow } from './activity.ts'
import type { FeedProgress } from './feed-report.ts'
import type { ProcessReport } from './process-report.ts'

/** `ukjent`: nobody has asked it since this process began. */
export type SourceCondition = 'i_drift' | 'ustabil' | 'nede' | 'ukjent'

export type PublicStatus = {
  /** When this was put together. */
  tid: string
  kilder: { kilde: string; drift: SourceCondition; sistSvar: string | null; sistFeil: string | null }[]
  feeder: { feed: string; etterslepSekunder: number | null; nyesteHendelse: string | null; per: string }[]
}

/**
 * How each register answers, and as of when, for anybody to see. What this process has seen itself is at hand whatever becomes
 * of PostgreSQL and Redis; what the others told is added as of when it was last heard.
 */
export function publicStatus({
  now,
  sources,
  feeds,
  heard,
}: {
  now: Date
  sources: Readonly<Record<string, SourceNow>>
  feeds: readonly FeedProgress[]
  heard: { at: Date; reports: readonly ProcessReport[] } | null
}): PublicStatus {
  const tid = now.toISOString()
  return {
    tid,
    kilder: registerSources.map((kilde) => {
      const seen = [sources[kilde], ...(heard?.reports ?? []).map((report) => report.kilder[kilde])].filter(
        (each) => each !== undefined,
      )
      return { kilde, ...conditionOf(seen) }
    }),
    feeder:
      feeds.length > 0
        ? feeds.map(({ feed, lagMs, newestAt }) => ({
            feed,
            etterslepSekunder: lagMs === null ? null : Math.round(lagMs / 1000),
            nyesteHendelse: newestAt?.toISOString() ?? null,
            per: tid,
          }))
        : (heard?.reports ?? []).flatMap(({ feeder }) =>
            feeder.map(({ feed, etterslepMs, nyeste }) => ({
              feed,
              etterslepSekunder: etterslepMs === null ? null : Math.round(etterslepMs / 1000),
              nyesteHendelse: nyeste,
              per: heard?.at.toISOString() ?? tid,
            })),
          ),
  }
}

function conditionOf(seen: readonly SourceNow[]): Omit<PublicStatus['kilder'][number], 'kilde'> {
  const sistSvar = newest(seen.map((each) => each.sistSvar))
  const sistFeil = newest(seen.map((each) => each.sistFeil))
  return { drift: stateOf(seen, sistSvar, sistFeil), sistSvar, sistFeil }
}

function stateOf(
  seen: readonly SourceNow[],
  sistSvar: string | null,
  sistFeil: string | null,
): SourceCondition {
  if (seen.some(({ bryter }) => bryter !== 'lukket')) return 'nede'
  if (sistSvar === null && sistFeil === null) return 'ukjent'
  // ISO 8601 in UTC sorts as it is. The last word counts: one failure among answers is no news.
  return sistFeil !== null && (sistSvar === null || sistFeil > sistSvar) ? 'ustabil' : 'i_drift'
}

function newest(times: readonly (string | null)[]): string | null {
  return times.reduce((last, time) => (time !== null && (last === null || time > last) ? time : last), null)
}

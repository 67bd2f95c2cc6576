import { norwegianDay } from '#src/core/norwegian-time.ts'
import { DAY_MS } from '#src/core/units.ts'
import { registerSources } from '#src/sources/index.ts'
import { HISTORY_DAYS } from '#src/storage/source-quarters.ts'
import type { SourceNow } from './activity.ts'
import type { FeedProgress } from './feed-report.ts'
import type { ProcessReport } from './process-report.ts'
import type { KnownHistory } from './source-history.ts'

/** `ukjent`: nobody has asked it since this process began. */
export type SourceCondition = 'i_drift' | 'ustabil' | 'nede' | 'ukjent'
/** Of a day: half of the calls failed or more, one in fifty or more, or fewer. `ikke_spurt`: nobody asked, so nothing is known. */
export type DayCondition = 'i_drift' | 'ustabil' | 'nede' | 'ikke_spurt'

export type PublicStatus = {
  /** When this was put together. */
  tid: string
  kilder: {
    kilde: string
    drift: SourceCondition
    /**
     * Since when it is so, as far as is known: of one that works since the last incident was over, or it was first asked; of
     * one that does not, since its last answer; of one nobody asks, since it was last asked.
     */
    siden: string | null
    sistSvar: string | null
    sistFeil: string | null
    /** Ninety days in Norway, oldest first and today last; none while `historikk` is null. */
    dager: { dag: string; drift: DayCondition; svar: number; feil: number }[]
  }[]
  feeder: { feed: string; etterslepSekunder: number | null; nyesteHendelse: string | null; per: string }[]
  /** Newest first: from the first call that failed to the last, and when an answer was heard again, if one was. */
  hendelser: {
    id: string
    kilde: string
    fra: string
    til: string
    svarteIgjen: string | null
    svar: number
    feil: number
  }[]
  /** When the days and the incidents were read; null while they can not be. */
  historikk: { per: string } | null
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
  history,
}: {
  now: Date
  sources: Readonly<Record<string, SourceNow>>
  feeds: readonly FeedProgress[]
  heard: { at: Date; reports: readonly ProcessReport[] } | null
  history: KnownHistory | null
}): PublicStatus {
  const tid = now.toISOString()
  const days = lastDays(now)
  return {
    tid,
    kilder: registerSources.map((kilde) => {
      const seen = [sources[kilde], ...(heard?.reports ?? []).map((report) => report.kilder[kilde])].filter(
        (each) => each !== undefined,
      )
      return { kilde, ...conditionOf(kilde, seen, history), dager: daysOf(kilde, days, history) }
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
    hendelser: (history?.hendelser ?? []).map(({ kilde, kvarter, fra, til, svarteIgjen, svar, feil }) => ({
      id: `${kilde}-${kvarter.toISOString().slice(0, 16).replace(/\D/g, '')}`,
      kilde,
      fra: fra.toISOString(),
      til: til.toISOString(),
      svarteIgjen: svarteIgjen?.toISOString() ?? null,
      svar,
      feil,
    })),
    historikk: history && { per: history.per.toISOString() },
  }
}

function conditionOf(
  kilde: string,
  seen: readonly SourceNow[],
  history: KnownHistory | null,
): Omit<PublicStatus['kilder'][number], 'kilde' | 'dager'> {
  const kept = history?.kilder.find((each) => each.kilde === kilde)
  const heardAt = newest(seen.map((each) => each.sistSvar))
  const failedAt = newest(seen.map((each) => each.sistFeil))
  const drift = stateOf(seen, heardAt, failedAt)
  const sistSvar = newest([heardAt, isoOf(kept?.sisteSvar)])
  const sistFeil = newest([failedAt, isoOf(kept?.sisteFeil)])
  return { drift, siden: sinceWhen(), sistSvar, sistFeil }

  function sinceWhen(): string | null {
    if (drift === 'ukjent') return newest([sistSvar, sistFeil])
    if (drift !== 'i_drift') return sistSvar ?? isoOf(kept?.maaltFra) ?? sistFeil
    const last = history?.hendelser.find((each) => each.kilde === kilde)
    return last === undefined ? isoOf(kept?.maaltFra) : (isoOf(last.svarteIgjen) ?? sistSvar)
  }
}

function daysOf(
  kilde: string,
  days: readonly string[],
  history: KnownHistory | null,
): PublicStatus['kilder'][number]['dager'] {
  if (history === null) return []
  const asked = new Map(history.dager.filter((each) => each.kilde === kilde).map((each) => [each.dag, each]))
  return days.map((dag) => {
    const { svar, feil } = asked.get(dag) ?? { svar: 0, feil: 0 }
    return { dag, drift: dayCondition(svar, feil), svar, feil }
  })
}

function dayCondition(svar: number, feil: number): DayCondition {
  if (svar + feil === 0) return 'ikke_spurt'
  if (feil >= svar) return 'nede'
  return feil * 50 >= svar + feil ? 'ustabil' : 'i_drift'
}

/** By the calendar: some days have twenty-three hours. */
function lastDays(now: Date): string[] {
  const today = Date.parse(norwegianDay(now))
  return Array.from({ length: HISTORY_DAYS }, (_, index) =>
    new Date(today - (HISTORY_DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
}

function isoOf(at: Date | null | undefined): string | null {
  return at?.toISOString() ?? null
}

function stateOf(
  seen: readonly SourceNow[],
  sistSvar: string | null,
  sistFeil: string | null,
): SourceCondition {
  const { lukket: used = [], apen: leftAlone = [] } = Object.groupBy(seen, ({ bryter }) =>
    bryter === 'lukket' ? 'lukket' : 'apen',
  )
  if (leftAlone.length > 0) {
    // One process may have lost its way there, and the others hear it as ever.
    const heardSince = newest(used.map((each) => each.sistSvar))
    const triedAt = newest(leftAlone.map((each) => each.sistFeil))
    return heardSince !== null && triedAt !== null && heardSince > triedAt ? 'ustabil' : 'nede'
  }
  if (sistSvar === null && sistFeil === null) return 'ukjent'
  // ISO 8601 in UTC sorts as it is. The last word counts: one failure among answers is no news.
  return sistFeil !== null && (sistSvar === null || sistFeil > sistSvar) ? 'ustabil' : 'i_drift'
}

function newest(times: readonly (string | null)[]): string | null {
  return times.reduce((last, time) => (time !== null && (last === null || time > last) ? time : last), null)
}

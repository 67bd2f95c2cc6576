import type { Clock } from '#src/core/clock.ts'
import { HOUR_MS } from '#src/core/units.ts'
import type { Depth } from '#src/queue/open-queue.ts'
import { registerSources } from '#src/sources/index.ts'
import type { SalesCounts } from '#src/storage/customers.ts'
import type { ProcessEnd, ProcessEnds } from '#src/storage/process-ends.ts'
import type { ProcessKind, StoredProcess } from '#src/storage/processes.ts'
import type { PushState } from '#src/storage/push/upkeep.ts'
import { ANSWER_BOUNDS_MS, LATENCY_BOUNDS_MS } from './activity.ts'
import { countOf, type Minute, quantile, readMinute, sumOfMinutes } from './minute.ts'
import { type ProcessReport, readProcessReport } from './process-report.ts'
import { type FetchedFrom, fetchedFrom } from './request-report.ts'
import type { TuningState } from './tuning.ts'

type SeenProcess = {
  id: string
  slag: ProcessKind
  versjon: string
  startet: Date
  sett: Date
  /** Null: of a release that reports itself in another way. */
  rapport: ProcessReport | null
}

type SeenSource = {
  kilde: string
  bryter: 'lukket' | 'apen' | 'prover'
  kall: number
  /** Null when nothing was asked. */
  suksess: number | null
  p50Ms: number | null
  p99Ms: number | null
  bakgrunnPerSekund: number
  budsjettPerSekund: number | null
  sistSvar: string | null
  sistFeil: string | null
}

export type Overview = {
  tid: Date
  /** What wants somebody, worst first; empty when nothing does. */
  galt: string[]
  /** False: PostgreSQL can be read and not written to, so that all that is seen here is of before. */
  kanSkrives: boolean
  kilder: SeenSource[]
  feeder: { feed: string; etterslepMs: number | null; nyeste: string | null }[]
  mellomlager: Minute['mellomlager'] & { foretak: number; byte: number; svar: number; svarByte: number }
  foresporsler: Minute['foresporsler']
  /** Companies that were answered, by where the answer came from. */
  oppslag: { hentet: FetchedFrom; antall: number; p50Ms: number | null; p99Ms: number | null }[]
  /** The share of them that were at hand; null when none was asked for. */
  treff: number | null
  /** Null: the queue could not be asked. */
  koer: Depth[] | null
  jobber: Minute['jobber']
  salg: SalesCounts
  varsling: PushState
  prosesser: SeenProcess[]
  /** How many processes have ever ended by an error, and the last of them. */
  prosessfeil: { antall: number; siste: Omit<ProcessEnd, 'id'> | null }
  stilling: { versjon: number; hvem: string; satt: Date | null; isBroken: boolean; endret: number }
  /** By ten minutes, oldest first. */
  historie: {
    tid: string
    kall: number
    feil: number
    foresporsler: number
    treff: number | null
    p99Ms: number | null
  }[]
  /** How many minutes the counts above are of. */
  minutter: number
}

type OverviewSources = {
  clock: Clock
  takesWrites: () => Promise<boolean>
  processes: () => Promise<StoredProcess[]>
  minutesSince: (since: Date) => Promise<{ minutt: Date; verdier: unknown }[]>
  sales: (at: Date) => Promise<SalesCounts>
  push: () => Promise<PushState>
  tuning: () => Promise<TuningState>
  ends: () => Promise<ProcessEnds>
  depths: () => Promise<Depth[]>
  /** Background calls a second to each source, when it has a budget. */
  budgetOf: (source: string, tuning: TuningState) => number | null
  policy: {
    recentMinutes: number
    historyHours: number
    feedLagMaxMs: number
    undeliveredMaxMs: number
    untakenMaxMs: number
    mailUntakenMaxMs: number
    mailUntriedMaxMs: number
    endIsWrongForMs: number
    jobsGivenUpMax: number
    clockSkewMaxMs: number
  }
}

/**
 * All there is to see at a glance, over all processes. Fails only with the database; a queue that can not be asked is said.
 *
 * @throws StorageUnavailableError
 */
export async function readOverview(from: OverviewSources): Promise<Overview> {
  const { clock, policy } = from
  const at = clock.now()
  const since = new Date(at.getTime() - policy.historyHours * HOUR_MS)
  const [kanSkrives, stored, rows, salg, varsling, tuning, prosessfeil, koer] = await Promise.all([
    from.takesWrites(),
    from.processes(),
    from.minutesSince(since),
    from.sales(at),
    from.push(),
    from.tuning(),
    from.ends(),
    from.depths().catch(() => null),
  ])
  const prosesser = stored.map(({ sammendrag, ...process }) => ({
    ...process,
    rapport: readProcessReport(sammendrag),
  }))
  const reports = prosesser.flatMap(({ rapport }) => (rapport === null ? [] : [rapport]))
  const minutes = rows.flatMap(({ minutt, verdier }) => {
    const minute = readMinute(verdier)
    return minute === null ? [] : [{ minutt, minute }]
  })
  const recentFrom = at.getTime() - policy.recentMinutes * 60_000
  const recent = sumOfMinutes(
    minutes.filter(({ minutt }) => minutt.getTime() >= recentFrom).map(({ minute }) => minute),
  )
  const seen = {
    tid: at,
    kanSkrives,
    kilder: sourceRows(recent, reports, (source) => from.budgetOf(source, tuning), policy.recentMinutes),
    feeder: reports.flatMap(({ feeder }) => feeder),
    mellomlager: { ...recent.mellomlager, ...heldBy(reports) },
    foresporsler: recent.foresporsler,
    oppslag: fetchedFrom.map((hentet) => ({
      hentet,
      antall: countOf(recent.oppslag[hentet]),
      p50Ms: quantile(recent.oppslag[hentet], ANSWER_BOUNDS_MS, 0.5),
      p99Ms: quantile(recent.oppslag[hentet], ANSWER_BOUNDS_MS, 0.99),
    })),
    treff: hitShare(recent.oppslag),
    koer,
    jobber: recent.jobber,
    salg,
    varsling,
    prosesser,
    prosessfeil,
    stilling: {
      versjon: tuning.current.versjon,
      hvem: tuning.current.hvem,
      satt: tuning.current.satt,
      isBroken: tuning.isBroken,
      endret: Object.keys(tuning.current.verdier).length,
    },
    historie: historyOf(minutes),
    minutter: policy.recentMinutes,
  }
  return { ...seen, galt: whatIsWrong(seen, policy) }
}

function sourceRows(
  recent: Minute,
  reports: readonly ProcessReport[],
  budgetOf: (source: string) => number | null,
  minutes: number,
): SeenSource[] {
  // Shown also before anybody asked them.
  const names = new Set<string>([...registerSources, ...Object.keys(recent.kilder)])
  for (const { kilder } of reports) for (const name of Object.keys(kilder)) names.add(name)
  return [...names].map((kilde) => {
    const counted = recent.kilder[kilde]
    const kall = (counted?.svar ?? 0) + (counted?.feil ?? 0)
    const seen = reports.flatMap(({ kilder }) => kilder[kilde] ?? [])
    return {
      kilde,
      bryter:
        (['apen', 'prover'] as const).find((state) => seen.some(({ bryter }) => bryter === state)) ??
        'lukket',
      kall,
      suksess: kall === 0 ? null : (counted?.svar ?? 0) / kall,
      p50Ms: quantile(counted?.ms ?? [], LATENCY_BOUNDS_MS, 0.5),
      p99Ms: quantile(counted?.ms ?? [], LATENCY_BOUNDS_MS, 0.99),
      bakgrunnPerSekund: (counted?.bakgrunn ?? 0) / (minutes * 60),
      budsjettPerSekund: budgetOf(kilde),
      sistSvar: latest(seen.map(({ sistSvar }) => sistSvar)),
      sistFeil: latest(seen.map(({ sistFeil }) => sistFeil)),
    }
  })
}

/** ISO 8601 in UTC sorts as it is. */
function latest(times: readonly (string | null)[]): string | null {
  return times.reduce(
    (newest, time) => (time !== null && (newest === null || time > newest) ? time : newest),
    null,
  )
}

function heldBy(reports: readonly ProcessReport[]) {
  const sum = { foretak: 0, byte: 0, svar: 0, svarByte: 0 }
  for (const { minne } of reports) {
    sum.foretak += minne.foretak
    sum.byte += minne.foretakByte
    sum.svar += minne.svar
    sum.svarByte += minne.svarByte
  }
  return sum
}

function historyOf(minutes: readonly { minutt: Date; minute: Minute }[]): Overview['historie'] {
  const byTen = Map.groupBy(minutes, ({ minutt }) => Math.floor(minutt.getTime() / TEN_MINUTES_MS))
  return [...byTen].map(([ten, some]) => {
    const sum = sumOfMinutes(some.map(({ minute }) => minute))
    const sources = Object.values(sum.kilder)
    const ms = sumOfMinutes(sources.map((source) => ({ ...sum, kilder: { alle: source } }))).kilder.alle?.ms
    return {
      tid: new Date(ten * TEN_MINUTES_MS).toISOString(),
      kall: sources.reduce((all, { svar, feil }) => all + svar + feil, 0),
      feil: sources.reduce((all, { feil }) => all + feil, 0),
      foresporsler: sum.foresporsler.alle,
      treff: hitShare(sum.oppslag),
      p99Ms: quantile(ms ?? [], LATENCY_BOUNDS_MS, 0.99),
    }
  })
}

const TEN_MINUTES_MS = 10 * 60_000

/** What was held served the reader: nobody was asked. */
function hitShare(oppslag: Minute['oppslag']): number | null {
  const hits = countOf(oppslag.svar) + countOf(oppslag.minne) + countOf(oppslag.redis)
  const all = hits + countOf(oppslag.register) + countOf(oppslag.ved_feil)
  return all === 0 ? null : hits / all
}

/** In words: which process, when, and what it was. */
export function endedByError({ slag, endt, feil, sted }: Omit<ProcessEnd, 'id'>): string {
  const where = sted === null ? '' : ` i ${sted}`
  return `${slag} endte av en feil ${endt.toISOString().slice(0, 19)}Z: ${feil}${where}`
}

function whatIsWrong(seen: Omit<Overview, 'galt' | 'historie'>, policy: OverviewSources['policy']): string[] {
  const { kilder, feeder, koer, salg, prosesser, stilling, tid } = seen
  const wrong: string[] = []
  if (!seen.kanSkrives)
    wrong.push('PostgreSQL kan bare leses: ingenting selges eller noteres, og prosessene kan ikke melde seg.')
  else if (prosesser.length === 0) wrong.push('Ingen prosesser har meldt seg.')
  const { siste } = seen.prosessfeil
  if (siste !== null && tid.getTime() - siste.endt.getTime() < policy.endIsWrongForMs)
    wrong.push(`${endedByError(siste)}. Resten står i loggen.`)
  if (salg.alarms > 0) wrong.push(`${salg.alarms} ordre har en alarm og venter på en avgjørelse.`)
  if (salg.paymentsOfNobody > 0)
    wrong.push(
      `${salg.paymentsOfNobody} betalinger er godkjent uten at det finnes en ordre: oppslag kunde avstem.`,
    )
  const { oldestUndelivered } = salg
  if (oldestUndelivered !== null && tid.getTime() - oldestUndelivered.getTime() > policy.undeliveredMaxMs)
    wrong.push(
      `En betalt ordre har ventet på nøkkelen siden ${oldestUndelivered.toISOString().slice(0, 16)}Z.`,
    )
  for (const { slag, id, rapport } of prosesser) {
    if (rapport === null) continue
    const missing = rapport.hindringer.join(' ')
    const name = `${slag} ${id.slice(0, 8)}`
    if (!rapport.klar) wrong.push(`${name} er ikke klar: ${missing || 'ukjent grunn'}`)
    else if (missing !== '') wrong.push(`${name} svarer lesere, men mangler noe: ${missing}`)
  }
  for (const { kilde, bryter } of kilder) {
    if (bryter === 'apen') wrong.push(`${kilde}: kilden svarer ikke, og bryteren er åpen.`)
    if (bryter === 'prover') wrong.push(`${kilde}: kilden har sviktet, og prøves igjen.`)
  }
  for (const { feed, etterslepMs } of feeder) {
    if (etterslepMs !== null && etterslepMs > policy.feedLagMaxMs)
      wrong.push(`Feeden ${feed} ligger ${Math.round(etterslepMs / 1000)} s etter.`)
  }
  if (prosesser.some(({ slag }) => slag !== 'front') && feeder.length === 0)
    wrong.push('Ingen prosess følger registrenes endringer.')
  if (prosesser.length > 0 && prosesser.every(({ slag }) => slag === 'front'))
    wrong.push('Ingen arbeider er i gang: endringer følges ikke, og ordre leveres ikke.')
  if (koer === null) wrong.push('Køen kan ikke nås.')
  for (const { lane, isPaused } of koer ?? [])
    if (isPaused) wrong.push(`Køen ${lane} er satt på pause: ingenting i den blir gjort.`)
  if (seen.jobber.oppgitt > policy.jobsGivenUpMax)
    wrong.push(`${seen.jobber.oppgitt} jobber er gitt opp de siste ${seen.minutter} minuttene.`)
  for (const { slag, id, rapport } of prosesser) {
    const ahead = rapport?.klokkeForanMs ?? 0
    if (Math.abs(ahead) > policy.clockSkewMaxMs)
      wrong.push(
        `Klokken til ${slag} ${id.slice(0, 8)} går ${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'foran' : 'etter'} databasens.`,
      )
  }
  if (prosesser.some(({ rapport }) => (rapport?.uskrevetMs ?? 0) > policy.untakenMaxMs))
    wrong.push('PostgreSQL tar ikke imot det som endrer seg i foretak: ingen får vite om det.')
  const mailFailsSince = mailsFailingSince(seen, new Date(tid.getTime() - policy.mailUntriedMaxMs))
  if (mailFailsSince !== null && tid.getTime() - mailFailsSince.getTime() > policy.mailUntakenMaxMs)
    wrong.push(
      `E-postserveren har ikke tatt imot noe siden ${mailFailsSince.toISOString().slice(0, 16)}Z: nøkler, lenker og varsler venter.`,
    )
  if (prosesser.some(({ rapport }) => rapport?.redis === false))
    wrong.push('Det delte mellomlageret brukes ikke: Redis svarer ikke, eller tar ikke imot noe nytt.')
  if (stilling.isBroken)
    wrong.push(`Den nyeste levetidsstillingen kan ikke brukes; versjon ${stilling.versjon} gjelder.`)
  return wrong
}

/**
 * Null where the last mail any process tried was taken: one that failed, and tries no more, does not know of the others'. Nor is it told
 * of one that has tried none since `triedSince`: what failed was given up, or taken by a process that has ended.
 */
function mailsFailingSince({ prosesser }: Pick<Overview, 'prosesser'>, triedSince: Date): Date | null {
  const mails = prosesser.flatMap(({ rapport }) => (rapport?.epost === undefined ? [] : [rapport.epost]))
  const lastTaken =
    mails
      .flatMap(({ sistTatt }) => sistTatt ?? [])
      .sort()
      .at(-1) ?? ''
  const [since] = mails
    .filter(({ sistFeilet }) => new Date(sistFeilet ?? 0) > triedSince)
    .flatMap(({ feilerSiden }) => (feilerSiden !== null && feilerSiden > lastTaken ? [feilerSiden] : []))
    .sort()
  return since === undefined ? null : new Date(since)
}

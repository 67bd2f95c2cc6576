import { Counter, Gauge, type Registry } from 'prom-client'
import { within } from '#src/core/wait.ts'
import type { Depth } from '#src/queue/open-queue.ts'
import type { CanaryNews } from '#src/storage/canary-runs.ts'
import type { LookLine } from '#src/storage/changes/looks.ts'
import type { SalesCounts } from '#src/storage/customers.ts'
import type { PushState } from '#src/storage/push/upkeep.ts'
import { type Readiness, storeParts } from './readiness.ts'

/**
 * What is looked up when Prometheus asks rather than told as it happens. What can not be looked up now is left out, so that
 * an alert on its absence sees it; a server that is away, or hangs, does not take the other metrics with it.
 */
export function addGauges(
  registry: Registry,
  look: {
    now: () => Date
    version: string
    slag: string
    readiness: () => Promise<Readiness>
    depths: () => Promise<Depth[]>
    sales: () => Promise<SalesCounts>
    push: () => Promise<PushState>
    /** How late the looks at what is watched are, in seconds, by line. */
    looksBehind: () => Promise<Record<LookLine, number>>
    /** For how long this process could write nothing of what it saw of companies. */
    untakenMs: () => number
    held: () => { lag: string; poster: number; byte: number }[]
    processes: () => number | null
    /** Null where there is no Redis to share a cache by. */
    usesRedis: () => boolean | null
    tuning: () => { versjon: number; isBroken: boolean } | null
    /** Lines of the log that this process could not write. */
    logLost: () => number
    /** Stories of requests that this process could not keep. */
    storiesLost: () => number
    /** Processes that ever ended by an error; null when it is not known. */
    ends: () => number | null
    /** What the newest look at the shapes of the registers' answers found; null where nobody looks. */
    canary: () => CanaryNews | null
    /** Whether there is an index of names; null where none is to be built. */
    searchIndex: () => Promise<boolean | null>
    /** How far this process' clock is ahead of PostgreSQL's; null when it is not known. */
    clockAheadMs: () => number | null
    /** Whether what is sold can be dated. */
    isTimeKnown: () => boolean
  },
  { lookWithinMs }: { lookWithinMs: number },
): void {
  const registers = [registry]
  const depths = heldShortly(look.depths, lookWithinMs)
  new Gauge({
    name: 'bedriftsoppslag_process_info',
    help: '1; its labels say what this process is.',
    labelNames: ['versjon', 'slag'],
    registers,
  })
    .labels(look.version, look.slag)
    .set(1)
  new Gauge({
    name: 'bedriftsoppslag_ready',
    help: '1 while this process does its work: a front answers readers, a worker has what it works with.',
    registers,
    async collect() {
      this.set(Number((await look.readiness()).klar))
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_store_usable',
    help: '1 while this process can use the store, by store.',
    labelNames: ['del'],
    registers,
    async collect() {
      const { hindringer, mangler } = await look.readiness()
      const missing = new Set([...hindringer, ...mangler].map(({ del }) => del))
      for (const del of storeParts) this.labels(del).set(Number(!missing.has(del)))
    },
  })
  new Counter({
    name: 'bedriftsoppslag_log_lines_lost_total',
    help: 'Lines of the log that could not be written.',
    registers,
    collect() {
      this.reset()
      this.inc(look.logLost())
    },
  })
  new Counter({
    name: 'bedriftsoppslag_stories_lost_total',
    help: 'Stories of requests that were not kept: more than there is room for, or not taken by PostgreSQL twice.',
    registers,
    collect() {
      this.reset()
      this.inc(look.storiesLost())
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_queue_waiting',
    help: 'Jobs waiting for their turn, by lane.',
    labelNames: ['felt'],
    registers,
    async collect() {
      this.reset()
      for (const { lane, waiting } of (await depths()) ?? []) this.labels(lane).set(waiting)
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_queue_failed',
    help: 'Jobs that failed for good and are kept to be looked at, by lane.',
    labelNames: ['felt'],
    registers,
    async collect() {
      this.reset()
      for (const { lane, failed } of (await depths()) ?? []) this.labels(lane).set(failed)
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_queue_paused',
    help: '1 while a lane is paused, and nothing in it is done.',
    labelNames: ['felt'],
    registers,
    async collect() {
      this.reset()
      for (const { lane, isPaused } of (await depths()) ?? []) this.labels(lane).set(Number(isPaused))
    },
  })
  const push = heldShortly(look.push, lookWithinMs)
  new Gauge({
    name: 'bedriftsoppslag_deliveries_waiting',
    help: 'Changes that wait to be sent to an endpoint, also for a further attempt.',
    registers,
    async collect() {
      const state = await push()
      if (state === null) this.remove()
      else this.set(state.waiting)
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_delivery_oldest_seconds',
    help: 'How long a change has waited that nobody has gone through for endpoints, or that could have been sent, and nothing was to its endpoint: none has failed there, and it is of no test key.',
    registers,
    async collect() {
      const state = await push()
      if (state === null) this.remove()
      else this.set(state.oldestSeconds)
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_deliveries_not_gone_through',
    help: 'Changes in the log that nobody has gone through for endpoints yet.',
    registers,
    async collect() {
      const state = await push()
      if (state === null) this.remove()
      else this.set(state.notGoneThrough)
    },
  })
  const behind = heldShortly(look.looksBehind, lookWithinMs)
  new Gauge({
    name: 'bedriftsoppslag_watched_look_behind_seconds',
    help: 'How late the look of the day is at the watched company that has waited longest, by line: alt, or kunngjoringer by themselves.',
    labelNames: ['linje'],
    registers,
    async collect() {
      this.reset()
      const late = await behind()
      if (late === null) return
      this.labels('alt').set(late.neste_at)
      this.labels('kunngjoringer').set(late.sene_at)
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_changes_untaken_seconds',
    help: 'For how long PostgreSQL has taken nothing of what this process asked, remembered or told of companies: no change among it is told to anybody.',
    registers,
    collect() {
      this.set(look.untakenMs() / 1000)
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_endpoints',
    help: 'Endpoints there are, by whether they take what is sent.',
    labelNames: ['tilstand'],
    registers,
    async collect() {
      this.reset()
      const state = await push()
      if (state === null) return
      const { endpoints, off, failing } = state
      this.labels('virker').set(endpoints - off - failing)
      this.labels('feiler').set(failing)
      this.labels('avslatt').set(off)
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_cache_entries',
    help: 'What is held in this process, by tier.',
    labelNames: ['lag'],
    registers,
    collect() {
      for (const { lag, poster } of look.held()) this.labels(lag).set(poster)
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_cache_bytes',
    help: 'Bytes held in this process, by tier.',
    labelNames: ['lag'],
    registers,
    collect() {
      for (const { lag, byte } of look.held()) this.labels(lag).set(byte)
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_cache_redis_usable',
    help: '1 while the shared cache is in use, 0 while it is left alone, takes nothing new or is not heard. Only where there is one.',
    registers,
    collect() {
      const usesRedis = look.usesRedis()
      if (usesRedis === null) this.remove()
      else this.set(Number(usesRedis))
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_processes',
    help: 'Processes that are alive, as this one last heard.',
    registers,
    collect() {
      const alive = look.processes()
      if (alive === null) this.remove()
      else this.set(alive)
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_process_faults',
    help: 'Processes that have ever ended by an error, as this one last heard.',
    registers,
    collect() {
      const ends = look.ends()
      if (ends === null) this.remove()
      else this.set(ends)
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_canary_news',
    help: "What is other in the shape of the registers' answers: against the schemas (skjema), and since the look before (siden).",
    labelNames: ['mot'],
    registers,
    collect() {
      this.reset()
      const { skjema, siden } = look.canary()?.nytt ?? {}
      if (skjema !== undefined) this.labels('skjema').set(skjema)
      if (siden !== undefined) this.labels('siden').set(siden)
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_canary_age_seconds',
    help: "How long ago the shapes of the registers' answers were last seen; before they ever were, since when somebody has looked. Only where somebody looks.",
    registers,
    collect() {
      const seen = look.canary()
      if (seen === null) this.remove()
      else this.set(Math.max(0, (look.now().getTime() - seen.sistSett.getTime()) / 1000))
    },
  })
  const searchIndex = heldShortly(look.searchIndex, lookWithinMs)
  new Gauge({
    name: 'bedriftsoppslag_search_index',
    help: '1 while there is an index of names to search in, 0 while there is none. Only where one is to be built.',
    registers,
    async collect() {
      const isThere = await searchIndex()
      if (isThere === null) this.remove()
      else this.set(Number(isThere))
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_clock_ahead_seconds',
    help: "How far this process' clock is ahead of PostgreSQL's; negative when it is behind.",
    registers,
    collect() {
      const ahead = look.clockAheadMs()
      if (ahead === null) this.remove()
      else this.set(ahead / 1000)
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_time_known',
    help: "1 while this process knows what time it is; 0 while its clock and PostgreSQL's are so far apart that it sells and delivers nothing.",
    registers,
    collect() {
      this.set(Number(look.isTimeKnown()))
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_tuning_version',
    help: 'The version of the lifetimes that holds here; 0 before any was set.',
    registers,
    collect() {
      this.set(look.tuning()?.versjon ?? 0)
    },
  })
  new Gauge({
    name: 'bedriftsoppslag_tuning_broken',
    help: '1 while the newest stored lifetimes can not be used and older ones hold.',
    registers,
    collect() {
      this.set(Number(look.tuning()?.isBroken ?? false))
    },
  })
  addSales(registry, look, lookWithinMs)
}

function addSales(
  registry: Registry,
  look: { now: () => Date; sales: () => Promise<SalesCounts> },
  lookWithinMs: number,
): void {
  const registers = [registry]
  const counts = heldShortly(look.sales, lookWithinMs)

  function add(name: string, help: string, read: (counts: SalesCounts) => number): void {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const found = await counts()
        if (found === null) this.remove()
        else this.set(read(found))
      },
    })
  }

  add(
    'bedriftsoppslag_order_alarms',
    'Orders, and payments of no order, an operator has to look at.',
    ({ alarms, paymentsOfNobody }) => alarms + paymentsOfNobody,
  )
  add('bedriftsoppslag_keys_valid', 'Keys that work now.', ({ keysValid }) => keysValid)
  add(
    'bedriftsoppslag_order_oldest_undelivered_seconds',
    'How long the oldest order that is paid, or that Vipps has told is, has waited for its key; 0 when none waits.',
    ({ oldestUndelivered }) =>
      oldestUndelivered === null
        ? 0
        : Math.max(0, (look.now().getTime() - oldestUndelivered.getTime()) / 1000),
  )
  new Gauge({
    name: 'bedriftsoppslag_orders',
    help: 'Orders by state.',
    labelNames: ['tilstand'],
    registers,
    async collect() {
      const found = await counts()
      this.reset()
      for (const { tilstand, antall } of found?.ordersByState ?? []) this.labels(tilstand).set(antall)
    },
  })
}

/** One question for all that is asked at once; null when it has no answer in time. */
function heldShortly<T>(ask: () => Promise<T>, withinMs: number): () => Promise<T | null> {
  let asked: { at: number; answer: Promise<T | null> } | null = null
  return () => {
    if (asked === null || performance.now() - asked.at > HOLD_MS)
      asked = { at: performance.now(), answer: within(ask(), withinMs, () => null).catch(() => null) }
    return asked.answer
  }
}

const HOLD_MS = 1000

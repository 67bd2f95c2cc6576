import { type Static, Type } from 'typebox'
import { type CompanySource, companySources } from '#src/sources/index.ts'
import { laneOf, type RegisterLane, registerLanes } from '#src/sources/lanes.ts'

/** Each lane is a queue of its own with its own pace: what one register is slow with does not hold up another. */
export const lanes = [
  ...registerLanes,
  'utvisking',
  'levering',
  'sokeindeks',
  'bestillinger',
  'bestillinger_prove',
  'varsling',
  'varsling_treg',
  'varsling_prove',
] as const
export type JobLane = (typeof lanes)[number]

type RefreshOrder = { fortalt?: boolean; kanVente?: boolean; plass?: number }

/** What one reader is shown in a second or two. */
const BEFORE_LOOKS = 20

/** A line is no longer (`policy.refresh.places`). What a feed has told of comes before all else, wherever in its line it stands. */
const PLACES_MAX = 1_000_000

/** The lower the sooner. */
function priorityOf({ fortalt, kanVente, plass = 0 }: RefreshOrder): number {
  if (fortalt === true) return plass
  return PLACES_MAX + 1 + plass + (kanVente === true ? BEFORE_LOOKS : 0)
}

/** How refreshes differ in when they come. */
export const refreshOrders = ['fortalt', 'snart', 'kanVente', 'sent'] as const

/** One of the first that a reader asks for is not found behind a thousand that another did: that would be its place for as long. */
function orderOf({ fortalt, kanVente, plass = 0 }: RefreshOrder): (typeof refreshOrders)[number] {
  if (fortalt === true) return 'fortalt'
  if (kanVente === true) return 'kanVente'
  return plass < BEFORE_LOOKS ? 'snart' : 'sent'
}

/** Two refreshes of one section are one when they are of one order. */
export function refreshKey(
  { organisasjonsnummer, seksjon }: { organisasjonsnummer: string; seksjon: CompanySource },
  order: (typeof refreshOrders)[number],
): string {
  return `${organisasjonsnummer}-${seksjon}${order === 'snart' ? '' : `-${order}`}`
}

/**
 * Of what its lane has room for. Whoever asks for most is the first to find none: what comes late in a reader's line leaves half of it to
 * the first of each.
 */
function roomOf(order: RefreshOrder): number {
  const room = { fortalt: 2, snart: 1, kanVente: 1, sent: 0.5 } as const
  return room[orderOf(order)]
}

/**
 * Every job there is. A payload names companies and orders, never people: queues are read by more eyes than the database.
 *
 * Jobs are wishes, not records, and losing them all costs no truth: what was to be refreshed is marked stale in the cache, what
 * is to be erased stands in PostgreSQL. A finished one is removed at once; one that failed for good is shown for a while.
 *
 * - `keyOf`: two jobs of one key are one while they wait. One that comes while the other runs is run after it, since what
 *   the first one fetched may be older than the reason for the second.
 * - `priorityOf`: BullMQ's own; 0 comes first. Without it all are as urgent.
 * - `roomOf`: the part of its lane's bound it finds room in. Without it that is all of it.
 * - `backoffMs` doubles with every attempt, half of it by chance.
 * - `keepsFailed`: after the last attempt it stays for operators to look at and to try again, within FAILED_KEPT.
 */
export const jobs = {
  /**
   * One section anew from its register. After the last attempt the next reader's visit asks again. `fortalt`: a feed has told that it
   * changed, which comes before all that is merely old: whoever reads much of that fills a lane for an hour. `plass`: its place among
   * what the same reader asked for, or what was told of that the same owner watches (`line-places.ts`), by which it has its turn.
   * `kanVente`: a look at what is watched, which comes after the first that each reader asked for.
   */
  'refresh-company': {
    payload: Type.Object({
      organisasjonsnummer: Type.String({ pattern: '^[0-9]{9}$' }),
      seksjon: Type.Enum([...companySources]),
      fortalt: Type.Optional(Type.Boolean()),
      kanVente: Type.Optional(Type.Boolean()),
      plass: Type.Optional(Type.Integer({ minimum: 0, maximum: PLACES_MAX })),
    }),
    laneOf: ({ seksjon }: { seksjon: CompanySource }): RegisterLane => laneOf(seksjon),
    keyOf: (payload: { organisasjonsnummer: string; seksjon: CompanySource } & RefreshOrder) =>
      refreshKey(payload, orderOf(payload)),
    priorityOf,
    roomOf,
    attempts: 4,
    backoffMs: 2000,
    keepsFailed: true,
  },
  /** A removed company out of every place it is kept. The sweep goes on where the attempts end. */
  'erase-company': {
    payload: Type.Object({ organisasjonsnummer: Type.String({ pattern: '^[0-9]{9}$' }) }),
    laneOf: (): JobLane => 'utvisking',
    keyOf: (payload: { organisasjonsnummer: string }) => `${payload.organisasjonsnummer}-alt`,
    attempts: 3,
    backoffMs: 1000,
    // What is to be erased is not kept anywhere.
    keepsFailed: false,
  },
  /** A bell: something is due for an order, or a chain of keys. What it is stands in PostgreSQL, and is found there anyway. */
  'follow-order': {
    payload: Type.Object({ gjelder: Type.String({ pattern: '^[0-9A-Za-z]{10,12}$' }) }),
    laneOf: (): JobLane => 'levering',
    keyOf: (payload: { gjelder: string }) => `${payload.gjelder}-ordre`,
    attempts: 1,
    backoffMs: 1000,
    keepsFailed: true,
  },
  /** The index of names anew. Whether it is due, and how far it has come, stands in PostgreSQL, and is looked at now and then. */
  'build-search-index': {
    payload: Type.Object({}),
    laneOf: (): JobLane => 'sokeindeks',
    keyOf: () => 'sokeindeks',
    attempts: 4,
    backoffMs: 10_000,
    keepsFailed: true,
  },
  /**
   * A turn for those who have handed in lists, by the right their keys are held by, `nokkel`: it is rung for again while there is more. How
   * far each has come stands in PostgreSQL. `prove`: of a test key, which anybody may have: no customer waits behind however many of them.
   */
  'go-through-batch': {
    payload: Type.Object({
      nokkel: Type.String({ pattern: '^[0-9A-Za-z]{10,12}$' }),
      prove: Type.Optional(Type.Boolean()),
    }),
    laneOf: ({ prove }: { prove?: boolean }): JobLane =>
      prove === true ? 'bestillinger_prove' : 'bestillinger',
    keyOf: (payload: { nokkel: string }) => `${payload.nokkel}-bestillinger`,
    attempts: 2,
    backoffMs: 2000,
    keepsFailed: true,
  },
  /**
   * An endpoint's turn: it is rung for again while there is more. What is to be sent, and when, stands in PostgreSQL, and so does in
   * which of the lines the endpoint waits: rung for in another, it is passed over, and found.
   */
  'send-to-endpoint': {
    payload: Type.Object({
      endepunkt: Type.String({ pattern: '^ep_[0-9A-Za-z]{20}$' }),
      bane: Type.Optional(Type.Enum(['rask', 'treg', 'prove'])),
    }),
    laneOf: ({ bane }: { bane?: 'rask' | 'treg' | 'prove' }): JobLane =>
      bane === undefined || bane === 'rask' ? 'varsling' : `varsling_${bane}`,
    keyOf: (payload: { endepunkt: string }) => `${payload.endepunkt}-varsling`,
    attempts: 1,
    backoffMs: 1000,
    keepsFailed: true,
  },
} as const

/** In each lane: for a week, in seconds, and so many at most. Older ones go when another fails. */
export const FAILED_KEPT = { age: 7 * 24 * 60 * 60, count: 1000 } as const

export type JobName = keyof typeof jobs
export const jobNames = Object.keys(jobs) as readonly JobName[]
export type Payload<Name extends JobName> = Static<(typeof jobs)[Name]['payload']>

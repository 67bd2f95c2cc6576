/**
 * What the service decides about time, size and effort. Each number with its reason; measured ones say where.
 * The answer's own deadline is configuration (`ANSWER_DEADLINE_MS`).
 */
export const policy = {
  registers: {
    /** A register that has not accepted the connection by then will not answer within a reader's patience. */
    connectTimeoutMs: 1500,
    /** Between request and first header; the reader's deadline is usually shorter, background loading is not. */
    headersTimeoutMs: 10_000,
    /** The largest recorded unit is 4 kB, the largest role list seen 60 kB, a search of 100 units 400 kB. */
    bodyBytesMax: 4 * 1024 * 1024,
    /** Measured clean at eight calls at a time (2026-07); six sources of one cold record go to one host. */
    connectionsMax: 48,
  },
  guard: {
    /** For each source. A hanging source at a 2.5 s deadline holds its places for that long, and nobody else's. */
    frontInFlightMax: 32,
    frontQueueMax: 200,
    /** Refreshes are bounded in calls a second elsewhere; four at a time carry 20 a second at 200 ms. */
    backgroundInFlightMax: 4,
    backgroundQueueMax: 200,
    /** Half of the calls failing for ten seconds is no accident; below one call a second two failures are. */
    failureShare: 0.5,
    samplingMs: 10_000,
    minimumCallsPerSecond: 1,
    openFirstMs: 1000,
    openLastMs: 30_000,
    retryShare: 0.1,
    retriesSavedMax: 5,
    retryWaitMaxMs: 150,
  },
  announcements: {
    /** A web page meant for people: it gets little of our traffic. */
    inFlightMax: 4,
    deadlineMs: 2000,
  },
  search: {
    /** Hits asked for in each way of asking, so that ranking has something to choose from. */
    candidatesMax: 100,
  },
  industryCodes: {
    /** SSB publishes changes to a classification yearly at most. */
    refreshAfterDays: 30,
    /** When one of the two code lists did not come along. */
    refreshPartialAfterDays: 1,
    /** How often a process looks whether it is time, and whether another process loaded a newer table. */
    lookEveryMs: 60 * 60 * 1000,
    /** The same while there is no table at all: the first load takes seconds. */
    lookWhileNoneMs: 2000,
    /** After a failed load. */
    retryAfterMs: 5 * 60 * 1000,
    deadlineMs: 60_000,
    bodyBytesMax: 16 * 1024 * 1024,
  },
  keys: {
    verifiedMax: 10_000,
    rejectedMax: 10_000,
    rejectedForMs: 60_000,
    /** A verified key is re-checked in the background after this … */
    recheckAfterMs: 30_000,
    /** … and before it is used after this: the promised bound on revocation. */
    trustedForMs: 60_000,
    /** With PostgreSQL away a known key keeps working this long after its last good check. */
    staticForMs: 15 * 60_000,
    /** One argon2 run is 15 ms of a core and 19 MiB; it shares the thread pool with DNS look-ups. */
    argon2AtOnce: 1,
    argon2QueueMax: 50,
    argon2WaitMs: 250,
  },
  http: {
    requestTimeoutMs: 15_000,
    connectionTimeoutMs: 20_000,
    keepAliveTimeoutMs: 72_000,
    headersTimeoutMs: 8_000,
    /** How often slow requests are looked for. */
    connectionsCheckingIntervalMs: 2000,
    headerBytesMax: 8192,
    bodyBytesMax: 16 * 1024,
    connectionsMax: 10_000,
  },
  shutdown: {
    graceMs: 10_000,
  },
} as const

export type Policy = typeof policy

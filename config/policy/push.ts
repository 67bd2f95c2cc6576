import { DAY_MS, HOUR_MS, MINUTE_MS } from '#src/core/units.ts'

/** Changes sent to customers' addresses. */
export const pushPolicy = {
  push: {
    /** Standard Webhooks' own table: 76 hours in all. */
    attemptsAfterMs: [
      5000,
      5 * MINUTE_MS,
      30 * MINUTE_MS,
      2 * HOUR_MS,
      5 * HOUR_MS,
      10 * HOUR_MS,
      14 * HOUR_MS,
      20 * HOUR_MS,
      24 * HOUR_MS,
    ],
    jitter: 0.1,
    offAfterMs: 76 * HOUR_MS,
    /** An endpoint that is silent is left alone for so long, twice as long each time, up to the most: one place of 48 for 7 % of it. */
    pauseFirstMs: 5000,
    pauseMostMs: 5 * MINUTE_MS,
    retryAfterMostMs: DAY_MS,
    /** Standard Webhooks says 15 to 30 s; name server and connection are in it. */
    deadlineMs: 20_000,
    connectMs: 8000,
    nameServerMs: 3000,
    answerBytesMax: 4096,
    /** For who says yes and goes on talking. */
    answerWaitMs: 1000,
    /** Receivers are told to take 20 kB. */
    bodyBytesMax: 20_000,
    placesPerEndpoint: 6,
    /** Endpoints one process sends to at once. Each is some sockets and a connection to PostgreSQL now and again. */
    endpointsAtOnce: 48,
    /** The same for those that were slow lately, and again for those of test keys: nobody else waits behind either. */
    endpointsApartAtOnce: 16,
    /** Of one owner a quarter of each line: who deletes what hangs, and makes it anew, takes no more places than that. */
    turnsOfOwner: { rask: 12, treg: 4, prove: 4 },
    slowMs: 2000,
    slowForMs: 10 * MINUTE_MS,
    /** A few bytes each; there are some thousand customers. */
    slowOwnersMax: 10_000,
    /**
     * A place is had for so long, or for so many messages, and by the next then: where a hundred and fifty endpoints have thousands waiting,
     * as after an hour without a worker, whoever has one waits for three turns.
     */
    turnMs: 2000,
    turnMessages: 60,
    /** Two attempts and some. */
    holdMs: 45_000,
    /**
     * Changes that are gone through in one transaction, and rows that are made of them: 200,000, of 200 changes that 1,000 watch, took
     * thirteen seconds, and what PostgreSQL gives up for its time is the same the next time.
     */
    fanOutChangesMax: 100,
    fanOutDeliveriesMax: 10_000,
    /** A few hundred bytes each; a process has a few hundred under way. */
    unnotedMax: 10_000,
    /** PostgreSQL tells of changes at once; this finds what it told nobody. */
    fanOutEveryMs: 2000,
    /** The same for what is due: attempts to be made again, and what nobody rang for. */
    sweepEveryMs: 1000,
    retryMs: 2000,
    sweepEndpointsMax: 200,
    upkeepEveryMs: MINUTE_MS,
    heartbeatMs: 10_000,
    deliveriesKeptMs: 30 * DAY_MS,
    endpointsRestMs: 30 * DAY_MS,
    removedAtOnce: 10_000,
    /** To an endpoint of a test key: what changes by the clock in the 76 hours something is tried, and some tests. */
    deliveriesOfTestMax: 500,
    /** Of 2,000 that have as many: a quarter of a second of PostgreSQL, and each comes round in twenty minutes or so. */
    testEndpointsAtOnce: 100,
    /** Endpoints of one chain, of a test key of one's own, and of all such keys, of which the oldest gives way. */
    endpointsOfOwner: 10,
    endpointsOfTestKey: 3,
    endpointsOfTests: 2000,
    /** Of one owner, however many endpoints it makes: whom it names has not said that it wants them. */
    testsPerHour: 60,
    /** Of a span that is asked for again. */
    againMost: 10_000,
    /** Sent again of one owner in an hour. */
    againPerHour: 30_000,
    /** Spans that are gone through at once, one of an owner, whichever of its keys asks: of a long log each takes PostgreSQL seconds. */
    againAtOnce: 2,
    againWaitingMax: 64,
    againWaitMs: 10_000,
    typesMax: 50,
    bothSecretsMs: DAY_MS,
    sizeMax: 200,
    sizeStandard: 50,
  },
} as const

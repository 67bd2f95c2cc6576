import { HOUR_MS } from '#src/core/units.ts'
/** What the registers are asked, how often, and what guards them and us. */
export const registersPolicy = {
  registers: {
    /** A register that has not accepted the connection by then will not answer within a reader's patience. */
    connectTimeoutMs: 1500,
    /** Between request and first header; the reader's deadline is usually shorter, background loading is not. */
    headersTimeoutMs: 10_000,
    /** The largest recorded unit is 4 kB, the largest role list seen 60 kB, a search of 100 units 400 kB. */
    bodyBytesMax: 4 * 1024 * 1024,
    /** Measured clean at eight calls at a time (2026-07); six sources of one cold record go to one host. */
    connectionsMax: 48,
    /** One reader, whatever many companies are asked for, leaves some to others: those of two cold records. */
    connectionsForOneMax: 36,
    /** As many as there are fills under way. */
    waitingMax: 2000,
  },
  /** The night's look at the shapes of the registers' answers: some sixty calls, one at a time. */
  canary: {
    numbers: {
      /** Equinor, DNB Bank, Telenor, Brønnøysundregistrene, Oslo kommune, Posten, NRK, Orkla, Hydro, Coop, Skatteetaten. */
      enheter: [
        '923609016',
        '984851006',
        '982463718',
        '974760673',
        '958935420',
        '984661185',
        '976390512',
        '910747711',
        '914778271',
        '936560288',
        '974761076',
      ],
      underenheter: ['973160834'],
    },
    pauseMs: 500,
    callMs: 10_000,
    runMs: 10 * 60_000,
    /** So many calls in the beginning that reach nobody, and there is no network. */
    giveUpAfter: 3,
    /** A worker takes the night from this hour on, Norwegian time, and looks as often whether it is there yet. */
    fromHour: 3,
    lookEveryMs: 10 * 60_000,
    /** How far back an earlier run that reached the registers is looked for. */
    comparedMax: 10,
    /** A run that was taken and never ended may be taken again. */
    takenForMs: 30 * 60_000,
  },
  guard: {
    /** For each source. A hanging source at a 2.5 s deadline holds its places for that long, and nobody else's. */
    frontInFlightMax: 32,
    frontInFlightForOneMax: 24,
    /** Bounded by the readings under way (`readings`): this is for what is asked beside them. */
    frontQueueMax: 500,
    /** Refreshes are bounded in calls a second elsewhere; four at a time carry 20 a second at 200 ms. */
    backgroundInFlightMax: 4,
    backgroundQueueMax: 200,
    /** Half of the calls failing for ten seconds is no accident; below one call a second two failures are. */
    failureShare: 0.5,
    samplingMs: 10_000,
    minimumCallsPerSecond: 1,
    /** Longer than a source is left alone, so that a company that is asked about all the time never decides whether it is well again. */
    wrongAnswerForMs: 60_000,
    wrongAnswersMax: 1000,
    /** Longer than a call may take (`cache.fillDeadlineMs`): so one at a time waits for it. */
    wrongAnswerRestMs: 10_000,
    openFirstMs: 1000,
    openLastMs: 30_000,
    /** How often it is looked whether a source that is left alone may be tried, whether or not anybody asks for it. */
    probeEveryMs: 1000,
    probeDeadlineMs: 5000,
    retryShare: 0.1,
    retriesSavedMax: 5,
    retryWaitMaxMs: 150,
    /** As much as it has to accept a connection. */
    ownTimeMs: 1500,
  },
  announcements: {
    /** A web page meant for people: it gets little of our traffic. */
    inFlightMax: 4,
    /** A reader's patience. */
    waitMs: 2500,
    deadlineMs: 2000,
  },
  industryCodes: {
    /** SSB publishes changes to a classification yearly at most. */
    refreshAfterDays: 30,
    /** When one of the two code lists did not come along. */
    refreshPartialAfterDays: 1,
    /** How often a process looks whether it is time, and whether another process loaded a newer table. */
    lookEveryMs: HOUR_MS,
    /** The same while there is no table at all: the first load takes seconds. */
    lookWhileNoneMs: 2000,
    /** After a failed load: soon, since there may be none yet, and then less and less often. */
    retryMs: 2000,
    retryMsMax: 5 * 60 * 1000,
    deadlineMs: 60_000,
    bodyBytesMax: 4 * 1024 * 1024,
  },
  feeds: {
    /** How often a feed is asked when there was nothing more: a change is to be served within 60 s of its event. */
    pollMs: 5000,
    /** Events in one page. One with its changes is a kilobyte and 26 values, and a page may have 50,000 (`upstream/read-json.ts`). */
    pageSize: 1000,
    /** After a page that could not be read smaller ones are tried, down to this: too long, or too slow, is no dead end. */
    pageSizeMin: 10,
    bodyBytesMax: 8 * 1024 * 1024,
    deadlineMs: 30_000,
    /** A follower that dies is followed by another after at most leaseMs + tryLeaseMs: the promise is 30 s. */
    leaseMs: 20_000,
    renewLeaseMs: 5000,
    tryLeaseMs: 5000,
    retryMs: 1000,
    retryMsMax: 60_000,
    /** A feed that was never followed is read from so long before now: the register's clock is not ours. */
    beginEarlierMs: 5 * 60_000,
    /** A page without the event we stand at has to come so often in a row before we believe that something was lost. */
    brokenReadsMax: 3,
    /** Shared copies that can not be marked, and a queue that can not take the refreshes, hold a feed up this often in all. */
    triesMax: 5,
    /** Copies that could not be marked are, and it is tried no more often than this, when they are back. */
    markAgainMs: 30_000,
    /** Companies marked stale in one go. */
    invalidateAtOnce: 500,
  },
  refresh: {
    deadlineMs: 15_000,
    /**
     * Waiting refreshes in each line: more than an hour's work at 20 calls a second. Beyond it they are refused; what comes late in a
     * reader's own line beyond half of it, and what a feed has told of beyond twice as many.
     */
    waitingMax: 100_000,
    /** By turns of those who ask (`queue/line-places.ts`): 20 calls a second, as the lanes have. */
    places: { perSecond: 20, linesMax: 10_000, placesMax: 1_000_000 },
  },
} as const

import { DAY_MS, MINUTE_MS } from '#src/core/units.ts'
import { received } from './received.ts'

/** What changed, and who is told. */
export const changesPolicy = {
  changeLog: {
    /** Changes in one answer. */
    sizeMax: 500,
    sizeStandard: 100,
    /**
     * Lines of what one watches that are gone through for one page, whatever types are wanted of them: some ten milliseconds of
     * PostgreSQL. Where none of them is wanted, the page has nothing and says that there is more.
     */
    linesThroughMax: 5000,
    /** Lines a company's history is made of. */
    historyMax: 2000,
    /**
     * Pages of changes that are read and told at once, each of half a megabyte or more until it has been sent. So many wait as for their
     * reading: where those who wait for a change come all at once, two thousand were soon in line, and the next were told 503.
     */
    pagesTold: { atOnce: 32, forOneMax: 4, waitingMax: 10_000, waitMs: 10_000 },
    /** Histories that are made at once: of the longest each is some megabytes until it has been sent. */
    histories: { atOnce: 8, forOneMax: 2, waitingMax: 2000, waitMs: 10_000 },
    /** How long a reader may wait, in seconds: balancers give a minute. */
    waitSecondsMax: 50,
    /** Readers who wait, each with a connection: of one chain, and of all, a fifth of the connections. */
    waitingOfOneMax: 8,
    waitingInAllMax: 2000,
    /** Of them such as have a test key, everybody's or one of their own. */
    waitingOfTestsMax: 500,
    /** Whoever waits is woken by PostgreSQL's word; this finds what nobody told of. */
    lookEveryMs: 5000,
    /** How often the line on which PostgreSQL tells of changes is proven, and how soon a broken one is made anew. */
    heartbeatMs: 10_000,
    retryMs: 1000,
    /** What who waits too often at once is told. */
    askAgainSeconds: 10,
    /**
     * What those who wait read from PostgreSQL, in equal turns: they come all at once when a process has just begun, and a change of
     * what many watch wakes them all. A page takes a millisecond; for so long its turn is waited for.
     */
    pagesAtOnce: 4,
    pagesWaitingMax: 10_000,
    pageWaitMs: 10_000,
    /** Keys whose chain is remembered. */
    ownersHeldMax: 10_000,
  },
  watches: {
    /** Companies of one chain. */
    most: 10_000,
    /** Of a test key, which whoever asks is mailed; and of all of them together, of which the oldest give way: some megabytes. */
    mostOfTestKey: 100,
    ofTestsMax: 100_000,
    /** A list of as many, with room for spaces and quotation marks. */
    bodyBytesMax: 512 * 1024,
    /** By a test key, which everybody may have: there are fewer invented companies, and a list as long as another's is answered with 4 MB. */
    test: { numbersMax: 1000, bodyBytesMax: 64 * 1024 },
    received: { ...received, atOnce: 32, forOneMax: 2 },
    /** Lists that are written at once in a process: each holds a connection for some hundred milliseconds. */
    listsAtOnce: { atOnce: 4, forOneMax: 1, waitingMax: 64, waitMs: 10_000 },
    /** Pages of what is watched that are read and told at once, each of a megabyte or more until it has been sent. */
    pagesTold: { atOnce: 32, forOneMax: 4, waitingMax: 2000, waitMs: 10_000 },
    nameLettersMax: 200,
    typesMax: 50,
    sizeMax: 1000,
    sizeStandard: 100,
    /** After the end of its last key a chain's watches wait so long for somebody who renews late. */
    keptAfterEndMs: 30 * DAY_MS,
    /** Of a test key, which tells nobody when it ends: its ninety days and as long. */
    testKeptMs: 120 * DAY_MS,
    removeEveryMs: 60 * MINUTE_MS,
  },
  changeMails: {
    /** What changes together comes in one mail. */
    gatherMs: 10_000,
    /** The mail of a day, and what was too much for the day before, at this hour in Norway. */
    atHour: 7,
    /** Mails at once to one chain in a day; what comes then waits for the morning. */
    perDayMax: 24,
    /** Changes that are listed in one mail; how many there are besides is said. */
    listedMax: 100,
    /** Lines of the log gone through in one transaction, and what is written down of them: a line that 1,000 are mailed of is as many. */
    linesMax: 1000,
    mailedMax: 10_000,
    /** An address that has refused so many in a row is not mailed any more. */
    refusedMax: 3,
    lookEveryMs: 3000,
    retryMs: 5000,
    pageSize: 50,
  },
} as const

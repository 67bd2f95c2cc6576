import { DAY_MS, HOUR_MS, MINUTE_MS } from '#src/core/units.ts'
import { received, receivedByMany } from './received.ts'

/** A record and the copies it is made of: how long they are believed, and how much is held. */
export const recordPolicy = {
  readings: {
    /**
     * Companies that are put together at once of which nothing is at hand: more than the guards take, and few enough for
     * their fills to be within `cache.fillsMax`. One reader, whatever many are asked for, leaves some to others.
     */
    atOnce: 64,
    forOneMax: 48,
    waitingMax: 2000,
    /**
     * A turn comes late rather than never; clients give up after some ten seconds. Some seconds less than a connection may be silent
     * (`http`), with the time an answer has after its turn: a process that is behind with hundreds tells each, and resets none.
     */
    waitMs: 14_000,
    /** What an incomplete answer tells its reader: a turn comes within seconds, a source that fails is tried within half a minute. */
    askAgainSeconds: { turn: 5, source: 30 },
  },
  many: {
    /** Numbers in one request: a list people send by hand. */
    numbersMax: 500,
    /** With room for spaces, quotation marks and some columns beside the numbers. */
    bodyBytesMax: 128 * 1024,
    /** Companies of all such requests that are not at hand; a quarter of `readings.atOnce`, half of a guard's places. */
    atOnce: 16,
    forOneMax: 8,
    waitingMax: 5000,
    /** Asked for before the first of them is sent: bounds what one request holds in memory. */
    aheadMax: 24,
    /** Longer than this nobody else is kept waiting for what is held. */
    turnMs: 5,
    /** So long one company is waited for, however often its turn did not come, and this between. */
    patienceMs: 2 * MINUTE_MS,
    askAgainMs: 1000,
    /** A table is sent when it is whole, and a line may be waited for: for so long a connection may have nothing to send. */
    silenceMs: 10 * MINUTE_MS,
    /**
     * Lines are sent together in pieces of this, as they lie in memory, and no more is made while the client reads slower. Pieces of
     * 240 kB cost the system a tenth more for each byte; of 512 kB all lists there may be, unread, would be more than what may wait.
     */
    chunkBytes: 384 * 1024,
    /** What has to be made of them, packed, put into English or laid out in a table, is made of this at a time. */
    madeBytes: 64 * 1024,
    /** Of lists longer than most, which are held as they come. */
    received: { ...receivedByMany, forOneMax: 8 },
    /**
     * Requests under way, each with some 700 kB, which memory holds anyway where they are of held companies; of one key as many as a
     * connection has.
     */
    requests: { atOnce: 128, forOneMax: 16, waitingMax: 512, waitMs: 10_000 },
    /** Of them such as are made whole before they are sent, of some MB. */
    tables: { atOnce: 16, forOneMax: 2, waitingMax: 128, waitMs: 10_000 },
  },
  batches: {
    /** Numbers in one list, and room for them with spaces and quotation marks. */
    numbersMax: 100_000,
    bodyBytesMax: 2 * 1024 * 1024,
    received: { ...received, atOnce: 32, forOneMax: 2 },
    /** Lists that are read and stored at once, over all keys and of one: each is some ten megabytes until then. */
    stored: { atOnce: 4, forOneMax: 1, waitingMax: 32, waitMs: 10_000 },
    /** Lists of one key, and of all: at 400 kB each PostgreSQL holds 400 MB at most. */
    keptOfKey: 10,
    keptInAll: 1000,
    keptMs: 7 * DAY_MS,
    /** Of test keys, which everybody may have: their lists are small, and the oldest gives way. */
    test: { numbersMax: 1000, bodyBytesMax: 64 * 1024, keptOfKey: 100 },
    /** Purchases whose lists a worker goes through at once, a part each; what they have at the sources is `many`'s to bound. */
    atOnce: 4,
    /** How often it is looked for lists nobody has rung for, and how many purchases are rung for at a time. */
    lookEveryMs: 5000,
    rightsAtOnce: 1000,
    removeEveryMs: 5 * MINUTE_MS,
    /** A part most of which could not be had is tried so often again, twice as late each time; then it is gone on. */
    triesMax: 5,
    tryAgainMs: 10_000,
    /** What whoever asks too early is told. */
    askAgainSeconds: 5,
    /** A workbook is made whole in memory; a longer list is taken home as CSV or NDJSON. */
    workbookLinesMax: 2000,
  },
  reconciliation: {
    /** OpenRefine sends ten at a time. */
    received: { ...receivedByMany, forOneMax: 10 },
    /** Batches that are answered at once, and of one who asks: what they look for is looked for in the process itself. */
    batches: { atOnce: 4, forOneMax: 2, waitingMax: 200, waitMs: 10_000 },
    queriesMax: 50,
    bodyBytesMax: 64 * 1024,
    nameLettersMax: 100,
    hitsStandard: 3,
    hitsMax: 20,
    /** Of one batch, in its caller's turns. */
    atOnce: 4,
  },
  cache: {
    /** Packed answers of the registers, and whole answers ready to be sent; together with the process about 400 MB. */
    sectionBytesMax: 64 * 1024 * 1024,
    companyBytesMax: 1024 * 1024,
    answerBytesMax: 32 * 1024 * 1024,
    oneAnswerBytesMax: 2 * 1024 * 1024,
    /**
     * A company that is read twice within this time has its whole answer put into Redis, for so long; and of how many companies
     * it is remembered that they were read.
     */
    sharedAnswerMs: 10 * MINUTE_MS,
    /** One that Redis did not take is tried again after so long. */
    shareAgainMs: 10_000,
    /** Of those that are asked for unpacked some lie there so, too: these bytes in that time, of each process. */
    sharedPlainBytesMax: 32 * 1024 * 1024,
    readLatelyPlaces: 65_536,
    /** Longer than this in one turn of the event loop nobody is kept waiting for what is cut of held records. */
    cutMsATurn: 5,
    /** What one reader waits for Redis: this for looking, and for a fill this once more. Together the promised 50 ms. */
    redisAnswerMs: 25,
    redisChangeMs: 2000,
    redisFailuresMax: 5,
    redisProbeEveryMs: 1000,
    busHeartbeatMs: 2000,
    /** Renewed for as long as the fill takes; after it others wait no longer than this, and a reader has 2.5 s in all. */
    /** An emptied Redis is found out by then; what it lost is given back at up to 1 MB a second, a tenth of one core. */
    emptiedEveryMs: 2000,
    refillPerSecond: 1000,
    refillWaitingMax: 20_000,
    leaseMs: 1200,
    leasePollMs: 25,
    generationKeepMs: HOUR_MS,
    fillsMax: 2000,
    trustAloneMs: 30_000,
    /** Clocks that are kept by NTP differ by milliseconds. What is dated later than this is of a clock that is wrong. */
    futureToleranceMs: 10_000,
    staleNoticeMs: 5000,
    /** A source's own time when nobody in particular waits; readers wait no longer than their answer's deadline. */
    fillDeadlineMs: 5000,
    /** An assembled answer is looked at again at least this often while a part is stale or belongs to a parent. */
    lookAgainMs: 5000,
    lookAgainAtParentMs: 30_000,
  },
  fersk: {
    /** One forced refresh per company and minute, over all callers. */
    perCompanyMs: MINUTE_MS,
    /** And so many a second in this process over all companies, readers in turn, who wait for their turn so long. */
    perSecond: 5,
    waitMs: 2000,
    waitingMax: 200,
    companiesMax: 10_000,
  },
  notFoundStorm: {
    /** "Nothing here" about companies we know: so many within the window are the source's fault, not deletions. */
    doubtedFrom: 5,
    windowMs: MINUTE_MS,
  },
  cacheOrders: {
    /** How often a process looks for orders of the operators. */
    lookEveryMs: 2000,
    pageSize: 100,
    /** How far the shared tier has come is noted there as if for ever: in a copy of it, of whatever moment, it stands as well. */
    notedMs: 10 * 365 * DAY_MS,
  },
  tombstones: {
    /** How often a process looks for removals it has not been told of. */
    lookEveryMs: 5000,
    pageSize: 1000,
  },
} as const

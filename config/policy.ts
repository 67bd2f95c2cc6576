/**
 * What the service decides about time, size and effort. Each number with its reason; measured ones say where.
 * The answer's own deadline is configuration (`ANSWER_DEADLINE_MS`).
 */
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const policy = {
  /**
   * How long an answer is fresh, how long it may then be shown as stale, and how long it is known after that though no longer
   * shown. Fresh times are spread by 10 % to either side, so that what was filled together is not refreshed together.
   */
  lifetimes: {
    /** The change feed tells of every change: the fresh time only bounds what a feed that failed would cost. */
    unit: { freshMs: DAY, staleMs: 7 * DAY, keepMs: DAY },
    roles: { freshMs: DAY, staleMs: 7 * DAY, keepMs: DAY },
    /** No feed of its own; a role event is taken for one. */
    authority: { freshMs: DAY, staleMs: 7 * DAY, keepMs: DAY },
    /** No feed; the unit's feed tells when a new year was filed. Most are filed in the summer. */
    accounts: { freshMs: 7 * DAY, staleMs: 90 * DAY, keepMs: DAY },
    accountsInSummer: { freshMs: DAY, staleMs: 90 * DAY, keepMs: DAY },
    /** A plan the register does not support today it may support after its next release. */
    accountsUnsupported: { freshMs: 6 * HOUR, staleMs: DAY, keepMs: HOUR },
    /** No feed, and bankruptcies are first seen here. */
    announcements: { freshMs: 30 * MINUTE, staleMs: DAY, keepMs: HOUR },
    search: { freshMs: HOUR, staleMs: DAY, keepMs: 0 },
    /** "Nothing here" may be said of a company registered a minute ago. */
    absent: { freshMs: 5 * MINUTE, staleMs: 0, keepMs: 0 },
    /**
     * The shareholder register is our own, and changes when a year is imported, which is told: the fresh time bounds what an
     * order that was not heard would cost. With PostgreSQL away for long, a holding of 31 December is still the newest there is.
     */
    archive: { freshMs: DAY, staleMs: 30 * DAY, keepMs: DAY },
    /** A part of it could not be had just then; what is there may cover for it as long as accounts may. */
    partial: { freshMs: 5 * MINUTE, staleMs: 90 * DAY, keepMs: DAY },
  },
  readings: {
    /**
     * Companies that are put together at once of which nothing is at hand: more than the guards take, and few enough for
     * their fills to be within `cache.fillsMax`. One reader, whatever many are asked for, leaves some to others.
     */
    atOnce: 64,
    forOneMax: 48,
    waitingMax: 2000,
    /** A turn comes late rather than never; clients give up after some ten seconds. */
    waitMs: 20_000,
  },
  cache: {
    /** Packed answers of the registers, and whole answers ready to be sent; together with the process about 500 MB. */
    sectionBytesMax: 64 * 1024 * 1024,
    companyBytesMax: 1024 * 1024,
    answerBytesMax: 192 * 1024 * 1024,
    oneAnswerBytesMax: 2 * 1024 * 1024,
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
    generationKeepMs: HOUR,
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
    perCompanyMs: MINUTE,
    /** And so many a second in this process over all companies, readers in turn, who wait for their turn so long. */
    perSecond: 5,
    waitMs: 2000,
    waitingMax: 200,
    companiesMax: 10_000,
  },
  notFoundStorm: {
    /** "Nothing here" about companies we know: so many within the window are the source's fault, not deletions. */
    doubtedFrom: 5,
    windowMs: MINUTE,
  },
  cacheOrders: {
    /** How often a process looks for orders of the operators. */
    lookEveryMs: 2000,
    pageSize: 100,
  },
  tombstones: {
    /** How often a process looks for removals it has not been told of. */
    lookEveryMs: 5000,
    pageSize: 1000,
  },
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
    openFirstMs: 1000,
    openLastMs: 30_000,
    /** How often it is looked whether a source that is left alone may be tried, whether or not anybody asks for it. */
    probeEveryMs: 1000,
    probeDeadlineMs: 5000,
    retryShare: 0.1,
    retriesSavedMax: 5,
    retryWaitMaxMs: 150,
  },
  announcements: {
    /** A web page meant for people: it gets little of our traffic. */
    inFlightMax: 4,
    /** A reader's patience. */
    waitMs: 2500,
    deadlineMs: 2000,
  },
  search: {
    /** Hits asked of the register in each way of asking, so that ranking has something to choose from. */
    candidatesMax: 100,
    /** For all steps of one search in the index. What likeness takes is measured far below; then the answer says it was cut. */
    limitMs: 400,
    /** A process's own connections for it: a search that takes long holds up no key. */
    connectionsMax: 6,
    /** How often a process looks whether there is an index, and how far the feeds have come. */
    lookEveryMs: 5000,
  },
  searchIndex: {
    /** The register makes its files about five in the morning; whether there are new ones is one HEAD request each. */
    lookEveryMs: HOUR,
    retryMs: 5 * MINUTE,
    /** Units written in one transaction, and read again by whoever goes on after a kill. */
    batchUnits: 1000,
    /** The files are made in the night and may be a day old: changes from two days before them on are looked at again. */
    filesOlderMs: 2 * DAY,
    unreadableShareMax: 0.01,
    /** The units' file is 200 MB packed and over a gigabyte unpacked (2026-08). */
    fileBytesMax: 1024 * 1024 * 1024,
    unpackedBytesMax: 8 * 1024 * 1024 * 1024,
    silenceMs: 60_000,
    buildDeadlineMs: 3 * HOUR,
    /** How often changed units that wait are looked for, and how many are read at a time: a new name is found in a minute. */
    changesEveryMs: 2000,
    changesAtOnce: 100,
    changesDeadlineMs: 20_000,
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
  feeds: {
    /** How often a feed is asked when there was nothing more: a change is to be served within 60 s of its event. */
    pollMs: 5000,
    /** Events in one page. A page of 10,000 without changes measured 2.1 MB; with changes each is some times longer. */
    pageSize: 2000,
    /** After a page that could not be read smaller ones are tried, down to this: too long, or too slow, is no dead end. */
    pageSizeMin: 10,
    bodyBytesMax: 32 * 1024 * 1024,
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
    /** What changed is marked stale at once; a queue that can not take the refreshes holds the feed up this often. */
    enqueueTriesMax: 5,
    /** Companies marked stale in one go. */
    invalidateAtOnce: 500,
  },
  refresh: {
    /**
     * Background calls to each register, over all processes. Eight calls at a time were measured clean (2026-07); a burst
     * of 500 changed companies is through in 50 s. The announcements are a page for people.
     */
    registers: {
      enhetsregisteret: { callsPerSecond: 20, atOnce: 8 },
      fullmakt: { callsPerSecond: 20, atOnce: 8 },
      regnskap: { callsPerSecond: 10, atOnce: 4 },
      kunngjoringer: { callsPerSecond: 1, atOnce: 1 },
    },
    deadlineMs: 15_000,
    /** Waiting refreshes in each line: more than an hour's work at 20 calls a second. Beyond it they are refused. */
    waitingMax: 100_000,
  },
  erasure: {
    atOnce: 4,
    /** How often PostgreSQL is asked for erasures that are not done, whatever became of their jobs. */
    sweepMs: 30_000,
    /** How often the queue's Redis is made to write its log anew, when companies were erased. */
    logEveryMs: 5 * MINUTE,
    pageSize: 100,
    /** For one place to erase one company. */
    deadlineMs: 10_000,
  },
  shareholders: {
    /** How often a process looks which years there are; whoever reads a year finds out at once if it was replaced. */
    lookEveryMs: 2000,
    /** Companies looked up in each direction for the record; its own address goes on to the bound of `eierskap`. */
    recordCompaniesMax: 100,
    /** How often replaced deliveries are looked for. They take up to 250 MB each, and nothing else. */
    dropEveryMs: MINUTE,
    /** Readings at once of each kind: they share ten connections with the keys, and one takes a few milliseconds. */
    frontInFlightMax: 3,
    frontInFlightForOneMax: 2,
    backgroundInFlightMax: 1,
  },
  eierskap: {
    /** Levels that are followed when nobody asks for fewer. No chain deeper than six is known upwards; groups are flatter. */
    levelsUp: 10,
    levelsDown: 8,
    levelsMax: 20,
    /** Companies whose share books, or holdings, are read for one answer. */
    companiesMax: 500,
    /**
     * An owner with less of the company in all, directly and through others, is not followed and not named. A share book opens
     * with its 200 largest holders, and 200 holders of half a percent each are the whole: with this floor none is missed
     * because the list was cut. Below 0.5 % that would no longer be true.
     */
    floorPercent: 0.5,
    /** At most 200 hold the floor; the others are those whose part can not be told. */
    ownersMax: 400,
    /** Holders named of a share book whose parts can not be told. */
    holdersWithoutPartMax: 20,
    /** Single holdings shown between the owners, the weightiest first. */
    relationsMax: 1000,
    /** What a company itself owns, and associates of a group, largest first. The largest investors hold some thousand. */
    holdingsMax: 200,
    /** Companies in one circle that are solved exactly; 100 that all hold each other take 10 ms. Larger ones are not known. */
    circleMax: 100,
  },
  accountsArchive: {
    /** What a register's answer waits for PostgreSQL; a look-up of one company takes one millisecond. */
    readWithinMs: 300,
    /** The register being late, the archive is looked into, so that it is at hand when the reader's deadline comes. */
    lookAfterMs: 500,
    logEveryMs: 30_000,
  },
  vipps: {
    connectTimeoutMs: 2000,
    /** Payments that are read back (`sales.readsAtOnce`), and beside them those that are made, taken and let go. */
    connectionsMax: 48,
    /** A payment is 1 kB. Only the log of one with many changes, or the list of webhooks, is longer. */
    bodyBytesMax: 256 * 1024,
    /** An event is half a kB. Vipps waits ten seconds for its 200. */
    webhookBytesMax: 16 * 1024,
    /** A registration nobody answered for two weeks is deleted at Vipps. */
    webhooksCheckedEveryMs: DAY,
    /** Whoever looks at the registrations has this long before another may. */
    webhookTurnMs: 5 * MINUTE,
    /** Vipps delivers a message again for up to seven days; so long is the secret it was signed with believed. */
    webhookOverlapMs: 7 * DAY,
    /** A registration made by another process is known here after this; Vipps tries again after two seconds, four times. */
    webhookSecretsHeldMs: 2000,
  },
  queue: {
    /** For one round trip to the queue's server. */
    deadlineMs: 2000,
    retryMs: 500,
    retryMsMax: 15_000,
    /** A queue that failed is said to work again when it does and no error has come for so long. */
    quietMs: 5000,
    /** A worker that is silent for so long is taken for dead, and its jobs are done again within twice this. */
    lockMs: 10_000,
    /** Jobs in progress get this long after a shutdown begins; then they are told to stop, and run again later. */
    finishMs: 3000,
    /** All told, also when the queue's server does not answer. */
    closeMs: 5000,
  },
  sales: {
    /** Vipps' own guideline: from 5 s on, every 2 s; it takes 120 questions a minute about one payment. */
    pollFirstMs: 5000,
    pollEveryMs: 2000,
    /** A payment lives ten minutes; what is not settled then is looked at now and again. */
    paymentWindowMs: 12 * MINUTE,
    pollSlowlyMs: MINUTE,
    /** How often the database is asked for payments to read back and for errands that are due. It is two index look-ups. */
    lookEveryMs: 1000,
    /** After the database could not be asked. */
    retryMs: 5000,
    pageSize: 50,
    atOnce: 4,
    /** Whoever dies with an errand is followed by another after this; no call to a mail server or to Vipps takes longer. */
    leaseMs: 40_000,
    mailDeadlineMs: 30_000,
    /** A mail under way when the process is told to end. */
    mailFinishMs: 3000,
    paymentDeadlineMs: 12_000,
    mailRetryMs: [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 2 * HOUR],
    moneyRetryMs: [2000, 5000, 30_000, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR],
    /** Mail servers are away for a weekend. Visa stands by a reservation for seven days, and so does BankAxept. */
    deliverForMs: 3 * DAY,
    captureMarginMs: 6 * HOUR,
    captureForMs: 7 * DAY,
    otherAddressMs: DAY,
    addressesMax: 5,
    /** Orders nobody has paid: more than a shop sells in a day, and than an office opens in ten minutes. Beyond it old ones go. */
    unpaidMax: 2000,
    unpaidPerNetworkMax: 10,
    /** Whoever pushes others out lets them go; so many are left over only while Vipps can not be heard. */
    givingWayMax: 2000,
    /**
     * Vipps takes 120 questions a minute about each payment and names no bound for all of them. 2,000 unpaid orders are gone
     * round in 20 s at 100 a second, and in 30 s when each answer takes half a second: a key comes within 60 s.
     */
    readsAtOnce: 32,
    readsPerSecond: 100,
    replacementsPerDay: 3,
    linkMailsPerDay: 6,
    /** The second comes ten minutes after the first, the third twenty after that, …: seventeen a day, whoever asks. */
    leakedLinkEveryMs: 10 * MINUTE,
    linkValidMs: DAY,
    lostKeyMs: DAY,
    replacementsWaitingMax: 10_000,
    reminderDays: [30, 7, 1, 0],
    remindEveryMs: 10 * MINUTE,
    renewForMs: 30 * DAY,
    retainEveryMs: 6 * HOUR,
    /** Whether a look at our registrations at Vipps is due: one row in PostgreSQL, read. */
    webhooksEveryMs: 15_000,
    retention: {
      hashAfterMs: 30 * DAY,
      addressAfterMs: 90 * DAY,
      /** An order that came to nothing: long enough for a question about it. */
      unpaidAddressAfterMs: 30 * DAY,
      eventsAfterMs: 30 * DAY,
      /** After the end of the year of the sale (bokføringsloven § 13). */
      accountingYears: 5,
    },
  },
  mail: {
    /** A sale is a few mails; a burst of reminders goes over the same two. */
    connectionsMax: 2,
    mailsPerConnectionMax: 100,
    /** Name, connection, greeting and TLS together. What is not there by then is tried again later. */
    connectTimeoutMs: 10_000,
    /** Silence of the server. Below the deadline of a whole mail, so that it is this that tells how a mail was lost. */
    silenceMs: 20_000,
    /** Servers wait five minutes; a connection nobody uses need not be held half as long. */
    idleMs: 60_000,
    /** Mails given over and not yet answered for. Beyond it they are refused, and come again from where they were. */
    waitingMax: 200,
    /** What is under way at a shutdown gets so long to come to its answer: one that does not is of unknown outcome. */
    finishMs: 3000,
    /** Without a mail server each mail is a file; beyond this the oldest go. */
    filesMax: 1000,
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
    /** First uses under way to PostgreSQL and back, all in one or two questions; in line for it, over all networks. */
    lookupsAtOnce: 500,
    lookupsQueueMax: 2000,
    questionsAtOnce: 2,
    keysPerQuestion: 500,
    /** One argon2 run is 15 ms of a core and 19 MiB; it shares the thread pool with DNS look-ups. */
    argon2AtOnce: 1,
    /**
     * More than are run in the time they wait, so that it is the time that bounds them: networks have equal turns, and of the
     * one with the most waiting the last are turned away.
     */
    argon2QueueMax: 400,
    argon2WaitMs: 2000,
    /** Wrong secrets for one key from one network that are looked at within a while: nobody has five wrong copies of a key. */
    missesMax: 5,
    missesForMs: MINUTE,
    missersMax: 10_000,
    /**
     * That a key is wrong is told at the next of moments so far apart, counted from the question: longer than a look-up and an
     * argon2 run take together (17 ms, and 90 ms on a machine with four times as much to do as it can), so that all are told
     * at the first of them.
     */
    wrongAnswerMs: 250,
    /** How often the line on which PostgreSQL tells of changed keys is proven, and how soon a broken one is made anew. */
    changesHeartbeatMs: 10_000,
    changesRetryMs: 1000,
  },
  http: {
    /** An answer to a search is given again for so long: a change is seen, and a new name found, within a minute. */
    searchHeldMs: 10_000,
    searchHeldBytesMax: 16 * 1024 * 1024,
    requestTimeoutMs: 15_000,
    connectionTimeoutMs: 20_000,
    headersTimeoutMs: 8_000,
    /** How often slow requests are looked for. */
    connectionsCheckingIntervalMs: 2000,
    /** A client that reads nothing may look idle, its answer being in the system's buffers: it is gone within 20 s. */
    idleTimeoutMs: 15_000,
    /** Balancers keep connections for a minute, and must be the ones to end them. */
    idleTimeoutBehindProxyMs: 72_000,
    headerBytesMax: 8192,
    bodyBytesMax: 16 * 1024,
    connectionsMax: 10_000,
    /** An office behind one address holds some hundred. */
    connectionsPerNetworkMax: 1000,
    /** Requests of one connection under way at a time. Clients that send along send ten; nothing else needs more. */
    pipelinedMax: 16,
    /** What it sent along beyond that waits, up to this; each is 3 kB. With more it is ended. */
    pipelinedWaitingMax: 64,
    /** A connection that is ended so has cost 10 ms: after so many in a minute its network is kept out for the rest of it. */
    floodsMax: 3,
    floodsPerMs: MINUTE,
    networksMax: 10_000,
    unreadLookEveryMs: 1000,
    /** Node looks for progress now and then: a client that takes nothing is found within twice this. */
    unreadTimeoutMs: 7000,
    /** One that takes a little now and then: the largest answers are a megabyte. */
    unreadForMsMax: 2 * MINUTE,
    /** Of all clients together, where the system's own buffers are full. */
    unreadBytesMax: 64 * 1024 * 1024,
  },
  ops: {
    /** How often a process reports itself, and how long after its last word it counts as alive. */
    reportEveryMs: 5000,
    aliveMs: 20_000,
    forgetMs: 10 * MINUTE,
    processesMax: 500,
    /** Minutes each process keeps at hand while the database is away, and tells at once when it is back. */
    minutesMax: 120,
    minutesAtOnce: 30,
    /** What the overview counts over, and what it draws. */
    recentMinutes: 15,
    historyHours: 12,
    /** Minutes read for one picture: a day of some dozen processes. */
    minuteRowsMax: 50_000,
    /** A change is promised to be served within a minute of its event; a paid key within one as well. */
    feedLagMaxMs: MINUTE,
    undeliveredMaxMs: 10 * MINUTE,
    /** Told within milliseconds; looked for now and again, since what is told may be missed. The promise is 60 s. */
    tuning: { lookEveryMs: 20_000, retryMs: 2000 },
    /** A working day; then the token is asked for again. */
    sessionMs: 10 * HOUR,
    /** Tokens and sessions nobody here knows are looked for together, this often: four look-ups a second, however many are tried. */
    credentialsLookMs: 250,
    /** Wrong tokens from one network in a while, before they are told off and no longer logged. */
    wrongTokensMax: 10,
    wrongTokensPerMs: MINUTE,
    networksMax: 10_000,
    feedEventsKept: 20_000,
    /** What a process that ends by an error gives PostgreSQL to hear of it, before it writes it down for the next. */
    endKeptWithinMs: 1500,
    /** Of what others wrote down so. */
    endsWaitingMax: 100,
    /** For so long an end by an error is something that is wrong; after it it is still shown. */
    endIsWrongForMs: HOUR,
    /** Jobs that were given up in the minutes that are shown; some always are, of a register that was away for a moment. */
    jobsGivenUpMax: 20,
    /** Stories of requests are handed over this often, so many of each kind: faults, answers and refusals. */
    stories: { everyMs: 5000, eachMax: 100 },
    /** A process whose clock differs from PostgreSQL's by more is told of; a measurement takes less than this to be one. */
    clockSkewMaxMs: 2000,
    /** How often an open overview is told what is new, and for how long it is held open; then the browser asks anew. */
    liveEveryMs: 5000,
    liveForMs: 10 * MINUTE,
    livesMax: 50,
    bodyBytesMax: 16 * 1024,
  },
  pages: {
    /** Orders, and requests for a new key, from one network in a while: more than an office does, and a person mistypes. */
    attemptsMax: 30,
    attemptsPerMs: 10 * MINUTE,
    /** Networks that are remembered; beyond it the one that was quiet for longest is forgotten. */
    networksMax: 10_000,
    /** An address, a token and a box: a form is half a kB. */
    formBytesMax: 4096,
  },
  tracing: {
    /** What waits to be sent is bounded; beyond it steps are dropped. A cold record is twenty. */
    queueMax: 2048,
    batchMax: 512,
    sendEveryMs: 2000,
    sendWithinMs: 3000,
  },
  fronts: {
    /** A front that ended is started again after this, twice as late each time it does not come to settle. */
    retryMs: 250,
    retryMsMax: 10_000,
    settledMs: 10_000,
    /** So many times in a row, and none is up: something is wrong that starting does not mend. All end, and the machine's own keeper is told. */
    failuresMax: 10,
    /** Longer than a front itself takes to end (`shutdown.graceMs`). */
    endWithinMs: 13_000,
  },
  startup: {
    /** How long a database that does not answer is waited for in one go, and how soon it is asked again. */
    connectTimeoutMs: 2000,
    retryMs: 500,
  },
  readiness: {
    /** However often it is asked for, what it depends on is asked once in this time. */
    holdForMs: 1000,
    /** Sooner than whoever asks gives up (3 s in config/kubernetes). */
    deadlineMs: 1500,
  },
  shutdown: {
    graceMs: 10_000,
    /**
     * Of these, how long the front still takes requests: a balancer sees that it is no longer ready, and a client that keeps
     * its connection is told with its next answer to make another. A connection closed without a word loses what is on its way.
     */
    drainMs: 2000,
  },
} as const

export type Policy = typeof policy

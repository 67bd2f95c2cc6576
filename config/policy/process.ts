import { HOUR_MS, MINUTE_MS } from '#src/core/units.ts'
import { received, receivedByMany } from './received.ts'

/** The processes: their doors, their queue, how they start, are seen and end. */
export const processPolicy = {
  database: {
    /** Connections of a process, and of one who asks: a key, or a network without one. */
    poolMax: 10,
    forOneMax: 6,
  },
  queue: {
    /** For one round trip to the queue's server. */
    deadlineMs: 2000,
    retryMs: 500,
    retryMsMax: 15_000,
    /** How often it is looked for what a clock that was ahead has put off. */
    bringBackEveryMs: 15_000,
    /** A queue that failed is said to work again when it does and no error has come for so long. */
    quietMs: 5000,
    /** A worker that is silent for so long is taken for dead, and its jobs are done again within twice this. */
    lockMs: 10_000,
    /** Jobs in progress get this long after a shutdown begins; then they are told to stop, and run again later. */
    finishMs: 3000,
    /** All told, also when the queue's server does not answer. */
    closeMs: 5000,
  },
  http: {
    /** An answer to a search is given again for so long: a change is seen, and a new name found, within a minute. */
    searchHeldMs: 10_000,
    searchHeldBytesMax: 16 * 1024 * 1024,
    /**
     * What all that is answered otherwise than as it lies in memory may take of one turn of the event loop. To find the way and to write
     * the answer takes 0.3 ms, a page or a table some milliseconds.
     */
    loopTurnMs: 5,
    requestTimeoutMs: 15_000,
    /** Somewhat less than the twenty seconds in which a silent client is gone, and more than anybody waits for a turn (`readings`). */
    connectionTimeoutMs: 19_000,
    headersTimeoutMs: 8_000,
    /** How often slow requests are looked for. */
    connectionsCheckingIntervalMs: 2000,
    /**
     * A client that reads nothing may look idle, its answer being in the system's buffers: it is gone within 20 s. Node adds a
     * second, and what is the same for who is idle and who is not is not set anew between one request and the next.
     */
    idleTimeoutMs: 18_000,
    /** Balancers keep connections for a minute, and must be the ones to end them. */
    idleTimeoutBehindProxyMs: 72_000,
    headerBytesMax: 8192,
    /** Of the shortest lines there are a thousand in as many bytes, and five times as many once they are taken apart. */
    headerLinesMax: 100,
    bodyBytesMax: 16 * 1024,
    /**
     * Who connects while the process is at something else waits for it in the system's own line; beyond its end a connection is dropped
     * unheard, and tried again after one, three and seven seconds. Node asks for 511, Linux gives no more than `net.core.somaxconn`: 4096.
     */
    newcomersMax: 4096,
    connectionsMax: 10_000,
    /** An office behind one address holds some hundred. */
    connectionsPerNetworkMax: 1000,
    /** With more than this open, those that ask nothing give way: bare node:http takes 12 kB for each. */
    connectionsAtEaseMax: 2000,
    /** Up to twice as many, those that asked something so lately. */
    atEaseLeftMs: 1000,
    /** Requests of one connection under way at a time. Clients that send along send ten; nothing else needs more. */
    pipelinedMax: 16,
    /** Of all connections together, beside the first of each: some 20 kB each, and of what waits for its turn more. */
    pipelinedSumMax: 1000,
    /** What it sent along beyond that waits, up to this; each is 3 kB. With more it is ended. */
    pipelinedWaitingMax: 64,
    /** Of all connections together. Whoever adds another is ended: hardly anybody sends along anything. */
    pipelinedWaitingSumMax: 4000,
    /** Lines of the heads of those; what is sent along with one may have a hundred more behind it. Nobody sends along what is no question. */
    pipelinedLinesMax: 1500,
    linesOfBody: 150,
    /**
     * What clients hold of the process with requests that are not whole, or not read yet, and with connections that have asked nothing,
     * all together: bodies of 16 kB of three hundred and fifty clients who are all slow. A connection, and a request that has begun, take so much
     * for themselves (8.8 kB were measured). For so long who has begun is left to it, before others where it is the only one of its
     * network and holds no more than a short body and what is read with it; and so often it is looked for what Node tells nobody of.
     */
    unfinishedBytesMax: 8 * 1024 * 1024,
    unfinishedEachBytes: 8 * 1024,
    unfinishedLeftMs: 1000,
    unfinishedLeftBytes: 96 * 1024,
    unfinishedLookEveryMs: 250,
    /** Of all lists that are being received, at whichever address: a dozen of the longest at a time. Of whoever has no key, half of it. */
    receivedBytesMax: 24 * 1024 * 1024,
    receivedOfStrangersBytesMax: 12 * 1024 * 1024,
    receivedHeldMs: received.heldMs,
    /**
     * Pieces of a body that are smaller than this take Node 5 µs each. Who sends more of them in one go than a list of 500 numbers
     * has that is written number by number is read again in turn; after each there is a rest, of ten times what it took. There may be
     * eleven thousand in the 64 kB of a go, and as many goes at a time as there are networks: when all together have sent that many in
     * one turn of the event loop, who has sent half as many again as are free is ended there and then, and the sooner the more there
     * were. Who writes a long list line by line, alone, is read.
     */
    pieceBytes: 256,
    piecesFreeMax: 1000,
    piecesMax: 1500,
    piecesATurnMax: 11_000,
    pieceRestMs: 0.05,
    /**
     * In a while, by so many, but for what is read in turn: of one network as many as twenty-five goes have. A piece is a microsecond: it is
     * a fortieth of the process, and a tenth what all may send before each is left little more than one go. Who sends fewer on each of
     * many connections is not counted, and costs little more for them than for a connection.
     */
    piecesCounted: 100,
    piecesAWhile: { ofOneMax: 2750, ofAllMax: 10_000, left: 130 },
    aWhileMs: 10_000,
    /** Of what is sent along, of some 20 µs each, the first on each connection: eighty clients that send along all they may. */
    pipelinedAWhile: { ofOneMax: 5000, ofAllMax: 50_000, left: 200 },
    /** Of a body nobody reads, when it has been answered: as much as the longest list, so that who sent it without a key reads why. */
    unwantedBytesMax: 2 * 1024 * 1024,
    /** A connection that is ended so has cost a millisecond and more: after so many in a minute its network is read in turns. */
    floodsMax: 3,
    floodsPerMs: MINUTE_MS,
    /**
     * So often so many of either, those that were answered and those that were not: more a second than a process takes on while nobody
     * floods. When what was read of them took so long, the others wait for the next turn, and after each none is read for so many times
     * as long as it took: a sixth of the process at most, whatever it is. A flood takes 0.3 to 1.3 ms; after one the rest is no shorter
     * than this.
     */
    gateEveryMs: 5,
    gateAtOnceMax: 64,
    gateTurnMs: 2,
    gateRestTimes: 5,
    gateRestMs: 2,
    /** Of such a network, that were never answered: as many as connect in some rests. Each may be a flood: the last has its turn within three seconds. */
    gateUnprovenMax: 200,
    /**
     * More who connect within that are taken first and read in turns: to take one is a tenth of a millisecond, to read and answer it 0.2 to
     * 3. While others come they are taken, six hundred or so at most, and then for as long those are read who were; in pieces of no less
     * than some milliseconds, so that it pays. Where it is something else that fills a turn, such as the answers of registers to one key's
     * searches, as many are read all the same as take less of it than that does: one a turn would be forty a second. A turn that is longer
     * still may be theirs, since not all they cost is seen. Each that waits holds 9 kB, of which nothing is counted before it is read;
     * beyond so many the network of which most wait gives up its oldest. Left in the system's line, where all are one, those who connect
     * faster than they are read kept everybody else waiting for four to nine seconds.
     */
    crowdMs: 100,
    crowdOf: 8,
    firstReadsATurnMax: 16,
    firstReadsTurnMs: 1,
    firstReadsBusyTurnMs: 25,
    firstReadsBusyATurnMax: 8,
    firstReadsRestMs: 5,
    firstReadsRestMsMax: 50,
    firstReadsWaitingMax: 2000,
    networksMax: 10_000,
    unreadLookEveryMs: 1000,
    /** Node looks for progress now and then: a client that takes nothing is found within twice this. */
    unreadTimeoutMs: 7000,
    /** One that takes a little now and then: the largest answers are a megabyte. */
    unreadForMsMax: 2 * MINUTE_MS,
    /** Of all clients together, where the system's own buffers are full. */
    unreadBytesMax: 64 * 1024 * 1024,
    /** Ended by us, and not by its client, of whom nothing comes any more; and at most, of who goes on sending what nobody reads. */
    endedQuietMs: 3000,
    endedForMsMax: 10_000,
    /** When it closes: what was on its way to a new connection is there by then, */
    closeUnusedMs: 500,
    /** who has sent half a request comes to the end of it no more, */
    closeUnfinishedMs: 2000,
    /** and who is answered has read it; */
    closeUnreadMs: 4000,
    /** who is not by now waits in some line. What else is to be closed has the rest of `shutdown.graceMs`. */
    closeUnansweredMs: 5000,
  },
  ops: {
    /** How often a process reports itself, and how long after its last word it counts as alive. */
    reportEveryMs: 5000,
    aliveMs: 20_000,
    /** Whoever scrapes waits ten seconds for all there is (Prometheus), and takes who is later for dead. */
    lookWithinMs: 2000,
    forgetMs: 10 * MINUTE_MS,
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
    feedLagMaxMs: MINUTE_MS,
    undeliveredMaxMs: 10 * MINUTE_MS,
    untakenMaxMs: 2 * MINUTE_MS,
    /** A server that asks for another try is given some. */
    mailUntakenMaxMs: 30 * MINUTE_MS,
    /** What still waits is tried every other hour. The alert looks as far back. */
    mailUntriedMaxMs: 3 * HOUR_MS,
    /** Told within milliseconds; looked for now and again, since what is told may be missed. The promise is 60 s. */
    tuning: { lookEveryMs: 20_000, retryMs: 2000 },
    /** A working day; then the token is asked for again. */
    sessionMs: 10 * HOUR_MS,
    /** Tokens and sessions nobody here knows are looked for together, this often: four look-ups a second, however many are tried. */
    credentialsLookMs: 250,
    /** Wrong tokens from one network in a while, before they are told off and no longer logged. */
    wrongTokensMax: 10,
    wrongTokensPerMs: MINUTE_MS,
    networksMax: 10_000,
    feedEventsKept: 20_000,
    /** What a process that ends by an error gives PostgreSQL to hear of it, before it writes it down for the next. */
    endKeptWithinMs: 1500,
    /** Of what others wrote down so. */
    endsWaitingMax: 100,
    /** For so long an end by an error is something that is wrong; after it it is still shown. */
    endIsWrongForMs: HOUR_MS,
    /** Jobs that were given up in the minutes that are shown; some always are, of a register that was away for a moment. */
    jobsGivenUpMax: 20,
    /** Stories of requests are handed over this often, so many of each kind: faults, answers and refusals. */
    stories: { everyMs: 5000, eachMax: 100 },
    /** How often what the sources answered is handed over and read again: as much is lost of a process that is killed. Of a
     database that is away so many quarters of a source are kept at hand, a week's. */
    sourceHistory: { everyMs: 30_000, quartersMax: 8000 },
    /** A process whose clock differs from PostgreSQL's by more is told of; a measurement takes less than this to be one. */
    clockSkewMaxMs: 2000,
    /** One of the two is broken when they differ by more: what is sold is not dated by either. Less than anything is cancelled after. */
    clockBrokenMs: 12 * HOUR_MS,
    /** One that was set by more is to have gone on for so long before anything is removed for good by it. */
    clockStoodMs: 20 * HOUR_MS,
    /** How often it is looked for what one that was ahead has put off. */
    bringBackEveryMs: MINUTE_MS / 2,
    /** How often an open overview is told what is new, and for how long it is held open; then the browser asks anew. */
    liveEveryMs: 5000,
    liveForMs: 10 * MINUTE_MS,
    livesMax: 50,
    /** What is asked of the queue from its board; all of a lane is changed in less. */
    boardWaitsMs: 5000,
    bodyBytesMax: 16 * 1024,
  },
  pages: {
    /** Orders, and requests for a new key, from one network in a while: more than an office does, and a person mistypes. */
    attemptsMax: 30,
    attemptsPerMs: 10 * MINUTE_MS,
    /** Networks that are remembered; beyond it the one that was quiet for longest is forgotten. */
    networksMax: 10_000,
    /** Look-ups of invented companies by whoever has no key: a person types ten letters for each, and a class tries it at once. */
    strangers: { attemptsMax: 600, attemptsPerMs: 10 * MINUTE_MS, networksMax: 10_000 },
    /** A list of one's own: so many lines, of names as long as there are, and what was chosen of each. */
    listLinesMax: 500,
    listBytesMax: 512 * 1024,
    /** Lists that are being received, of a network's visitors as many as an office sends at once. */
    listsReceived: { ...receivedByMany, forOneMax: 8 },
    /** Lists that are looked up, of one who asks as many as two windows send; and of all of them so many lines at once, one of each. */
    listsAtOnce: { atOnce: 16, atOnceForOne: 2, waitingMax: 50 },
    listWaitMs: 10_000,
    listLinesAtOnce: 2,
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
    /** A front says so often that it lives. One of which nothing was heard for so many times as long hangs, and is ended. */
    livesEveryMs: 1000,
    unheardMax: 20,
    /** Until it says so first. A start that takes a second takes half a minute on a machine that is busy with others. */
    unheardAtFirstMax: 120,
    /** Longer than a front itself takes to end (`shutdown.graceMs`). */
    endWithinMs: 13_000,
  },
  startup: {
    /** How long a database that does not answer is waited for in one go, and how soon it is asked again. */
    connectTimeoutMs: 2000,
    retryMs: 500,
    /** What takes longer than this is said meanwhile: before the first probe that counts (config/kubernetes). */
    quickMs: 2000,
  },
  readiness: {
    /** However often it is asked for, what it depends on is asked once in this time. */
    holdForMs: 1000,
    /** Sooner than whoever asks gives up (3 s in config/kubernetes). */
    deadlineMs: 1500,
  },
  shutdown: {
    graceMs: 10_000,
    /** Of these, how long all is closed; the rest is for the log's last lines. */
    closeMs: 8500,
    /**
     * Of these, how long the front still takes requests: a balancer sees that it is no longer ready, and a client that keeps
     * its connection is told with its next answer to make another. A connection closed without a word loses what is on its way.
     */
    drainMs: 2000,
  },
} as const

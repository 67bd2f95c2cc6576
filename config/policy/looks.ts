import { DAY_MS, HOUR_MS, MINUTE_MS } from '#src/core/units.ts'

/** What changed, who is told, and how a watched company is kept fresh. */
export const looksPolicy = {
  looks: {
    /** Beside each fetch it is asked whether somebody watches. What has not answered by then is looked at again later. */
    askMs: 500,
    /** For writing a change before it becomes visible. */
    writeMs: 3000,
    /**
     * So many at once: together with accounts that are kept (`accountsArchive.keepsAtOnce`) fewer than one may have (`database.forOneMax`), so
     * that what is read for all (`core/asker.ts`) finds a place beside them. Who has more fetched than can be written
     * waits no longer for a turn, and it is written later.
     */
    writesAtOnce: 3,
    turnMs: 500,
    /** Once PostgreSQL did not answer, nobody asks it for so long: fills go on without it. */
    awayMs: 2000,
    questionsAtOnce: 2,
    placesPerQuestion: 200,
    /** Looks that could not be written are tried again, as they were seen for so long, and after that by looking anew. */
    retryEveryMs: 2000,
    asSeenMs: 4 * MINUTE_MS,
    /** It is told that nothing is written when it has been so for so long; it is over when nothing was tried for so long either. */
    untakenToldMs: MINUTE_MS,
    untakenKeptMs: 2 * MINUTE_MS,
    /** Looks kept in memory until PostgreSQL is back (some kilobytes each), and of those beyond that the names alone. */
    looksMax: 1000,
    namesMax: 50_000,
    /** What was seen so little later than this look was fetched was seen by another: this one is older, and is left. */
    overlapMs: 10 * MINUTE_MS,
    overlapAgainMs: MINUTE_MS,
    /** How exactly it is remembered when a company was last seen to be as it was: a write for each look otherwise. */
    seenEveryMs: 10 * MINUTE_MS,
    /** Of a company nobody watches: so long two processes may see the same change. */
    unwatchedKeptMs: 2 * DAY_MS,
    /** What is longer is not followed: the largest lists of sub-units and of roles in others. */
    factsBytesMax: 512 * 1024,
  },
  lookWork: {
    /**
     * What is watched and not told by a feed is looked at so often, and the rest as well in case a word of it was lost.
     */
    everyMs: {
      enhet: DAY_MS,
      underenhet: DAY_MS,
      roller: DAY_MS,
      signatur: 7 * DAY_MS,
      prokura: 7 * DAY_MS,
      regnskap: DAY_MS,
      kunngjoringer: DAY_MS,
      konsern: 7 * DAY_MS,
      underenheter: 7 * DAY_MS,
      aksjonaerer: DAY_MS,
    },
    /** How late an invented company's change may be in the log. They change by the clock. */
    inventedEveryMs: 5000,
    lookEveryMs: 2000,
    /**
     * Companies in each line, each time: three a second are five calls each to Enhetsregisteret where they are new, and 259,200 a
     * day. Of announcements one may be asked for a second: 86,400 a day, in a line of their own.
     */
    companiesAtOnce: { neste_at: 6, sene_at: 2 },
    slow: ['kunngjoringer'],
    /** What was not seen when it was asked for is asked for again. */
    slowAgainMs: HOUR_MS,
    /** Whoever watches is told that a look is late when it is by so much. */
    lateAfterMs: HOUR_MS,
    /** A company that comes up just before its time is looked at then, and not once more in the same half of a day. */
    soonestMs: 6 * HOUR_MS,
    /** What a register told of and nobody has looked after by then is asked for again: a batch takes minutes to be gone through. */
    unansweredAfterMs: 5 * MINUTE_MS,
    unansweredEveryMs: 20_000,
    unansweredAtOnce: 500,
    /** Where the first look saw nothing at all. */
    firstAgainMs: 10 * MINUTE_MS,
    /** Lines of the log, for as long as a customer may have been away, and a year of history. */
    keptMs: 400 * DAY_MS,
    /** An event of the register that brought nothing. */
    eventsKeptMs: 7 * DAY_MS,
    tidyEveryMs: HOUR_MS,
    tidyAtOnce: 5000,
  },
} as const

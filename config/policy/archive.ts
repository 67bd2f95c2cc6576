import { MINUTE_MS } from '#src/core/units.ts'

/** What we hold ourselves, of shareholders and accounts, and what is erased. */
export const archivePolicy = {
  erasure: {
    atOnce: 4,
    /** How often PostgreSQL is asked for erasures that are not done, whatever became of their jobs. */
    sweepMs: 30_000,
    /** How often the queue's Redis is made to write its log anew, when companies were erased. */
    logEveryMs: 5 * MINUTE_MS,
    pageSize: 100,
    /** Of these so many side by side: what takes long is done for all of them at once. */
    sweptAtOnce: 8,
    /** For one place to erase one company. Each step of it has a bound of its own; all that Redis holds is gone through for it. */
    deadlineMs: 10 * MINUTE_MS,
    /** For the copies of those PostgreSQL takes no removal of just now; then it is asked again. */
    unburiedMs: 10_000,
  },
  shareholders: {
    /** How often a process looks which years there are; whoever reads a year finds out at once if it was replaced. */
    lookEveryMs: 2000,
    /** Companies looked up in each direction for the record; its own address goes on to the bound of `eierskap`. */
    recordCompaniesMax: 100,
    /** How often replaced deliveries are looked for. They take up to 250 MB each, and nothing else. */
    dropEveryMs: MINUTE_MS,
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
    /** What is to be kept is written so much later: whoever waits for the record has it by then. */
    keepAfterMs: 25,
    /**
     * So many writes at once: a burial, or an index that is put in its place, holds them up for seconds, and what the archive has is read in
     * the places that looks leave as well. What has no turn in time is kept at the next fetch, and so is what has none soon
     * after a process was told to end.
     */
    keepsAtOnce: 2,
    keepsWaitingMax: 500,
    keepsWaitMs: 4000,
    keepsLastMs: 500,
    logEveryMs: 30_000,
  },
} as const

import { DAY_MS, HOUR_MS, MINUTE_MS } from '#src/core/units.ts'

/** Companies found by name. */
export const searchPolicy = {
  search: {
    /** Hits asked of the register in each way of asking, so that ranking has something to choose from. */
    candidatesMax: 100,
    /** For all steps of one search in the index. What likeness takes is measured far below; then the answer says it was cut. */
    limitMs: 400,
    /** A process's own connections for it: a search that takes long holds up no key. */
    connectionsMax: 6,
    /** Of one who asks: another that comes finds one free, and waits for none of theirs. */
    connectionsForOneMax: 5,
    /** Without an index, of one who asks: each asks the register two ways at a time, and in some others after it, within one deadline. */
    atRegisterForOneMax: 8,
    /** In all: as many as have their first two questions asked of it at once (`guard.frontInFlightMax`). */
    atRegisterMax: 16,
    /** Searches that wait for their turn, and for how long: as look-ups do (`readings`). */
    waitingMax: 2000,
    waitMs: 14_000,
    /** How often a process looks whether there is an index, and how far the feeds have come. */
    lookEveryMs: 5000,
  },
  searchIndex: {
    /** The register makes its files about five in the morning; whether there are new ones is one HEAD request each. */
    lookEveryMs: 10 * MINUTE_MS,
    /** After a look that failed: soon, since there may be no index yet, and then less and less often. */
    retryMs: 1000,
    retryMsMax: 5 * MINUTE_MS,
    /**
     * A build that has not moved for so long is gone on with, though the queue may have lost it. Its last steps take longer, and are asked
     * for once more at most. One that was told to have failed waits longer than the queue does before each of its tries: each reads
     * the register's files again, whatever it is that fails.
     */
    leftAfterMs: MINUTE_MS,
    failedAfterMs: 5 * MINUTE_MS,
    /** Units written in one transaction, and read again by whoever goes on after a kill. */
    batchUnits: 1000,
    /** The files are made in the night and may be a day old: changes from two days before them on are looked at again. */
    filesOlderMs: 2 * DAY_MS,
    unreadableShareMax: 0.01,
    /** The units' file is 200 MB packed and over a gigabyte unpacked (2026-08). */
    fileBytesMax: 1024 * 1024 * 1024,
    unpackedBytesMax: 8 * 1024 * 1024 * 1024,
    silenceMs: 60_000,
    buildDeadlineMs: 3 * HOUR_MS,
    /** How often changed units that wait are looked for, and how many are read at a time: a new name is found in a minute. */
    changesEveryMs: 2000,
    changesAtOnce: 100,
    changesDeadlineMs: 20_000,
  },
} as const

import type { Log } from '#src/core/log.ts'
import type { Database } from '#src/storage/database.ts'
import { eraseAgainAfter, erasedUpTo } from '#src/storage/tombstones.ts'
import type { CopyNotes } from './marked-copies.ts'

/** By this name erasures note that the cache has forgotten a company. */
export const COPIES_PLACE = 'mellomlager'

const NOTE = 'fjernet'

/**
 * Erasures, and those once more that the copies processes share may not have heard of: a Redis that starts from what it had on disk, or
 * a replica in its place, has again whom it was told to forget, for as long as copies are kept. How far erasures had come lies noted
 * beside the copies, and goes back with them. What was erased since the last note is erased twice: nobody can tell it from what came back.
 *
 * @param sweep erases what is not done
 */
export function createCopiesSweep(
  work: { database: Database; notes: CopyNotes; log: Log },
  sweep: (signal: AbortSignal) => Promise<void>,
): (signal: AbortSignal) => Promise<void> {
  const { database, notes, log } = work
  let known = 0

  return async (signal) => {
    const said = await notes.read(NOTE)
    const noted = said === null ? null : numberIn(said)
    if (noted !== null) {
      const count = await eraseAgainAfter(database, COPIES_PLACE, noted)
      if (noted < known && count > 0)
        log.warn({ count }, 'the shared copies have gone back: who was erased since is erased again')
    }
    try {
      await sweep(signal)
    } finally {
      // Whatever keeps another place from being done. Copies that went back meanwhile say so the next time.
      if ((await notes.read(NOTE)) === said) {
        known = await erasedUpTo(database, COPIES_PLACE)
        // Where it could not be asked there may be one, which says less.
        await notes.write(NOTE, String(known), { onlyFirst: said === null })
      }
    }
  }
}

function numberIn(said: string): number | null {
  return /^\d{1,15}$/.test(said) ? Number(said) : null
}

import { randomUUID } from 'node:crypto'
import type { FeedName } from '#src/ops/feed-report.ts'
import type { FeedPosition } from '#src/storage/feed-position.ts'

/** A few words beside the copies that processes share. Null: there are none, or they can not be asked. */
export type CopyNotes = {
  read: (name: string) => Promise<string | null>
  write: (name: string, note: string, how: { onlyFirst: boolean }) => Promise<void>
}

/**
 * How far a feed's marks have come in the copies that processes share, noted beside them. Copies that say less than they did are from
 * before, or of a server that had not heard of the last: what was marked stale since lies there as if it were fresh. So does what could
 * not be marked there when it was told.
 *
 * @param tryEveryMs copies that take notes and no marks are not gone through more often
 */
export function createMarkedCopies(feed: FeedName, notes: CopyNotes, { tryEveryMs }: { tryEveryMs: number }) {
  const name = `feed-${feed}`
  /** What was noted there last; what says less, and is not this, was noted before. */
  let seen: string | null = null
  /** What they said when they were last asked. */
  let said: string | null = null
  /** Nothing after it is known to be marked. */
  let leftOutAfter: FeedPosition | null = null
  let triedAtMs = Number.NEGATIVE_INFINITY

  async function doTheyTakeNotes(): Promise<boolean> {
    const own = randomUUID()
    await notes.write(`${name}-tar-imot`, own, { onlyFirst: false })
    return (await notes.read(`${name}-tar-imot`)) === own
  }

  return {
    /** What was told after this position could not be marked. */
    leftOut(position: FeedPosition): void {
      leftOutAfter ??= position
    },

    /** Something was left out, and is still to be marked. */
    areBehind: (): boolean => leftOutAfter !== null,

    /**
     * @param position all up to it has been marked, or left out
     * @returns where the marks end, when the copies have gone back or take again what was left out, until `isGoneThrough` from there;
     *   else null
     */
    async markedOnlyTo(position: FeedPosition): Promise<FeedPosition | null> {
      said = await notes.read(name)
      const noted = said === null ? null : noteIn(said)
      if (leftOutAfter !== null) {
        if (performance.now() - triedAtMs < tryEveryMs || !(await doTheyTakeNotes())) return null
        return noted !== null && isBefore(noted, leftOutAfter) ? noted : leftOutAfter
      }
      if (noted !== null && said !== seen && isBefore(noted, position)) return noted
      const note = `${position.at.getTime()} ${position.id}`
      if (said === note) seen = note
      else if (position.id !== null) {
        // Where it could not be asked there may be one, which says less.
        await notes.write(name, note, { onlyFirst: said === null })
        // One that takes nothing new says what it said: it has not gone back.
        seen = (await notes.read(name)) === said ? said : note
      }
      return null
    },

    /** It is gone through from there, and PostgreSQL keeps that for whoever follows next: what is left out anew is told anew. */
    isGoneThrough(): void {
      if (leftOutAfter !== null) triedAtMs = performance.now()
      leftOutAfter = null
      seen = said
    },
  }
}

function noteIn(said: string): FeedPosition | null {
  const [, at, id] = /^(\d{1,15}) (\S{1,40})$/.exec(said) ?? []
  return at === undefined || id === undefined ? null : { id, at: new Date(Number(at)) }
}

function isBefore(one: FeedPosition, other: FeedPosition): boolean {
  return one.id !== other.id && one.at <= other.at
}

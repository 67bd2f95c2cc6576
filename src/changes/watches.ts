import type { Clock } from '#src/core/clock.ts'
import { createLru } from '#src/core/lru.ts'
import { LIVING } from '#src/samples/living.ts'
import { countDue, readCoverage } from '#src/storage/changes/coverage.ts'
import { ownerAddress, ownerOfKey } from '#src/storage/changes/owner.ts'
import {
  countWatches,
  deleteWatches,
  findWatch,
  listWatches,
  type NewWatch,
  putWatches,
  type Watch,
} from '#src/storage/changes/watches.ts'
import type { Database } from '#src/storage/database.ts'
import { type CoveredSource, coverageOf, lookMs, waitMs } from './coverage.ts'
import { createGivenTurns } from './given-turns.ts'
import type { Watcher } from './waiting.ts'

export type Watched = Pick<Watch, 'orgnr' | 'navn' | 'typer' | 'epost' | 'opprettet'>

/** What became of a list: of each company whether it is new, or null where it was removed on legal grounds. */
export type WatchesPut =
  | { stored: ReadonlyMap<string, { isNew: boolean } | null> }
  | { full: { count: number } }

export type Watches = ReturnType<typeof createWatches>

/**
 * Who watches which companies, one chain of keys at a time: what is watched outlives a replaced key, and the next year bought goes
 * on with it (P122).
 *
 * Nothing of everybody's test key is stored: it watches the living companies, and is answered as if it could do more.
 */
export function createWatches({
  db,
  isErased,
  clock,
  policy,
}: {
  db: Database
  /** Known here at once; where the watches are, when it has been buried there. */
  isErased: (orgnr: string) => boolean
  clock: Clock
  policy: Record<
    'most' | 'mostOfTestKey' | 'ofTestsMax' | 'ownersHeldMax' | 'firstAgainMs' | 'unwatchedKeptMs',
    number
  > &
    Parameters<typeof coverageOf>[2]
}) {
  /** A key's chain never changes, and neither does what was renewed by it. */
  const owners = createLru<string, string>(policy.ownersHeldMax)
  const looksMs = { neste_at: lookMs('neste_at', policy), sene_at: lookMs('sene_at', policy) }
  const given = createGivenTurns({ lookMs: looksMs, ownersMax: policy.ownersHeldMax })

  return {
    /** Of watches that were read some time ago those that may be told still. */
    tellable<W extends Pick<Watched, 'orgnr'>>(all: readonly W[]): W[] {
      return all.filter(({ orgnr }) => !isErased(orgnr))
    },

    /** Whose the watches of a live key are. */
    async ownerOf(keyId: string): Promise<Watcher> {
      const known = owners.get(keyId) ?? (await ownerOfKey(db, keyId))
      if (known === null) throw new Error('a key that was let in is not there')
      owners.set(keyId, known)
      return { eier: known, prove: false, nokkel: keyId }
    },

    /** @throws KeyOverError as `remove` */
    async put({ eier, prove, nokkel }: Watcher, wishes: readonly NewWatch[]): Promise<WatchesPut> {
      if (eier === null) return { stored: new Map(wishes.map(({ orgnr }) => [orgnr, { isNew: false }])) }
      const put = await putWatches(db, { eier, prove }, wishes, {
        max: prove ? policy.mostOfTestKey : policy.most,
        ofTestsMax: policy.ofTestsMax,
        at: clock.now(),
        by: nokkel,
        lookMs: looksMs,
        given: () => given.of(eier),
      })
      if ('full' in put) return { full: { count: await countWatches(db, eier) } }
      return { stored: new Map(wishes.map(({ orgnr }) => [orgnr, put.stored.get(orgnr) ?? null])) }
    },

    /**
     * @returns those that were watched
     * @throws KeyOverError when the key it is asked with has ended, whether this process has heard of it or not
     */
    async remove({ eier, nokkel }: Watcher, orgnrs: readonly string[]): Promise<ReadonlySet<string>> {
      if (eier === null) return new Set(orgnrs)
      return db.transaction(async (connection) => {
        const inMs = (ms: number) => new Date(clock.now().getTime() + ms)
        return deleteWatches(connection, eier, orgnrs, {
          soon: inMs(policy.firstAgainMs),
          keptUntil: inMs(policy.unwatchedKeptMs),
          by: nokkel,
          onGiven: (turns) => given.add(eier, turns),
        })
      })
    },

    async find({ eier }: Watcher, orgnr: string): Promise<Watched | null> {
      if (eier === null) return asIf(orgnr)
      const watch = await findWatch(db, eier, orgnr)
      return isErased(orgnr) ? null : watch
    },

    /** From when each source of a company is watched, and when what was not seen yet is likely to be. */
    async coverage({ prove }: Watcher, { orgnr, opprettet }: Watched): Promise<CoveredSource[]> {
      const now = clock.now()
      const known = await readCoverage(db, { orgnr, prove }, now)
      return coverageOf(known, { since: opprettet, now }, policy)
    },

    /** When all that stand in line have been looked at; null: nobody does. */
    async lookedAtBy({ prove }: Watcher): Promise<Date | null> {
      const now = clock.now()
      const due = await countDue(db, now)
      if (prove || due.neste_at + due.sene_at === 0) return null
      const waits = (['neste_at', 'sene_at'] as const).map((line) => waitMs(due[line], line, policy))
      return new Date(now.getTime() + Math.max(...waits))
    },

    /** By number, after one of them, to be told as far as they are `tellable` then. `count`: how many there are in all. */
    async list(
      { eier }: Watcher,
      { after, size }: { after: string | null; size: number },
    ): Promise<{ watches: readonly Watched[]; count: number; hasMore: boolean }> {
      if (eier === null) {
        const all = Object.values(LIVING)
        const rest = all.filter((orgnr) => after === null || orgnr > after)
        return { watches: rest.slice(0, size).map(asIf), count: all.length, hasMore: rest.length > size }
      }
      const found = await listWatches(db, eier, { after, limit: size + 1 })
      return {
        watches: found.slice(0, size),
        count: await countWatches(db, eier),
        hasMore: found.length > size,
      }
    },

    /** Whether there is anybody to mail: the address the chain's newest key went to. */
    async canBeMailed({ eier, prove }: Watcher): Promise<boolean> {
      return eier !== null && !prove && (await ownerAddress(db, eier, clock.now())) !== null
    },
  }

  function asIf(orgnr: string): Watched {
    return { orgnr, navn: null, typer: null, epost: null, opprettet: clock.now() }
  }
}

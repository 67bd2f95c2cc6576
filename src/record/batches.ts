import { createHash } from 'node:crypto'
import type { Clock } from '#src/core/clock.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import {
  type Batch,
  type BatchLine,
  deleteBatch,
  eraseFromPart,
  findBatch,
  insertBatch,
  nextOfRight,
  notePartDone,
  putPartOff,
  type RightWithWork,
  readBatchPart,
  removeOldBatches,
  rightsWithWork,
} from '#src/storage/batches.ts'
import type { Database } from '#src/storage/database.ts'
import { fields as allFields, type Field } from './fields.ts'
import type { ManyReader } from './many.ts'

/**
 * Lists that keys hand in, up to 100,000 numbers each (P109). A list is gone through a part at a time, the key's oldest first,
 * and the keys of one purchase in turn. What is found is kept where everything is, in the cache: the result is read from there when
 * somebody takes it home.
 *
 * Nothing but the list and how far it has come is stored. A part is done when it is noted; one that was cut off is gone through
 * again, and whoever is in the cache by then costs no call.
 */
export type Batches = ReturnType<typeof createBatches>

type Bounds = { ofKey: number; inAll: number }

/** What a key's holder does with lists. */
export function createBatches({
  db,
  ring,
  clock,
  keptMs,
}: {
  db: Database
  /** There is something to do for this right: a wish, which may be lost. */
  ring: (whose: RightWithWork) => void
  clock: Clock
  keptMs: number
}) {
  return {
    /**
     * Takes a list on, once for each `name` of a key.
     *
     * @returns `other`: there is one under this name already, of something else
     */
    async place(
      wish: {
        nokkel: string
        /** What the key is held by. */
        right: string
        /** Of invented companies. */
        prove: boolean
        name: string
        fields: readonly Field[] | null
        dubletter: number
        lines: readonly BatchLine[]
      },
      bounds: Bounds,
    ): Promise<{ batch: Batch } | { full: 'key' | 'all' } | 'other'> {
      const { nokkel, right, prove, name, fields, dubletter, lines } = wish
      const mottatt = clock.now()
      const placed = await insertBatch(
        db,
        {
          nokkel,
          right,
          prove,
          idempotens: createHash('sha256').update(name).digest(),
          innhold: fingerprint(lines, fields),
          felt: fields,
          dubletter,
          lines,
          mottatt,
          slettes: new Date(mottatt.getTime() + keptMs),
        },
        bounds,
      )
      if ('full' in placed) return placed
      if (!placed.sameContent) return 'other'
      if (placed.batch.ferdig === null) ring({ rett: right, prove })
      return { batch: placed.batch }
    },

    find: (nokkel: string, id: string): Promise<Batch | null> => findBatch(db, nokkel, id),

    /** Taken back: nothing is left of it. @returns whether there was one */
    cancel: (nokkel: string, id: string): Promise<boolean> => deleteBatch(db, nokkel, id),

    /** Its lines in their order, from one of them on; it ends early when the list is taken back meanwhile. */
    async *lines(batch: Pick<Batch, 'id' | 'parts'>, from: { part: number }): AsyncGenerator<BatchLine[]> {
      for (let nr = from.part; nr < batch.parts; nr++) {
        const lines = await readBatchPart(db, batch.id, nr)
        if (lines === null) throw new Error('the list was taken back')
        yield lines
      }
    },
  }
}

export type BatchWork = ReturnType<typeof createBatchWork>

async function* eachOf<T>(runs: AsyncGenerator<T[]>): AsyncGenerator<T> {
  for await (const run of runs) yield* run
}

/** What goes on with them behind the front. */
export function createBatchWork({
  db,
  readerFor,
  clock,
  policy,
}: {
  db: Database
  /** Whoever answers the key's holder: the registers, or the sandbox. */
  readerFor: (list: { prove: boolean }) => Pick<ManyReader, 'read'>
  clock: Clock
  policy: { rightsAtOnce: number; triesMax: number; tryAgainMs: number }
}) {
  /** Asks for every field that is wanted, so that it is at hand. Nothing of it is kept here. */
  async function goThrough(
    lines: readonly BatchLine[],
    {
      right,
      prove,
      felt,
      signal,
    }: { right: string; prove: boolean; felt: readonly Field[]; signal: AbortSignal },
  ) {
    const orgnrs = lines.flatMap(({ orgnr }) => (orgnr === null ? [] : [orgnr as Organisasjonsnummer]))
    const sums = { foretak: 0, feil: lines.length - orgnrs.length, ufullstendige: 0, unheard: 0 }
    const removed: string[] = []
    const readings = readerFor({ prove }).read(orgnrs, { fields: felt, caller: right, signal })
    let place = 0
    for await (const reading of eachOf(readings)) {
      if (reading.outcome === 'record') {
        sums.foretak += 1
        if (reading.lacking !== null) sums.ufullstendige += 1
      } else sums.feil += 1
      if (reading.outcome === 'unavailable' || reading.outcome === 'crowded') sums.unheard += 1
      if (reading.outcome === 'removed') removed.push(orgnrs[place] ?? '')
      place += 1
    }
    return { sums, removed }
  }

  return {
    /**
     * One right's turn: one part of one list. Safe to run twice, also at once: a part is noted once, and whoever
     * goes through it again finds it in the cache.
     *
     * @returns whether there is more to do now
     */
    async turn(right: string, { signal }: { signal: AbortSignal }): Promise<boolean> {
      const next = await nextOfRight(db, right, clock.now())
      if (next === null) return false
      const lines = await readBatchPart(db, next.id, next.nr)
      if (lines === null) {
        // Taken back meanwhile, or its part is not there: then it is no use to look again at once.
        await putPartOff(db, next, new Date(clock.now().getTime() + policy.tryAgainMs))
        return true
      }
      const felt = batchFields(next)
      const { sums: found, removed } = await goThrough(lines, { right, prove: next.prove, felt, signal })
      const { unheard, ...sums } = found
      // Removed before the list came: the erasure is done, and their numbers go as those of the lists that were here.
      if (removed.length > 0) await eraseFromPart(db, next, removed)
      const now = clock.now()
      if (unheard > lines.length / 2 && next.forsok < policy.triesMax) {
        const waitMs = policy.tryAgainMs * 2 ** next.forsok
        await putPartOff(db, next, new Date(now.getTime() + waitMs))
      } else await notePartDone(db, next, sums, now)
      return true
    },

    /** Rights that have something to do, whoever rang for them. */
    due: (): Promise<RightWithWork[]> => rightsWithWork(db, clock.now(), policy.rightsAtOnce),

    removeOld: (): Promise<number> => removeOldBatches(db, clock.now()),
  }
}

/** What is asked for of each company; a name that only another release knows is left out. Whole answers push nobody's aside. */
export function batchFields({ felt }: Pick<Batch, 'felt'>): readonly Field[] {
  return felt === null ? allFields : allFields.filter((field) => felt.includes(field))
}

/** In one go: a hundred thousand small ones would hold up others. */
function fingerprint(lines: readonly BatchLine[], fields: readonly Field[] | null): Buffer {
  const asked = lines.map(({ orgnr, given }) => orgnr ?? JSON.stringify(given)).join('\n')
  return createHash('sha256')
    .update(`${JSON.stringify(fields)}\n${asked}`)
    .digest()
}

import type { OnCacheEvent } from './events.ts'
import type { Key } from './key.ts'
import type { MemoryTier } from './memory-tier.ts'
import { fetchedAtOf, keepUntilOf } from './packing.ts'
import type { RedisTier } from './redis-tier.ts'
import { sectionsOf } from './shelf.ts'

/**
 * Gives back to Redis what it has lost and this process still serves: one that was emptied is as full as it was when what is
 * asked for has been asked for once, and a new process need not ask the registers for it.
 *
 * What was changed while nobody here could hear it is not brought back: `mayRestore` says whether all was heard up to the
 * loss, and Redis itself refuses what was erased or changed since.
 *
 * @param perSecond sections written at most; what waits beyond `waitingMax` is left to the next who fetches it
 */
export function createRefill({
  memory,
  redis,
  mayRestore,
  isErased,
  now,
  perSecond,
  waitingMax,
  onEvent,
}: {
  memory: Pick<MemoryTier, 'peek'>
  redis: Pick<RedisTier, 'restore'>
  /** @param time when the copy was last known to be what Redis has */
  mayRestore: (time: number) => boolean
  isErased: (company: string) => boolean
  now: () => number
  perSecond: number
  waitingMax: number
  onEvent: OnCacheEvent
}) {
  const waiting = new Map<string, { key: Key; packed: Buffer; generation: number }>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<unknown> = Promise.resolve()

  function writeSome(): void {
    timer = undefined
    const some = [...waiting].slice(0, Math.ceil((perSecond * TURN_MS) / 1000))
    for (const [name] of some) waiting.delete(name)
    writing = Promise.all(some.map(([, lost]) => write(lost)))
    if (waiting.size > 0) writeLater()
  }

  function writeLater(): void {
    timer ??= setTimeout(writeSome, TURN_MS).unref()
  }

  async function write({ key, packed, generation }: { key: Key; packed: Buffer; generation: number }) {
    const keepForMs = keepUntilOf(packed) - now()
    if (keepForMs <= 0 || isErased(key.company)) return
    const written = await redis.restore(key, packed, keepForMs, generation)
    if (written === 'stored') onEvent({ kind: 'stored', tier: 'redis', section: key.section })
  }

  return {
    /** To be told before memory takes over what Redis said. */
    compare(company: string, inRedis: { generation: number; sections: ReadonlyMap<string, Buffer> }): void {
      const held = memory.peek(company)
      if (held === null || held.generation < inRedis.generation) return
      for (const [section, packed] of sectionsOf(held.shelf)) {
        if (inRedis.sections.has(section) || waiting.size >= waitingMax) continue
        if (!mayRestore(Math.max(held.confirmedAt, fetchedAtOf(packed)))) continue
        const lost = {
          key: { company, section },
          packed: Buffer.from(packed),
          generation: inRedis.generation,
        }
        waiting.set(`${company}/${section}`, lost)
      }
      if (waiting.size > 0) writeLater()
    },

    async close(): Promise<void> {
      clearTimeout(timer)
      waiting.clear()
      await writing
    },
  }
}

const TURN_MS = 100

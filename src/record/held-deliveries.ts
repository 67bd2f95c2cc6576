import { askedByNobody } from '#src/core/asker.ts'
import type { Log } from '#src/core/log.ts'
import { createRepeat } from '#src/core/repeat.ts'
import type { Delivery } from '#src/storage/shareholders/read-deliveries.ts'
import type { Leveranse } from './sections/aksjonaerhistorikk.ts'

export type HeldDeliveries = ReturnType<typeof createHeldDeliveries>

/**
 * Which years of the shareholder register there are, in memory: a record asks this and nothing else while nothing is imported.
 * PostgreSQL holds the truth, which is looked at every few seconds; whoever reads a year finds there whether this is still so.
 */
export function createHeldDeliveries(options: {
  read: () => Promise<Delivery[]>
  /** A year came, or another delivery took its place. */
  onChange: () => void
  log: Log
  policy: { lookEveryMs: number }
}) {
  let all: readonly Delivery[] | null = null
  let current: readonly Delivery[] = []
  let byId = new Map<number, Leveranse>()
  let reading: Promise<void> | null = null

  async function read(): Promise<void> {
    // For all who wait for it, whoever's question it was that needs it.
    const found = await askedByNobody(options.read)
    const isNew = all === null || JSON.stringify(found) !== JSON.stringify(all)
    all = found
    if (!isNew) return
    current = found.filter(({ isCurrent }) => isCurrent)
    byId = new Map(found.map(({ id, kilde, uttrekksdato }) => [id, { kilde, uttrekksdato }]))
    options.onChange()
  }

  function reload(): Promise<void> {
    reading ??= read().finally(() => {
      reading = null
    })
    return reading
  }

  const onFault = (error: unknown) =>
    options.log.warn({ err: error }, 'the years of the shareholder register could not be read')
  const looking = createRepeat({ everyMs: options.policy.lookEveryMs, onFault }, reload)

  return {
    /** The years' own deliveries, newest year first; null while PostgreSQL has never answered. Another list: something changed. */
    current: (): readonly Delivery[] | null => (all === null ? null : current),

    /** Of any delivery, also one that was replaced. */
    leveranseOf: (id: number): Leveranse | null => byId.get(id) ?? null,

    /**
     * Looks now; whoever asks meanwhile waits for the same look.
     *
     * @throws StorageUnavailableError
     */
    reload,

    start: looking.start,
    close: looking.close,
  }
}

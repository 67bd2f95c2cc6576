import { hash } from 'node:crypto'
import { askedByNobody } from '#src/core/asker.ts'
import type { Log } from '#src/core/log.ts'
import { createRepeat } from '#src/core/repeat.ts'

export type CompanyTombstones = ReturnType<typeof createTombstones>

type Buried = { organisasjonsnummer: string; slettedato: string | null; number: number }
type InStorage = { all: Set<string>; last: Buried | null }

/**
 * The companies removed on legal grounds, all of them in memory: asked on every read and before every write. PostgreSQL holds
 * the truth; this reads what is new there every few seconds, and is told at once by its own process and by the cache's bus.
 *
 * A removal this process learns of itself holds from that moment. Should PostgreSQL be away it is buried there later; what
 * must then be done with it (every copy erased) is the burial's business. So it is where PostgreSQL was set back to before a burial
 * that was read there, or that was done since the last look: it is done again (P193).
 */
export function createTombstones(options: {
  listSince: (number: number, limit: number) => Promise<Buried[]>
  /** Durable, and the beginning of the erasure everywhere. May be done again. */
  bury: (removals: { organisasjonsnummer: string; slettedato: string | null }[]) => Promise<void>
  log: Log
  policy: { lookEveryMs: number; pageSize: number }
}) {
  const known = new Map<string, string | null>()
  const unburied = new Map<string, string | null>()
  const listeners = new Set<(orgnr: string) => void>()
  /** Of all of them, whatever their order. */
  const sum = Buffer.alloc(16)
  let sumAsWord = ''
  /** What was read there, and the last of it. */
  let inStorage: InStorage = { all: new Set(), last: null }
  /** Buried, by this process or as it was told, and not read there yet: a server that takes over lacks just the last of them. */
  const unread = new Set<string>()
  let hasStarted = false

  function remember(orgnr: string, slettedato: string | null): void {
    if (known.has(orgnr)) {
      if (slettedato !== null) known.set(orgnr, slettedato)
      return
    }
    known.set(orgnr, slettedato)
    const own = hash('sha256', orgnr, 'buffer')
    for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) ^ (own[index] ?? 0)
    sumAsWord = sum.toString('base64url')
    // A process that has only begun holds nothing yet.
    if (hasStarted) for (const listener of listeners) listener(orgnr)
  }

  /** Where storage was set back, what had been read there and is not there any more is to be buried again. */
  async function read(): Promise<void> {
    if ((await readOn(inStorage)) === 'read') return
    const now: InStorage = { all: new Set(), last: null }
    await readOn(now)
    for (const orgnr of inStorage.all) if (!now.all.has(orgnr)) unburied.set(orgnr, known.get(orgnr) ?? null)
    inStorage = now
  }

  /**
   * Reads on from the last that was read, which is read once more. What was read holds, also where it breaks off: storage may be set back
   * to before it then.
   *
   * @returns `gone`: that one is not there any more, or its number is another company's, and nothing was read
   */
  async function readOn(read: InStorage): Promise<'read' | 'gone'> {
    const { pageSize } = options.policy
    const from = read.last
    for (let after = (from?.number ?? 1) - 1; ; after = read.last?.number ?? 0) {
      const page = await options.listSince(after, pageSize)
      if (from !== null && read.last === from && page[0]?.organisasjonsnummer !== from.organisasjonsnummer)
        return 'gone'
      for (const { organisasjonsnummer, slettedato } of page) {
        remember(organisasjonsnummer, slettedato)
        read.all.add(organisasjonsnummer)
        unread.delete(organisasjonsnummer)
      }
      read.last = page.at(-1) ?? read.last
      if (page.length < pageSize) return 'read'
    }
  }

  async function buryAll(): Promise<void> {
    if (unburied.size === 0) return
    const removals = [...unburied].map(([organisasjonsnummer, slettedato]) => ({
      organisasjonsnummer,
      slettedato,
    }))
    // Whoever's reading it was that told of it may have too many questions under way for one more.
    await askedByNobody(() => options.bury(removals))
    for (const { organisasjonsnummer } of removals) {
      unburied.delete(organisasjonsnummer)
      noteBuried(organisasjonsnummer)
    }
  }

  function noteBuried(orgnr: string): void {
    if (!inStorage.all.has(orgnr)) unread.add(orgnr)
  }

  const onFault = (error: unknown) =>
    options.log.warn({ err: error }, 'tombstones could not be exchanged with storage')
  const looking = createRepeat({ everyMs: options.policy.lookEveryMs, onFault }, async () => {
    const before = [...unread]
    await read()
    for (const orgnr of before) if (unread.has(orgnr)) unburied.set(orgnr, known.get(orgnr) ?? null)
    await buryAll()
  })
  let burying: Promise<void> = Promise.resolve()

  return {
    isErased: (company: string): boolean => known.has(company),

    /** Another word for each set of them: two processes that know of the same have the same. */
    asWord: (): string => sumAsWord,

    /** The same of those among these: they only become more. */
    wordOf: (companies: ReadonlySet<string>): string =>
      String(companies.values().reduce((count, company) => count + Number(known.has(company)), 0)),

    /** Every copy in this process is to go, at once. */
    onErased(listener: (orgnr: string) => void): void {
      listeners.add(listener)
    },

    /** The date the register gave, when it was told. */
    slettedatoOf: (orgnr: string): string | null => known.get(orgnr) ?? null,

    /** Another process erased this company: whoever told has buried it. */
    learned(company: string): void {
      remember(company, null)
      // What is told by the cache's Redis may be what somebody else has put there (P175), and one that is no company's would be refused
      // by storage with all others.
      if (/^\d{9}$/.test(company)) noteBuried(company)
    },

    /** The register said so to this process. Holds at once; buried in PostgreSQL as soon as that can be reached. */
    remove(orgnr: string, slettedato: string | null): void {
      remember(orgnr, slettedato)
      unburied.set(orgnr, slettedato)
      burying = burying.then(() =>
        buryAll().catch((error) =>
          options.log.warn({ err: error }, 'a removal waits to be buried in storage'),
        ),
      )
    },

    /**
     * Reads them all before the first question. Where that can not be, it begins with none, and goes on trying.
     *
     * @param options `areNeeded`: to begin with none would be to name them
     * @throws what `listSince` does, when they are needed
     */
    async start({ areNeeded = false }: { areNeeded?: boolean } = {}): Promise<void> {
      if (areNeeded) await read()
      await looking.start()
      hasStarted = true
    },

    /** Waits until what this process learned is buried, as far as it can be. */
    settled: (): Promise<void> => burying,

    async close(): Promise<void> {
      await looking.close()
      await burying
    },
  }
}

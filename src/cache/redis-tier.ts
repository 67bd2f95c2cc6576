import { randomUUID } from 'node:crypto'
import { createBegunBefore } from './begun-before.ts'
import { describeChange } from './change.ts'
import type { OnCacheEvent } from './events.ts'
import type { Key } from './key.ts'
import { fetchedAtOf } from './packing.ts'
import { createRedisChanges } from './redis-changes.ts'
import {
  type Begun,
  begunIn,
  heldIn,
  type RedisCompany,
  type SharedAnswer,
  type SharedForm,
  withItsLine,
} from './redis-held.ts'
import { createInStep } from './redis-in-step.ts'
import { answerKeyOf, heldKeyOf, sweptKeyOf, VERSIONS } from './redis-keys.ts'
import { createRedisReaders } from './redis-readers.ts'
import type { Tier, Written } from './tier.ts'
import { createTogether } from './together.ts'

export type RedisTier = ReturnType<typeof createRedisTier>

/**
 * The tier that processes share. Readers' questions are given `answerMs` and then done without: a Redis that is away, slow or
 * full costs them that much a few times, then nothing until it is back (P15). Only what Redis takes is counted: what this
 * process does between two questions is none of its time.
 * Changes that must not be lost have a connection and a patience of their own, and say so when they fail.
 *
 * @param schemaVersion stands in every key, so that two releases that keep other shapes can run side by side
 * @param generationKeepMs how long a purged company's generation is remembered: longer than any fill can take
 */
export function createRedisTier({
  url,
  schemaVersion,
  answerMs,
  changeMs,
  leaseMs,
  generationKeepMs,
  failuresMax,
  probeEveryMs,
  onEvent,
}: {
  url: string
  schemaVersion: number
  answerMs: number
  changeMs: number
  leaseMs: number
  generationKeepMs: number
  failuresMax: number
  probeEveryMs: number
  onEvent: OnCacheEvent
}) {
  /** Told with every change, so that a process knows its own. */
  const origin = randomUUID()
  const inStep = createInStep()
  const readers = createRedisReaders({ url, answerMs, failuresMax, probeEveryMs, onEvent })
  const changes = createRedisChanges({ url, schemaVersion, origin, changeMs, generationKeepMs, onEvent })
  const keyOf = (company: string) => heldKeyOf(schemaVersion, company)
  const { channel } = changes

  type Read = { company: string; madeBy: string; form: SharedForm; begins: readonly string[] }
  const reads = createTogether<Read, SharedAnswer | RedisCompany>(
    async (asked) => {
      writtenBefore(asked)
      const keys = asked.flatMap(({ company }) => [keyOf(company), answerKeyOf(keyOf(company))])
      const wanted = asked.flatMap(({ madeBy, form, begins }) => [madeBy, form, begins.join(',')])
      const held = await readers.ask('read', answerMs, async (redis) => {
        const found = await inStep(redis, (number) =>
          redis.cacheReadBuffer(keys.length, ...keys, leaseMs, ...wanted, number),
        )
        const read = found.map(heldIn)
        // A command that has been answered is there until the collector goes through all that is old, and so would what came with it be:
        // megabytes a second, for which it would go through all twice a second.
        found.length = 0
        return read
      })
      for (const [index, { company, begins }] of asked.entries()) keepBegun(company, begins, held?.[index])
      return held
    },
    { atMost: READ_TOGETHER_MAX, behindMs: READ_BEHIND_MS },
  )

  const begunBefore = createBegunBefore<Begun>({
    takenWithinMs: TAKEN_WITHIN_MS,
    giveBack: (key, begun) => void release(key, begun),
  })

  function keepBegun(
    company: string,
    sections: readonly string[],
    held: SharedAnswer | RedisCompany | undefined,
  ): void {
    if (held === undefined || !('sections' in held) || held.token === null) return
    const { token } = held
    begunBefore.keep(company, sections, { state: 'begun', token, generation: NEVER_CHANGED, packed: null })
  }

  /** The sections of a company are filled together. */
  const begins = createTogether<Key, Begun>(
    async (asked) => {
      writtenBefore(asked)
      const keys = asked.map(({ company }) => keyOf(company))
      return readers.ask('begin', answerMs, async (redis) => {
        const sections = asked.map(({ section }) => section)
        const begun = await inStep(redis, (number) =>
          redis.cacheBeginBuffer(keys.length, ...keys, leaseMs, ...sections, number),
        )
        return begun.map(begunIn)
      })
    },
    { atMost: READ_TOGETHER_MAX },
  )

  /** Nobody waits for it but other processes that look for it every now and then: those of a company go, and are told of, as one. */
  const writes = createTogether<Write, Written>(
    async (asked) => {
      const byCompany = Map.groupBy(asked, ({ company }) => company)
      const written = await Promise.all(
        byCompany.entries().map(([company, some]) => writeSome(company, some)),
      )
      const results = new Map(written.flatMap((each) => [...each]))
      return asked.map((each) => results.get(each) ?? 'unreachable')
    },
    { atMost: WRITE_TOGETHER_MAX, withinMs: WRITE_WITHIN_MS },
  )

  /** Whoever asks after a company finds what was written of it before. */
  function writtenBefore(asked: readonly { company: string }[]): void {
    writes.hurry((write) => asked.some(({ company }) => company === write.company))
  }

  async function writeSome(company: string, some: readonly Write[]): Promise<Map<Write, Written>> {
    const key = keyOf(company)
    // One that is refused is told of with the others: whoever hears of it only looks again.
    const sections = some.map(({ section }) => section)
    const message = describeChange({ origin, how: 'store', company, sections })
    // Other processes wait for what it brings: it is given more time than a question.
    const written = await readers.ask('write', WRITE_MS, async (redis) => {
      const hows = await inStep(redis, (number) =>
        redis.cacheWrite(
          key,
          VERSIONS,
          answerKeyOf(key),
          channel,
          message,
          schemaVersion,
          ...some.flatMap(({ section, packed, keepForMs, generation, token }) => [
            section,
            typeof packed === 'function' ? packed() : packed,
            Math.ceil(keepForMs),
            generation,
            token,
          ]),
          number,
        ),
      )
      return hows.map((how, index): [Write, Written] => [some[index] as Write, how as Written])
    })
    return new Map(written)
  }

  async function readCompany(company: string): Promise<RedisCompany | null> {
    const found = await reads.ask({ company, madeBy: '', form: 'gzip', begins: [] })
    return found !== null && 'sections' in found ? found : null
  }

  async function release({ company, section }: Key, begun: Begun): Promise<void> {
    if (begun.state !== 'begun') return
    const { token } = begun
    await readers.ask('release', WRITE_MS, (redis) => redis.cacheRelease(keyOf(company), section, token))
  }

  return {
    origin,
    leaseMs,
    isUsable: readers.isUsable,
    isTaking: changes.isTaking,

    /** True when Redis is there before the time is up; nothing depends on waiting for it. */
    async isReady(withinMs: number): Promise<boolean> {
      const [isReadable, isChangeable] = await Promise.all([
        readers.isReady(withinMs),
        changes.isReady(withinMs),
      ])
      return isReadable && isChangeable
    },

    /** All of a company in one question; null when it could not be asked. */
    readCompany,

    /**
     * The answer this maker would make, where one is kept that is true, in that form or else in gzip; otherwise all that is
     * held. Null: it could not be asked.
     *
     * @param begins the sections that will be filled if nothing is held: `begin` then finds their leases taken
     */
    readAnswer: (
      company: string,
      madeBy: string,
      form: SharedForm,
      begins: readonly string[] = [],
    ): Promise<SharedAnswer | RedisCompany | null> => reads.ask({ company, madeBy, form, begins }),

    /**
     * Keeps an answer beside what it was made of, where that is what is held still. Nobody waits for it.
     *
     * @param gzip it in that form
     * @param stamps of the entries, in the order of `sections`
     */
    async keepAnswer(
      company: string,
      gzip: SharedAnswer,
      of: { madeBy: string; sections: readonly string[]; stamps: Buffer; keepForMs: number },
    ): Promise<boolean> {
      const key = keyOf(company)
      writtenBefore([{ company }])
      const kept = await readers.ask('keep', WRITE_MS, (redis) =>
        redis.cacheKeep(
          key,
          answerKeyOf(key),
          of.madeBy,
          of.sections.join(','),
          of.stamps,
          withItsLine(gzip),
          Math.ceil(of.keepForMs),
        ),
      )
      return kept === 1
    },

    /** Keeps the other form beside one that was read, while that lies there. Nobody waits for it. */
    async keepPlain(company: string, plain: SharedAnswer, beside: SharedAnswer): Promise<boolean> {
      const kept = await readers.ask('keep-plain', WRITE_MS, (redis) =>
        redis.cacheKeepPlain(answerKeyOf(keyOf(company)), `${beside.about}\n`, withItsLine(plain)),
      )
      return kept === 1
    },

    async read(company: string): Promise<ReadonlyMap<string, Buffer> | null> {
      const held = await readCompany(company)
      return held === null || held.sections.size === 0 ? null : held.sections
    },

    /** Takes the lease on filling a section, if it is free, for `leaseMs`. */
    async begin(key: Key): Promise<Begun> {
      return begunBefore.take(key) ?? (await begins.ask(key)) ?? { state: 'unreachable' }
    },

    /** Holds the lease for another `leaseMs`; false when it is lost or Redis is. */
    async renew({ company, section }: Key, begun: Begun): Promise<boolean> {
      if (begun.state !== 'begun') return false
      const { token } = begun
      return (
        (await readers.ask('renew', answerMs, (redis) =>
          redis.cacheRenew(keyOf(company), section, token, leaseMs),
        )) === 1
      )
    },

    /** Gives the lease up, for a fill that brought nothing. */
    release,

    /**
     * Keeps what a fill brought and ends its lease, in one step. Refused when the company was erased, when its generation is
     * not the one the fill began with, or when the lease has gone to another.
     *
     * @param packed a function is called when it is sent
     */
    async write(
      { company, section }: Key,
      packed: Buffer | (() => Buffer),
      keepForMs: number,
      begun: Begun,
    ): Promise<Written> {
      if (begun.state !== 'begun') return 'unreachable'
      const { token, generation } = begun
      return (await writes.ask({ company, section, packed, keepForMs, generation, token })) ?? 'unreachable'
    },

    /** What is written of a company goes now: no more of it is expected. */
    writeNow: (company: string): void => writtenBefore([{ company }]),

    /** Puts back what was there and is no longer. Refused like a write, and where something is there by now. */
    async restore(
      { company, section }: Key,
      packed: Buffer,
      keepForMs: number,
      generation: number,
    ): Promise<Written | 'there' | 'swept'> {
      const written = await readers.ask('restore', WRITE_MS, (redis) =>
        redis.cacheRestore(
          keyOf(company),
          VERSIONS,
          answerKeyOf(keyOf(company)),
          sweptKeyOf(schemaVersion),
          section,
          packed,
          Math.ceil(keepForMs),
          String(generation),
          schemaVersion,
          company,
          fetchedAtOf(packed),
        ),
      )
      return written === null ? 'unreachable' : (written as Written | 'there' | 'swept')
    },

    wasEmptied: changes.wasEmptied,
    soften: changes.soften,
    purge: changes.purge,
    sweep: changes.sweep,
    erase: changes.erase,

    /** Takes a name for so long: true when nobody had it, false when somebody has, null when Redis can not be asked. */
    async claim(name: string, forMs: number): Promise<boolean | null> {
      // Beside the companies' keys, which sweeps go through.
      const taken = await readers.ask('claim', answerMs, async (redis) => {
        return (await redis.set(`bo-claim:${name}`, origin, 'PX', forMs, 'NX')) === 'OK'
      })
      return taken
    },

    /** What another process, or this one before it ended, wrote under a name; null when there is nothing or nobody to ask. */
    readNote: (name: string): Promise<string | null> =>
      readers.ask('read-note', answerMs, async (redis) => {
        // As much of it as a note is long: somebody else may have put anything there.
        const note = await redis.getrange(`bo-note:${name}`, 0, NOTE_LENGTH_MAX)
        return note === '' ? null : note
      }),

    /** Nobody waits for it, and nothing depends on it. `onlyFirst`: one that is there stays. */
    async writeNote(name: string, note: string, forMs: number, { onlyFirst = false } = {}): Promise<void> {
      const key = `bo-note:${name}`
      await readers.ask('write-note', WRITE_MS, (redis) =>
        onlyFirst ? redis.set(key, note, 'PX', forMs, 'NX') : redis.set(key, note, 'PX', forMs),
      )
    },

    stats: () => ({ ...readers.stats(), isUsable: readers.isUsable() && changes.isTaking() }),

    async close(): Promise<void> {
      begunBefore.close()
      await Promise.all([readers.close(), changes.close()])
    },
  } satisfies Tier<Begun> & Record<string, unknown>
}

type Write = Key & { packed: Buffer | (() => Buffer); keepForMs: number; generation: string; token: string }

/** Of a company of which nothing is held. */
const NEVER_CHANGED = '0'
/** Who asks begins in the same turn or is waiting for one: a lease is not to be held for that. */
const TAKEN_WITHIN_MS = 50
/** In one script: Redis does nothing else meanwhile. */
const READ_TOGETHER_MAX = 32
/** A question to a Redis that is near takes less. */
const READ_BEHIND_MS = 1
const WRITE_TOGETHER_MAX = 256
/** What comes of a company while others of its sources are still out; where nothing more is, nobody waits for it. */
const WRITE_WITHIN_MS = 25
const NOTE_LENGTH_MAX = 1000
/** Shorter than the silence after which the readers' connection is ended. */
const WRITE_MS = 800

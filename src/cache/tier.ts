import type { Key, Sections } from './key.ts'

/**
 * What memory and Redis have in common, and what the contract suite holds them to. Entries are packed bytes here: a tier
 * knows whose they are and how long to keep them, not what they say.
 *
 * A company is held, read and forgotten as one. What a fill brings is kept only if nothing happened to the company since
 * the fill began; `begin` remembers that moment.
 */
export type Tier<Begun> = {
  read(company: string): Awaitable<ReadonlyMap<string, Buffer> | null>
  /** Before the source is asked. */
  begin(key: Key): Awaitable<Begun>
  /** Keeps the entry and gives up what `begin` took. */
  write(key: Key, packed: Buffer, keepForMs: number, begun: Begun): Awaitable<Written>
  /** Stale from now on, and fills under way are refused. True when something of the company was held. */
  soften(company: string, sections: Sections, now: number): Awaitable<boolean>
  /** Gone from now on, and fills under way are refused. True when something of the company was held. */
  purge(company: string, sections: Sections): Awaitable<boolean>
  /** The same to every company whose name begins so; '' is all. */
  sweep(prefix: string, sections: Sections, how: 'soften' | 'purge', now: number): Awaitable<unknown>
  /** Gone, and never written again. */
  erase(company: string): Awaitable<void>
}

export type Written = 'stored' | 'erased' | 'generation' | 'lease' | 'too-large' | 'unreachable'

type Awaitable<T> = T | Promise<T>

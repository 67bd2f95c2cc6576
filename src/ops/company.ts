import type { Cache } from '#src/cache/cache.ts'
import { type Entry, isFresh, mayServeWhileRevalidating } from '#src/cache/entry.ts'
import { CompanyErasedError } from '#src/cache/errors.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { type CompanySource, companySources } from '#src/sources/index.ts'
import type { FeedEvent } from '#src/storage/feed-events.ts'

type HeldSection = {
  seksjon: string
  svar: string
  hentet: string
  alderS: number
  ferskTil: string
  visesTil: string
  tilstand: 'fersk' | 'utdatert' | 'bare kjent'
}

export type SeenCompany = {
  organisasjonsnummer: string
  erFjernet: boolean
  /** What this process has, and what all have in Redis. */
  holdt: HeldSection[]
  /** The whole answer as it is ready to be sent, here. */
  svar: { hentetEldst: string; ferskTil: string; erUtdatert: boolean } | null
  hendelser: FeedEvent[]
}

/** What is held of a company and why it is as old as it is. Asks no register, and shows nothing of what the answers say. */
export async function lookAtCompany(
  {
    cache,
    clock,
    feedEvents,
    answer = () => null,
  }: {
    cache: Pick<Cache, 'read'>
    clock: Clock
    feedEvents: (orgnr: string) => Promise<FeedEvent[]>
    answer?: (orgnr: string) => { fetchedAtOldest: number; freshUntil: number; isStale: boolean } | null
  },
  orgnr: Organisasjonsnummer,
): Promise<SeenCompany> {
  const now = clock.now().getTime()
  const ready = answer(orgnr)
  const [held, hendelser] = await Promise.all([readHeld(cache, orgnr), feedEvents(orgnr)])
  return {
    organisasjonsnummer: orgnr,
    erFjernet: held === null,
    holdt: [...(held ?? [])].map(([seksjon, entry]) => describe(seksjon, entry, now)),
    svar: ready && {
      hentetEldst: iso(ready.fetchedAtOldest),
      ferskTil: iso(ready.freshUntil),
      erUtdatert: ready.isStale,
    },
    hendelser,
  }
}

/** Sections whose refresh is worth asking for: those that are held, or the usual ones when none is. */
export function sectionsToRefresh({ holdt }: Pick<SeenCompany, 'holdt'>): CompanySource[] {
  const held = companySources.filter((section) => holdt.some(({ seksjon }) => seksjon === section))
  return held.length > 0 ? held : companySources.filter((section) => section !== 'underenhet')
}

async function readHeld(
  cache: Pick<Cache, 'read'>,
  orgnr: string,
): Promise<ReadonlyMap<string, Entry> | null> {
  try {
    return await cache.read(orgnr)
  } catch (error) {
    if (error instanceof CompanyErasedError) return null
    throw error
  }
}

function describe(seksjon: string, entry: Entry, now: number): HeldSection {
  const tilstand = isFresh(entry, now)
    ? 'fersk'
    : mayServeWhileRevalidating(entry, now)
      ? 'utdatert'
      : 'bare kjent'
  return {
    seksjon,
    svar: entry.state,
    hentet: iso(entry.fetchedAt),
    alderS: Math.max(0, Math.round((now - entry.fetchedAt) / 1000)),
    ferskTil: iso(entry.freshUntil),
    visesTil: iso(entry.staleUntil),
    tilstand,
  }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

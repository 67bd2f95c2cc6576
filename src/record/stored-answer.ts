import { type TSchema, Type } from 'typebox'
import type { Entry, Fetched } from '#src/cache/entry.ts'
import { PACKED_AS } from '#src/cache/packing.ts'
import { shapeVersion } from '#src/core/shape-version.ts'
import { askedOf, forEach, type KeptSource, registerSources } from '#src/sources/index.ts'
import type { Answer } from '#src/sources/source.ts'
import { KnownAccounts } from './sections/regnskap/known-accounts.ts'
import { ShareHistory } from './share-history.ts'
import { KeptOwnership } from './share-register.ts'

/**
 * What kind of answer the cache keeps. `partial`: true as far as it goes, and something that belongs to it could not be had
 * at that moment.
 */
export type StoredState = Answer<unknown>['outcome'] | 'partial'

/** An answer that is believed for another time than its outcome says. */
export type Rated<T> = Answer<T> & { livesAs?: StoredState }

/**
 * A source's answer as the cache keeps it, and back. The version stands for the shape of what is inside, so what comes out was
 * put in by a release that reads it by the same schemas, and is not checked again.
 */
export function toStored({ livesAs, ...answer }: Rated<unknown>): Fetched {
  return { state: livesAs ?? answer.outcome, body: Buffer.from(JSON.stringify(answer)) }
}

/** Asks, for the cache to keep. @param settled what of the answer is to be kept; called before anything else happens */
export function storing<T>(
  ask: (signal: AbortSignal) => Promise<Rated<T>>,
  settled: (answer: Rated<T>) => Rated<T>,
): (signal: AbortSignal) => Promise<Fetched> {
  return async (signal) => toStored(settled(await ask(signal)))
}

export function fromStored<T>({ body }: Pick<Entry, 'body'>): Answer<T> {
  const answer = JSON.parse(body.toString()) as Answer<T> & { fetchedAt: string }
  return { ...answer, fetchedAt: new Date(answer.fetchedAt) }
}

const Avvik = Type.Array(Type.String())
const FetchedAt = Type.String({ description: 'ISO 8601' })

/** What an answer is kept as, around what its source says. */
const envelopes = [
  Type.Object({ outcome: Type.Literal('found'), avvik: Avvik, fetchedAt: FetchedAt }),
  Type.Object({ outcome: Type.Literal('absent'), fetchedAt: FetchedAt }),
  Type.Object({
    outcome: Type.Literal('removed'),
    slettedato: Type.Union([Type.String(), Type.Null()]),
    fetchedAt: FetchedAt,
  }),
  Type.Object({ outcome: Type.Literal('unsupported'), certain: Type.Boolean(), fetchedAt: FetchedAt }),
]

/** The shape of what is kept of each source: what it says itself, unless something is made of it first. */
export const storedShapes: Readonly<Record<KeptSource, TSchema>> = {
  ...forEach(registerSources, (name) => askedOf(name).shape.schema),
  regnskap: KnownAccounts,
  aksjonaerer: ShareHistory,
  eierskap: KeptOwnership,
}

/**
 * Which release's copies can be read: a hash of the schemas they are read by and of how they are packed. Two releases that
 * differ in any of them keep apart what they cache, without anybody having to think of it (P104).
 */
export const STORED_SCHEMA_VERSION = storedVersion(storedShapes, PACKED_AS)

export function storedVersion(shapes: Readonly<Record<KeptSource, TSchema>>, packedAs: string): number {
  return shapeVersion({ ...shapes, '!envelope': Type.Union(envelopes), '!packed': packedAs })
}

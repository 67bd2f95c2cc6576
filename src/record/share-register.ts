import { type Static, Type } from 'typebox'
import { policy } from '#config/policy.ts'
import { nineDigits, type Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { ArchiveSource } from '#src/sources/index.ts'
import { type Answer, SourceError } from '#src/sources/source.ts'
import { NoStorageTurnError, StorageUnavailableError } from '#src/storage/database.ts'
import type { StoredHolder } from '#src/storage/shareholders/hidden-holders.ts'
import type { StoredBook } from '#src/storage/shareholders/read-books.ts'
import { type Delivery, DeliveryReplacedError } from '#src/storage/shareholders/read-deliveries.ts'
import type { HolderPage } from '#src/storage/shareholders/read-holder-page.ts'
import type { OwnershipBook, OwnershipEdge } from '#src/storage/shareholders/read-ownership-rows.ts'
import { Eierskap, ownershipForbehold, regler } from './eierskap/eierskap.ts'
import { type OwnershipPorts, type OwnershipQuestion, readOwnership } from './eierskap/read-ownership.ts'
import type { Holder } from './eierskap/share-book.ts'
import type { HeldDeliveries } from './held-deliveries.ts'
import { identifyHolders, type PersonIds } from './person-ids.ts'
import { sharesOf } from './sections/aksjonaer.ts'
import { type Aksjonaerer, aksjonaererOf } from './sections/aksjonaerer.ts'
import { type ShareHistory, shareHistory } from './share-history.ts'

/** What is kept of an ownership structure: all but the words that are the same for every company. */
export const KeptOwnership = Type.Omit(Eierskap, ['regel', 'forbehold'])
export type KeptOwnership = Static<typeof KeptOwnership>

/** What one year is asked: the newest when `aar` is null. */
type Year<T> =
  | { outcome: 'found'; delivery: Delivery; value: T }
  | { outcome: 'not_imported'; aar: number | null }

export type ShareStorage = {
  books(orgnr: number, deliveries: readonly number[]): Promise<StoredBook[]>
  page(at: { delivery: number; orgnr: number; after: number; limit: number }): Promise<HolderPage | null>
  ownershipBooks(delivery: number, orgnrs: readonly number[]): Promise<OwnershipBook[]>
  ownershipEdges(delivery: number, owners: readonly number[]): Promise<OwnershipEdge[]>
}

export type ShareRegister = ReturnType<typeof createShareRegister>

/**
 * The shareholder register as the service keeps it. One answer is read from one delivery of each year: what was replaced while
 * it was being read is read anew. A holder that was removed on legal grounds is shown as one who is not known.
 *
 * What goes wrong in storage is thrown as the SourceError of the part that was asked for.
 */
export function createShareRegister({
  deliveries,
  storage,
  isErased,
  personIds,
}: {
  deliveries: Pick<HeldDeliveries, 'current' | 'leveranseOf' | 'reload'>
  storage: ShareStorage
  isErased: (orgnr: string) => boolean
  personIds: () => PersonIds
}) {
  async function fromCurrent<T>(
    source: ArchiveSource,
    read: (current: readonly Delivery[]) => Promise<T>,
  ): Promise<T> {
    try {
      for (let tries = 1; ; tries++) {
        if (deliveries.current() === null) await deliveries.reload()
        try {
          return await read(deliveries.current() ?? [])
        } catch (error) {
          if (!(error instanceof DeliveryReplacedError) || tries === TRIES_MAX) throw error
          await deliveries.reload()
        }
      }
    } catch (error) {
      throw asFailure(source, error)
    }
  }

  function shown(holders: readonly StoredHolder[]): StoredHolder[] {
    return holders.map((holder) =>
      holder.orgnr === null || !isErased(nineDigits(holder.orgnr))
        ? holder
        : { ...holder, navn: null, orgnr: null },
    )
  }

  async function ownershipOf(
    orgnr: Organisasjonsnummer,
    { id, aar }: Delivery,
    question: Omit<OwnershipQuestion, 'aar'>,
  ): Promise<Eierskap> {
    const ports: OwnershipPorts = {
      books: async (orgnrs) =>
        (await storage.ownershipBooks(id, orgnrs)).map((book) => ({
          ...book,
          storste: shown(book.storste).map(ownershipHolder),
        })),
      owns: async (orgnrs) =>
        (await storage.ownershipEdges(id, orgnrs)).filter(({ eid }) => !isErased(nineDigits(eid))),
    }
    return readOwnership(Number(orgnr), { aar, ...question }, ports)
  }

  /** Asked upwards alone, it has not been looked whether the company owns anything. */
  async function owns(orgnr: Organisasjonsnummer, { id }: Delivery, { eierI }: Eierskap): Promise<boolean> {
    if (eierI !== null) return eierI.antall > 0
    return (await storage.ownershipEdges(id, [Number(orgnr)])).length > 0
  }

  return {
    /** True when it is known that no year is imported. False also while that is not known. */
    isEmpty: (): boolean => deliveries.current()?.length === 0,

    /** Changes with every import. */
    edition: (): unknown => deliveries.current(),

    /** All years of a company; absent when it is in none. */
    async aksjonaerer(orgnr: Organisasjonsnummer): Promise<Answer<ShareHistory>> {
      return fromCurrent('aksjonaerer', async (current) => {
        const books = await storage.books(
          Number(orgnr),
          current.map(({ id }) => id),
        )
        const byDelivery = new Map(books.map((book) => [book.leveranse, book]))
        const history = shareHistory(
          current.map(({ aar, id }) => {
            const book = byDelivery.get(id)
            return { aar, leveranse: id, book: book ? { ...book, storste: shown(book.storste) } : null }
          }),
        )
        return answer<ShareHistory>(history, current)
      })
    },

    /** Owners and holdings in the newest year; absent when the company neither has a share book nor owns shares. */
    async eierskap(orgnr: Organisasjonsnummer): Promise<Answer<KeptOwnership>> {
      return fromCurrent('eierskap', async (current) => {
        const [newest] = current
        if (newest === undefined) return answer<KeptOwnership>(null, current)
        const noder = policy.shareholders.recordCompaniesMax
        const { regel, forbehold, ...kept } = await ownershipOf(orgnr, newest, { retning: 'begge', noder })
        const isThere = kept.harAksjebok || kept.eierI?.antall !== 0
        return answer<KeptOwnership>(isThere ? kept : null, current)
      })
    },

    /** What is kept, as the record shows it. */
    showShares: (history: ShareHistory): Aksjonaerer =>
      identifyHolders(aksjonaererOf(history, deliveries.leveranseOf), personIds()),
    showOwnership: (kept: KeptOwnership): Eierskap =>
      identifyHolders(
        {
          ...kept,
          regel: { ...regler, terskelProsent: policy.eierskap.floorPercent },
          forbehold: ownershipForbehold,
        },
        personIds(),
      ),

    /**
     * A page of all holders of one year. `value` is null when the company is not in that year's file.
     *
     * @param from a delivery to go on in: `replaced` when it is not its year's any more, for the pages of two deliveries would
     *   not be one list
     */
    async holders(
      orgnr: Organisasjonsnummer,
      { aar, from, after, limit }: { aar: number | null; from: number | null; after: number; limit: number },
    ): Promise<Year<HolderPage | null> | { outcome: 'replaced' }> {
      return fromCurrent('aksjonaerer', async (current) => {
        const isMine = from === null ? yearIs(aar) : ({ id }: Delivery) => id === from
        const delivery = current.find(isMine)
        if (delivery === undefined) {
          if (from === null) return { outcome: 'not_imported', aar }
          // This process may not have heard of it yet.
          await deliveries.reload()
          if (deliveries.current()?.some(isMine)) throw new DeliveryReplacedError()
          return { outcome: 'replaced' }
        }
        const page = await storage.page({ delivery: delivery.id, orgnr: Number(orgnr), after, limit })
        return {
          outcome: 'found',
          delivery,
          value: page === null ? null : { ...page, holders: shown(page.holders) },
        }
      })
    },

    /** The structure of one year. `value` is null when the company is nowhere in that year's file: nothing is known of it. */
    async ownership(
      orgnr: Organisasjonsnummer,
      { aar, ...question }: { aar: number | null } & Omit<OwnershipQuestion, 'aar'>,
    ): Promise<Year<Eierskap | null>> {
      return fromCurrent('eierskap', async (current) => {
        const delivery = current.find(yearIs(aar))
        if (delivery === undefined) return { outcome: 'not_imported', aar }
        const eierskap = await ownershipOf(orgnr, delivery, question)
        const isThere = eierskap.harAksjebok || (await owns(orgnr, delivery, eierskap))
        return { outcome: 'found', delivery, value: isThere ? identifyHolders(eierskap, personIds()) : null }
      })
    },

    leveranseOf: deliveries.leveranseOf,
    personIds,
  }
}

/** A year is imported once in a while: to meet one is luck, to meet two in one reading is a fault. */
const TRIES_MAX = 3

/** The newest year comes first. */
function yearIs(aar: number | null): (delivery: Delivery) => boolean {
  return (delivery) => aar === null || delivery.aar === aar
}

/** As of when: the last time a file came in. */
function answer<T extends object>(value: T | null, current: readonly Delivery[]): Answer<T> {
  const fetchedAt = new Date(Math.max(0, ...current.map(({ importert }) => importert.getTime())))
  return value === null ? { outcome: 'absent', fetchedAt } : { outcome: 'found', value, avvik: [], fetchedAt }
}

function ownershipHolder(holder: StoredHolder): Holder {
  const { navn, fodselsaar, orgnr, land, skjult } = holder
  return {
    navn,
    ...(fodselsaar === null ? {} : { fodselsaar }),
    ...(orgnr === null ? {} : { orgnr }),
    ...(land === null ? {} : { land }),
    aksjer: sharesOf(holder),
    ...(skjult === null ? {} : { skjult: true }),
  }
}

/** A fault of PostgreSQL costs its section and not the record; a fault of ours passes through. */
function asFailure(source: ArchiveSource, error: unknown): unknown {
  if (error instanceof NoStorageTurnError)
    return new SourceError(source, 'opptatt', 'who reads has too much under way in the archive', {
      cause: error,
    })
  if (error instanceof StorageUnavailableError) {
    return new SourceError(source, 'nettverk', 'the archive can not be read now', { cause: error })
  }
  if (error instanceof DeliveryReplacedError || isRefusal(error)) {
    return new SourceError(source, 'feilstatus', 'the archive did not answer as it should', { cause: error })
  }
  return error
}

/** PostgreSQL said no: a lock that was not given, a table that is being replaced. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code))
}

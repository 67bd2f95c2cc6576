import type pg from 'pg'
import type { Queryable } from '../database.ts'
import { connectForLong } from '../long-connection.ts'
import { listTombstonesSince } from '../tombstones.ts'
import { ImportBusyError, takeImportLock } from './import-lock.ts'
import { tidyDeliveries } from './replaced-deliveries.ts'

/** The right to load deliveries, one at a time over all processes, and the connection it goes with. */
export type ImportSession = Queryable & {
  transaction<T>(work: (connection: Queryable) => Promise<T>): Promise<T>
  /** Clears away what is not wanted any more, this session's own unfinished delivery too. */
  tidy(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a session and clears away what a killed import left, and deliveries that were replaced a while ago.
 *
 * @throws ImportBusyError when somebody else has one and `isPatient` is not set
 * @throws StorageUnavailableError
 */
export async function openImportSession({
  url,
  isPatient,
  signal,
}: {
  url: string
  isPatient: boolean
  /** Ends the wait. */
  signal?: AbortSignal
}): Promise<ImportSession> {
  const client = await connectForLong(url, { name: 'oppslag import' })
  const giveUp = () => void client.end()
  signal?.addEventListener('abort', giveUp, { once: true })
  try {
    // Waiting for another import may take as long as that takes.
    await client.query('set lock_timeout = 0')
    if (!(await takeImportLock(client, { isPatient }))) throw new ImportBusyError()
    await client.query('reset lock_timeout')
    // What can not be cleared away now, for a reader that takes long, is by the next.
    await tidyDeliveries(client).catch(() => {})
    return sessionOf(client)
  } catch (error) {
    await client.end()
    throw error
  } finally {
    signal?.removeEventListener('abort', giveUp)
  }
}

/** Begins a delivery; it is nobody's year yet. @returns its id */
export async function beginDelivery(
  session: Queryable,
  { aar, kilde, uttrekksdato }: { aar: number; kilde: string; uttrekksdato: string | null },
): Promise<number> {
  const [row] = await session.query<{ id: number }>(
    `insert into aksjeleveranse (aar, tilstand, kilde, uttrekksdato) values ($1, 'lastes', $2, $3) returning id`,
    [aar, kilde, uttrekksdato],
  )
  if (row === undefined) throw new Error('an insert returned no row')
  return row.id
}

/** The companies of which nothing may be kept, and the number of the last: a later removal has a higher one. */
export async function listRemovedCompanies(
  session: Queryable,
  after = 0,
): Promise<{ companies: Set<number>; last: number }> {
  const companies = new Set<number>()
  let last = after
  for (;;) {
    const page = await listTombstonesSince(session, last, REMOVED_PAGE)
    for (const { organisasjonsnummer, number } of page) {
      companies.add(Number(organisasjonsnummer))
      last = number
    }
    if (page.length < REMOVED_PAGE) return { companies, last }
  }
}

const REMOVED_PAGE = 10_000

function sessionOf(client: pg.Client): ImportSession {
  async function query<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return (await client.query<Row>(text, [...values])).rows
  }
  return {
    query,
    async transaction(work) {
      await query('begin')
      try {
        const result = await work({ query })
        await query('commit')
        return result
      } catch (error) {
        await query('rollback').catch(() => {})
        throw error
      }
    },
    async tidy() {
      await tidyDeliveries(client)
    },
    // With the connection goes the lock.
    close: () => client.end(),
  }
}

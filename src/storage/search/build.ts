import type pg from 'pg'
import { nineDigits } from '#src/core/organisation-number.ts'
import { isGoingAway, StorageUnavailableError } from '../database.ts'
import { connectForLong } from '../long-connection.ts'
import { copyIn } from '../shareholders/copy-in.ts'
import { type Build, readIndexState } from './build-state.ts'
import { columnsOf, copyLine, type LoadedTable } from './columns.ts'
import { forgetIn, forgetRowsIn, forgetWordsIn } from './forget.ts'
import type { UnitRows } from './rows.ts'
import { INDEX_WHILE_LOADING, indexesOf, nextOf, searchTables, wordsOf } from './tables.ts'
import { keepTexts } from './texts.ts'

/** Whoever builds holds this for as long as its connection lasts. The number means nothing but must never change. */
const LOCK = 7_202_511_210_005
const LOADED: readonly LoadedTable[] = ['sok_foretak', 'sok_navn', 'sok_kontakt']

export type IndexBuild = NonNullable<Awaited<ReturnType<typeof openIndexBuild>>>

/**
 * The index that is being built, on a connection of its own; null while another process builds. What is in its tables and how
 * far it says it has come are of one transaction, so that whoever is killed goes on from there.
 */
export async function openIndexBuild(url: string) {
  const client = await connectForLong(url, { name: 'oppslag import' })
  let isLost = false
  client.on('error', () => {
    isLost = true
  })
  try {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      LOCK,
    ])
    if (rows[0]?.taken !== true) {
      await client.end()
      return null
    }
    // An index is made in one long statement: of whoever was killed meanwhile PostgreSQL finds out, and gives the place up.
    await client.query(`set client_connection_check_interval = '2s'`)
  } catch (error) {
    await client.end()
    throw error
  }
  const textsKept = new Set<string>()
  const queryable = {
    query: async <R extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
      (await client.query<R>(text, [...values])).rows,
  }

  async function transaction<T>(work: () => Promise<T>): Promise<T> {
    await client.query('begin')
    try {
      const result = await work()
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback').catch(() => {})
      throw error
    }
  }

  async function numbersOf(chosen: string): Promise<number[]> {
    const rows = await queryable.query<{ orgnr: number }>(chosen)
    return rows.map(({ orgnr }) => orgnr)
  }

  return {
    state: () => readIndexState(queryable),

    /** Empty tables, and a state that says that nothing has been read. Whatever was begun before is thrown away. */
    async begin(filesAt: Date): Promise<Build> {
      await transaction(async () => {
        const { rows } = await client.query<{ utgave: number }>(
          `update sok_bygg set utgave = utgave + 1, fase = 'underenheter', lest = 0, uleselige = 0, ny_filer_at = $1,
             ny_enheter_etag = null, ny_underenheter_etag = null, ny_underenheter = null, startet_at = now(),
             flyttet_at = now()
           returning utgave`,
          [filesAt],
        )
        for (const table of searchTables) {
          await client.query(`drop table if exists ${nextOf(table)}`)
          await client.query(
            `create table ${nextOf(table)} (like ${table} including defaults including constraints including generated)`,
          )
        }
        await client.query(INDEX_WHILE_LOADING(rows[0]?.utgave ?? 0))
      })
      const { build } = await readIndexState(queryable)
      return build as Build
    },

    /** Which file a phase reads. Another one than before is begun anew by whoever asks. */
    async noteFile(file: 'enheter' | 'underenheter', etag: string | null): Promise<void> {
      await client.query(`update sok_bygg set ny_${file}_etag = $1, flyttet_at = now()`, [etag])
    },

    /** Sub-units of these companies that are in the tables. */
    async countSubUnits(orgnrs: readonly number[]): Promise<Map<number, number>> {
      const { rows } = await client.query<{ orgnr: number; antall: number }>(
        `select overordnet as orgnr, count(*)::integer as antall from sok_foretak_ny
         where overordnet = any($1::integer[]) group by overordnet`,
        [orgnrs],
      )
      return new Map(rows.map(({ orgnr, antall }) => [orgnr, antall]))
    },

    /**
     * Writes a batch and that it was read, together. What was removed meanwhile is not among it: its tombstone is looked for
     * in the same transaction, and one that comes later finds the rows.
     */
    async load(
      units: readonly UnitRows[],
      { read, unreadable }: { read: number; unreadable: number },
    ): Promise<void> {
      await transaction(async () => {
        // Rows and how far they go are lost together, and read again.
        await client.query('set local synchronous_commit to off')
        await client.query('lock table fjernet in share mode')
        const removed = await removedAmong(client, units)
        await keepTexts(queryable, units, textsKept)
        const rows = units.filter(({ company }) => !removed.has(company.orgnr)).map(columnsOf)
        for (const table of LOADED) {
          const [first, ...others] = rows.flatMap((unit) => unit[table])
          if (first === undefined) continue
          const copy = copyIn(client, `copy ${nextOf(table)} (${Object.keys(first)}) from stdin`)
          const lines = [first, ...others].map(copyLine)
          for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
            copy.write(lines.slice(from, from + LINES_AT_ONCE).join(''))
            await copy.drained()
          }
          await copy.finished()
        }
        await client.query('update sok_bygg set lest = $1, uleselige = $2, flyttet_at = now()', [
          read,
          unreadable,
        ])
      })
    },

    async enter(phase: 'enheter' | 'ordner' | 'bytter'): Promise<void> {
      await client.query(
        `update sok_bygg set fase = $1, flyttet_at = now(),
           ny_underenheter = case when fase = 'underenheter' then lest else ny_underenheter end,
           lest = case when $1 = 'enheter' then 0 else lest end`,
        [phase],
      )
    },

    /** What is looked up by: made in one transaction, so that it is all there or none. */
    async index(edition: number): Promise<void> {
      await client.query(`set maintenance_work_mem = '64MB'`)
      await client.query(`set work_mem = '48MB'`)
      await client.query('set max_parallel_maintenance_workers = 0')
      await transaction(async () => {
        for (const statement of [...indexesOf(edition), ...wordsOf(edition)]) {
          await client.query(statement)
          await client.query('update sok_bygg set flyttet_at = now()')
        }
        await client.query(`update sok_bygg set fase = 'bytter'`)
      })
      // And that all rows are there to see is known, so that what is in an index is read from it alone.
      for (const table of searchTables) await client.query(`vacuum (analyze) ${nextOf(table)}`)
    },

    /**
     * Puts the new index in the place of the old: in one transaction, in which what changed since `since` is taken over from
     * the index that was kept up to date, ceased companies stay findable, and nothing of a removed company comes along.
     *
     * @returns false when there is nothing to take the place
     */
    async swap(since: Date): Promise<void> {
      await transaction(async () => {
        // Whoever searches waits behind it, and removals and feeds behind the two locks that come first: while somebody else reads
        // all there is, as a backup of the whole server does, it steps back and is done by the next attempt.
        await client.query(`set local lock_timeout = '2s'`)
        await client.query('lock table fjernet in share mode')
        await client.query('lock table sok_endring in share row exclusive mode')
        const { rows } = await client.query<{ has_live: boolean }>(
          'select bygget_at is not null as has_live from sok_bygg',
        )
        if (rows[0]?.has_live === true) {
          await client.query(
            `create temporary table sok_overtas on commit drop as
             select orgnr from sok_endring where endret_at >= $1 and lest_at is not null
             union
             select orgnr from sok_foretak f where foretakstilstand = 'slettet'
               and not exists (select from sok_foretak_ny n where n.orgnr = f.orgnr)`,
            [since],
          )
          const takenOver = await numbersOf('select orgnr from sok_overtas')
          const had = await forgetRowsIn(queryable, nextOf, takenOver)
          for (const table of LOADED)
            await client.query(
              `insert into ${nextOf(table)} select * from ${table} where orgnr in (select orgnr from sok_overtas)`,
            )
          await client.query(
            `insert into sok_ord_ny as o (ord, bakfra, antall, tyngde)
             select ord, reverse(ord), count(*), max(tyngde)
             from (select unnest(ord) as ord, tyngde from sok_navn_ny where orgnr in (select orgnr from sok_overtas)) as each
             group by ord
             on conflict (ord) do nothing`,
          )
          const have = await queryable.query<{ ord: string }>(
            'select distinct unnest(ord) as ord from sok_navn_ny where orgnr in (select orgnr from sok_overtas)',
          )
          // What they were called in the files and are not any more. Few: what all are called is not looked for again.
          await forgetWordsIn(queryable, nextOf, had.difference(new Set(have.map(({ ord }) => ord))))
        }
        // With their words: whoever erases them later would know those by these rows alone.
        await forgetIn(
          queryable,
          nextOf,
          await numbersOf(
            'select orgnr from sok_foretak_ny where orgnr in (select organisasjonsnummer::integer from fjernet)',
          ),
        )
        for (const table of searchTables) {
          await client.query(`drop table ${table}`)
          await client.query(`alter table ${nextOf(table)} rename to ${table}`)
        }
        await client.query(
          `update sok_bygg set bygget_at = now(), filer_at = ny_filer_at, enheter_etag = ny_enheter_etag,
             underenheter_etag = ny_underenheter_etag, underenheter = ny_underenheter, enheter = lest,
             navn = (select count(*) from sok_navn), sekunder = extract(epoch from now() - startet_at), fase = null,
             feil = null, feil_at = null`,
        )
        // What was read before a file was made is in the file.
        await client.query('delete from sok_endring where lest_at is not null and endret_at < $1', [since])
      })
    },

    /** What a build failed of: a PostgreSQL that goes away is told of in words of pg's own, and without a code where it just breaks off. */
    failureOf(error: unknown): unknown {
      return isLost || isGoingAway(error) ? new StorageUnavailableError(error) : error
    },

    async close(): Promise<void> {
      await client.end()
    },
  }
}

const LINES_AT_ONCE = 500

async function removedAmong(client: pg.Client, units: readonly UnitRows[]): Promise<Set<number>> {
  const { rows } = await client.query<{ orgnr: number }>(
    `select organisasjonsnummer::integer as orgnr from fjernet where organisasjonsnummer = any($1::text[])`,
    [units.map(({ company }) => nineDigits(company.orgnr))],
  )
  return new Set(rows.map(({ orgnr }) => orgnr))
}

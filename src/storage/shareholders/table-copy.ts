import type pg from 'pg'
import { connectForLong } from '../long-connection.ts'
import { type CountedYear, countTable } from './check-year.ts'
import { copyIn } from './copy-in.ts'
import { TABLES, type TableName, tableOf } from './delivery-tables.ts'

export type TableCopy = Awaited<ReturnType<typeof openTableCopy>>

/**
 * Fills the table of one delivery's part, on a connection of its own. The table is made, filled and given its key in one
 * transaction: when the process or the connection ends before `finish`, there has never been such a table. It stands alone
 * until the delivery is made the year's, so that nobody's query meets it or waits for it.
 */
export async function openTableCopy(url: string, table: TableName, leveranse: number) {
  const client = await connectForLong(url, { name: 'oppslag import' })
  const name = tableOf(table, leveranse)
  try {
    await client.query('begin')
    // For the key: rows that do not come in its order are put so here, once. They mostly do, and more hands would be in each other's way.
    await client.query(`set local maintenance_work_mem = '256MB'`)
    await client.query('set local max_parallel_maintenance_workers = 0')
    // What is analyzed is a key: all that is to be known of it is that nothing is there twice.
    await client.query('set local default_statistics_target = 10')
    await client.query(`create table ${name} (like ${table} including defaults including constraints)`)
    // The table can then be joined to its parent without being looked through.
    await client.query(
      `alter table ${name} add constraint ${name}_leveranse check (leveranse = ${leveranse})`,
    )
  } catch (error) {
    await client.end()
    throw error
  }
  // Frozen: nobody has to visit these pages again to say that they are old. What is made in this transaction may be.
  const copy = copyIn(client, `copy ${name} from stdin with (format binary, freeze)`)

  return {
    /** More is taken than PostgreSQL has had time for; `drained` tells when it has. */
    write: copy.write,

    /** @throws what PostgreSQL refused the rows with */
    drained: copy.drained,

    /** @returns what is in it, counted by PostgreSQL before it lasts */
    async finish(): Promise<CountedYear> {
      await copy.finished()
      await client.query(`alter table ${name} add primary key (${TABLES[table]})`)
      await client.query(`analyze ${name} (${TABLES[table]})`)
      const query = async <Row extends pg.QueryResultRow>(text: string) =>
        (await client.query<Row>(text)).rows
      const counted = await countTable({ query }, table, leveranse)
      await client.query('commit')
      await client.end()
      return counted
    },

    /** What was written is undone by PostgreSQL. Harmless after `finish`. */
    async abandon(): Promise<void> {
      await client.end()
    },
  }
}

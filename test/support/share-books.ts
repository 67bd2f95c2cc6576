import { randomBytes } from 'node:crypto'
import type { Database } from '#src/storage/database.ts'
import type { PackedHolder } from '#src/storage/shareholders/hidden-holders.ts'

export type TestBook = {
  orgnr: number | string
  navn?: string
  /** Left out: what the holders have. */
  totalt?: number | null
  klasser?: string[]
  holders: PackedHolder[]
}

/**
 * A year of the shareholder register as an import leaves it: a delivery of its own whose rows were there before it became its
 * year's. Replaces the one that was.
 *
 * @returns the delivery's id
 */
export async function putYear(
  database: Database,
  { aar, uttrekksdato = null, books }: { aar: number; uttrekksdato?: string | null; books: TestBook[] },
): Promise<number> {
  const id = await loadYear(database, { aar, uttrekksdato, books })
  await publishYear(database, id)
  return id
}

/** The first half of it: all rows are there, and no reader begins in them. */
export async function loadYear(
  database: Database,
  { aar, uttrekksdato = null, books }: { aar: number; uttrekksdato?: string | null; books: TestBook[] },
): Promise<number> {
  const [row] = await database.query<{ id: number }>(
    `insert into aksjeleveranse (aar, tilstand, kilde, uttrekksdato, sha256, rader)
     values ($1, 'lastes', 'test', $2, $3, 0) returning id`,
    [aar, uttrekksdato, randomBytes(32).toString('hex')],
  )
  const id = row?.id ?? 0
  for (const table of ['aksjebok', 'aksjebok_del', 'eierandel'])
    await database.query(`create table ${table}_${id} partition of ${table} for values in (${id})`)
  for (const { orgnr, navn = null, totalt, klasser = ['Ordinære aksjer'], holders } of books) {
    const sum = holders.reduce((all, holder) => all + sharesOf(holder), 0)
    await database.query('insert into aksjebok values ($1, $2, $3, $4, $5, $6, $7, $8)', [
      id,
      orgnr,
      navn,
      totalt === undefined ? sum : totalt,
      sum,
      holders.length,
      klasser,
      JSON.stringify(holders.slice(0, 200)),
    ])
    for (let from = 200, del = 0; from < holders.length; from += 500, del++)
      await database.query('insert into aksjebok_del values ($1, $2, $3, $4)', [
        id,
        orgnr,
        del,
        JSON.stringify(holders.slice(from, from + 500)),
      ])
    for (const holder of holders) {
      if (holder.o === undefined || holder.o === Number(orgnr)) continue
      await database.query('insert into eierandel values ($1, $2, $3, $4)', [
        id,
        holder.o,
        orgnr,
        sharesOf(holder),
      ])
    }
  }
  return id
}

/** The second half: from here on the year is this one. */
export async function publishYear(database: Database, id: number): Promise<void> {
  await database.transaction(async (connection) => {
    await connection.query(
      `update aksjeleveranse set tilstand = 'erstattet', erstattet_at = now()
       where tilstand = 'gjeldende' and aar = (select aar from aksjeleveranse where id = $1)`,
      [id],
    )
    await connection.query(
      `update aksjeleveranse set tilstand = 'gjeldende', gjeldende_at = now() where id = $1`,
      [id],
    )
  })
}

function sharesOf({ a }: PackedHolder): number {
  return a.reduce((sum, [, shares]) => sum + shares, 0)
}

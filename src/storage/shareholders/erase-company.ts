import type { Database, Queryable } from '../database.ts'

/**
 * Takes a removed company out of the share books of every delivery: its own book, and its name and number wherever it is a
 * holder, whose shares stay (P11). May be done again, and must be when it throws: each delivery is done whole or not at all.
 *
 * The company's own edges lead to the books it stands in, and its own book to its owners, so that no table is searched.
 *
 * @returns false when there is no delivery at all, so that nothing anybody made of one can name the company
 */
export async function eraseFromShareBooks(
  db: Queryable & Pick<Database, 'transaction'>,
  orgnr: number,
): Promise<boolean> {
  const deliveries = await db.query<{ id: number }>('select id from aksjeleveranse order by id')
  for (const { id } of deliveries) {
    await db.transaction((connection) => eraseFromDelivery(connection, id, orgnr))
  }
  return deliveries.length > 0
}

/** The same in one delivery, within the transaction of whoever calls. */
export async function eraseFromDelivery(
  connection: Queryable,
  delivery: number,
  orgnr: number,
): Promise<void> {
  for (const { table, list, key } of [
    { table: 'aksjebok', list: 'storste', key: '(leveranse, orgnr)' },
    { table: 'aksjebok_del', list: 'innehavere', key: '(leveranse, orgnr, del)' },
  ]) {
    // The lists are long and kept compressed: only those of companies it holds shares in are opened.
    await connection.query(
      `with mulige as materialized (
         select * from ${table}
         where leveranse = $1
           and orgnr = any(array(select eid from eierandel where leveranse = $1 and eier = $2::int))
       )
       update ${table} as t set ${list} = (
         select jsonb_agg(case when h ->> 'o' = $2::text then h - 'n' - 'o' else h end order by plass)
         from jsonb_array_elements(m.${list}::jsonb) with ordinality as e (h, plass)
       )
       from mulige m
       where ${key.replace(/\w+/g, 't.$&')} = ${key.replace(/\w+/g, 'm.$&')} and t.leveranse = $1
         and m.${list}::jsonb @> jsonb_build_array(jsonb_build_object('o', $2::int))`,
      [delivery, orgnr],
    )
  }
  await connection.query('delete from eierandel where leveranse = $1 and eier = $2', [delivery, orgnr])
  await connection.query(
    `delete from eierandel where leveranse = $1 and eid = $2 and eier = any(array(
       select (h ->> 'o')::int from aksjebok b, json_array_elements(b.storste) h
       where b.leveranse = $1 and b.orgnr = $2 and h ->> 'o' is not null
       union all
       select (h ->> 'o')::int from aksjebok_del d, json_array_elements(d.innehavere) h
       where d.leveranse = $1 and d.orgnr = $2 and h ->> 'o' is not null
     ))`,
    [delivery, orgnr],
  )
  await connection.query('delete from aksjebok_del where leveranse = $1 and orgnr = $2', [delivery, orgnr])
  await connection.query('delete from aksjebok where leveranse = $1 and orgnr = $2', [delivery, orgnr])
}

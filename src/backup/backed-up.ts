import type pg from 'pg'
import { DELIVERY_TABLE } from '../storage/shareholders/delivery-tables.ts'
import type { BackedUpTable, Beginning, Ending } from './format.ts'

/** The migrations the database has run; null when it is none of ours. */
export async function readSchema(client: pg.Client): Promise<Beginning['skjema'] | null> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('migrering') is not null as there`,
  )
  if (rows[0]?.there !== true) return null
  const { rows: skjema } = await client.query<{ navn: string; sjekksum: string }>(
    'select navn, sjekksum from migrering order by navn',
  )
  return skjema.length === 0 ? null : skjema
}

/**
 * Every table with rows of ours, those that others refer to first. What an import has not finished, and what is being taken
 * away, is left out, as is the list of migrations, which is the schema's own, the index of names, which is made of the
 * register's files alone: where it is missing the worker makes it again; and what keys were proved by, which are proved again.
 */
export async function listTables(client: pg.Client): Promise<BackedUpTable[]> {
  const { rows } = await client.query<BackedUpTable & { oid: number; needs: number[] }>(
    `select c.oid::int as oid, c.relname as tabell,
            (select array_agg(attname::text order by attnum) from pg_attribute
             where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as kolonner,
            case when i.inhrelid is not null then json_build_object(
              'av', i.inhparent::regclass::text,
              'verdi', substring(pg_get_expr(c.relpartbound, c.oid) from '^FOR VALUES IN \\((-?[0-9]+)\\)$')::bigint)
            end as del,
            array(select confrelid::int from pg_constraint
                  where conrelid = c.oid and contype = 'f' and confrelid <> c.oid) as needs
     from pg_class c left join pg_inherits i on i.inhrelid = c.oid
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
       and c.relname not in ('migrering', 'nokkelbevis') and c.relname !~ '^sok_'
       and (i.inhrelid is not null and not i.inhdetachpending or i.inhrelid is null and c.relname !~ $1)
     order by c.relname`,
    [DELIVERY_TABLE.source],
  )
  return inOrder(rows).map(({ tabell, kolonner, del }) => ({ tabell, kolonner, del }))
}

/**
 * Where the numbers of these tables stand. They are never given back, so a number read later than the rows is one of the rows or above.
 */
export async function readSequences(
  client: pg.Client,
  tables: readonly Pick<BackedUpTable, 'tabell'>[],
): Promise<Ending['sekvenser']> {
  const { rows } = await client.query<{ name: string }>(
    `select s.relname as name from pg_class s
     join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.refclassid = 'pg_class'::regclass
       and d.deptype in ('a', 'i')
     join pg_class t on t.oid = d.refobjid
     where s.relnamespace = current_schema()::regnamespace and s.relkind = 'S' and t.relname = any($1) order by s.relname`,
    [tables.map(({ tabell }) => tabell)],
  )
  const sequences: Ending['sekvenser'] = []
  for (const { name } of rows) {
    const found = await client.query<{ verdi: string; brukt: boolean }>(
      `select last_value::text as verdi, is_called as brukt from ${name}`,
    )
    for (const row of found.rows) sequences.push({ sekvens: name, ...row })
  }
  return sequences
}

function inOrder<T extends { oid: number; needs: number[] }>(tables: readonly T[]): T[] {
  const placed = new Set<number>()
  const order: T[] = []
  let left = [...tables]
  while (left.length > 0) {
    const ready = left.filter(({ needs }) => needs.every((need) => placed.has(need)))
    // Tables that refer to each other in a circle could not be read in row by row.
    if (ready.length === 0) throw new Error('tables refer to each other in a circle')
    for (const each of ready) placed.add(each.oid)
    order.push(...ready)
    left = left.filter(({ oid }) => !placed.has(oid))
  }
  return order
}

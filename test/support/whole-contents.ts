import { Redis } from 'ioredis'
import { unpack } from '#src/cache/packing.ts'
import { STORED_SCHEMA_VERSION } from '#src/record/stored-answer.ts'
import type { Queryable } from '#src/storage/database.ts'

/** Everything a Redis holds, as text: every key, every part of every value, and what the cache packed, unpacked. */
export async function wholeRedis(url: string): Promise<string> {
  const redis = new Redis(url)
  try {
    const parts: string[] = []
    for (const key of await redis.keys('*')) {
      parts.push(key)
      for (const value of flat(await readValue(redis, key))) {
        parts.push(value.toString(), unpack(value, STORED_SCHEMA_VERSION)?.body.toString() ?? '')
      }
    }
    return parts.join('\n')
  } finally {
    redis.disconnect()
  }
}

async function readValue(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'hash':
      return redis.callBuffer('HGETALL', key)
    case 'string':
      return redis.getBuffer(key)
    case 'list':
      return redis.lrangeBuffer(key, 0, -1)
    case 'set':
      return redis.smembersBuffer(key)
    case 'zset':
      return redis.zrangeBuffer(key, '0', '-1')
    case 'stream':
      return redis.callBuffer('XRANGE', key, '-', '+')
    default:
      return []
  }
}

function flat(value: unknown): Buffer[] {
  if (Buffer.isBuffer(value)) return [value]
  return Array.isArray(value) ? value.flatMap(flat) : []
}

/** Every row of every table of a database, as text. */
export async function wholeDatabase(database: Queryable): Promise<string> {
  const parts: string[] = []
  for (const name of await tablesOf(database)) {
    const rows = await database.query<{ row: string }>(`select t::text as row from ${name} as t`)
    parts.push(name, ...rows.map(({ row }) => row))
  }
  return parts.join('\n')
}

/** The table of every row that has this in any of its columns, in whatever letters: one name for each. */
export async function rowsWith(database: Queryable, word: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await tablesOf(database)) {
    const rows = await database.query(
      `select 1 from ${name} t where strpos(lower(to_jsonb(t)::text), lower($1)) > 0`,
      [word],
    )
    found.push(...rows.map(() => name))
  }
  return found
}

async function tablesOf(database: Queryable): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  return tables.map(({ name }) => name)
}

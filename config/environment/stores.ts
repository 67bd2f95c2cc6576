import { readFileSync } from 'node:fs'
import { NotUnderstood, refuseMisspelt, unlessEmpty } from './kinds.ts'
import { type Given, valuesOf } from './variable.ts'

/** What the service keeps its data in. */
export const storeVariables = {
  DATABASE_URL: {
    meaning: 'PostgreSQL 15 or newer. Empty: an embedded PostgreSQL under DATA_DIR.',
    standard: '',
    read: unlessEmpty(databaseAddress),
  },
  CACHE_REDIS_URL: {
    meaning:
      'Redis the processes share their cache in; it may evict. Empty: each process has its memory alone.',
    standard: '',
    read: unlessEmpty(redisAddress),
  },
  QUEUE_REDIS_URL: {
    meaning: 'Redis for the queues, which must not evict (noeviction). Empty: the queues live in PostgreSQL.',
    standard: '',
    read: unlessEmpty(redisAddress),
  },
} as const

export type StoreSettings = {
  /** null: the embedded database. */
  readonly databaseUrl: string | null
  readonly cacheRedisUrl: string | null
  readonly queueRedisUrl: string | null
}

export function storeSettings(env: Given): StoreSettings {
  const value = valuesOf(storeVariables, env)
  return {
    databaseUrl: value('DATABASE_URL'),
    cacheRedisUrl: value('CACHE_REDIS_URL'),
    queueRedisUrl: value('QUEUE_REDIS_URL'),
  }
}

function databaseAddress(value: string): string {
  const url = URL.parse(value)
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new NotUnderstood('an address that begins with postgres://')
  }
  for (const name of FILES) refuseUnread(name, url.searchParams.getAll(name).at(-1))
  return value
}

/** What an address of PostgreSQL names by path. They are read anew with each connection: one that is not there looks like a server that is away. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey']

function refuseUnread(name: string, path: string | undefined): void {
  if (path === undefined || path === '') return
  try {
    readFileSync(path)
  } catch {
    throw new NotUnderstood(`as ${name} a file that exists and can be read`)
  }
}

function redisAddress(value: string): string {
  const url = URL.parse(value)
  if (url === null || !['redis:', 'rediss:'].includes(url.protocol)) {
    throw new NotUnderstood('an address that begins with redis:// or rediss://')
  }
  // Redis would refuse any other, and the first database be used without a word.
  if (!/^\/?[0-9]*$/.test(url.pathname))
    throw new NotUnderstood('behind the host the number of a database, or nothing')
  for (const [name, value] of url.searchParams) {
    // Under another spelling it names none. One that is empty is asked for all the same.
    if (/^db$/i.test(name) && !(name === 'db' && /^[0-9]+$/.test(value)))
      throw new NotUnderstood('as db the number of a database')
    // What is looked through to erase somebody would not be found under it.
    if (/^keyprefix$/i.test(name)) throw new NotUnderstood('no keyPrefix: a database of its own')
  }
  refuseMisspelt(url)
  return value
}

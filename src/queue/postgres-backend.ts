import {
  assertSchemaCompatibility,
  type BackendFactory,
  createPostgresBackend as createBullPostgresBackend,
  LATEST_SCHEMA_VERSION,
  type PgPool,
  runMigrations,
  SchemaMigrationRequiredError,
  withBackend,
} from 'bullmq'
import pg from 'pg'
import { type AnyPayload, EVENTS_MAX, type QueueBackend, queueName, STALLS_MAX, together } from './backend.ts'
import { withinDeadline } from './deadline.ts'

/**
 * The queue in PostgreSQL, in a schema of its own that BullMQ keeps and that is brought up to date when first needed.
 * A queue holds up to two connections, a worker one more to be told of new jobs; not through a pooler that shares
 * connections between transactions.
 */
export function createPostgresBackend({
  databaseUrl,
  deadlineMs,
}: {
  databaseUrl: string
  deadlineMs: number
}): QueueBackend {
  const reachable = {
    connectionString: databaseUrl,
    application_name: 'bedriftsoppslag-ko',
    connectionTimeoutMillis: deadlineMs,
    // A connection that died unheard is found out in seconds; BullMQ sleeps for up to an hour on the word of one.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  }
  const connection = {
    ...reachable,
    ...inSchema(databaseUrl),
    max: 3,
    statement_timeout: deadlineMs,
    query_timeout: deadlineMs + 500,
  }
  const ending = new Set<Promise<void>>()
  const { Queue, Worker } = withBackend(
    overOwnPool((ended) => {
      ending.add(ended)
      void ended.finally(() => ending.delete(ended))
    }),
  )

  async function prove(): Promise<void> {
    const client = new pg.Client(reachable)
    // What is running is told of a lost connection too; without a listener the process would end.
    client.on('error', () => {})
    try {
      await withinDeadline(2 * deadlineMs, client.connect())
      if (await withinDeadline(deadlineMs, isUpToDate(client))) return
      await withinDeadline(MIGRATION_DEADLINE_MS, runMigrations(client, SCHEMA))
    } finally {
      await withinDeadline(deadlineMs, client.end()).catch(() => {})
    }
  }

  return {
    kind: 'postgresql',
    prove: together(prove),
    openQueue: (lane) =>
      new Queue<AnyPayload, void, string>(queueName(lane), {
        connection,
        streams: { events: { maxLen: EVENTS_MAX } },
      }),
    openWorker: (lane, { process, atOnce, limiter, lockMs }) =>
      new Worker(queueName(lane), process, {
        connection,
        concurrency: atOnce,
        lockDuration: lockMs,
        stalledInterval: lockMs / 2,
        maxStalledCount: STALLS_MAX,
        ...(limiter === null ? {} : { limiter }),
      }),
    isSpinning: () => true,
    // Rows that are gone are PostgreSQL's to clean up, as those of every other table.
    rewriteLog: async () => 'no log',
    async close() {
      await withinDeadline(deadlineMs, Promise.all(ending)).catch(() => {})
    },
  }
}

/**
 * BullMQ's backend over a pool that is made here, one for each queue and worker as its own would be: its own leaves connections
 * without a listener while they are in use and while they are closed, and a connection that breaks then ends the process.
 *
 * @param onEnding with the end of each pool, from the moment its queue or worker is closed
 */
function overOwnPool(
  onEnding: (ended: Promise<void>) => void,
): BackendFactory<ReturnType<typeof createBullPostgresBackend>, pg.PoolConfig> {
  return (name, { connection, ...opts }, kind) => {
    const pool = new pg.Pool(connection)
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    const backend = createBullPostgresBackend(name, { ...opts, connection: pool as PgPool }, kind)
    backend.once('close', () => onEnding(pool.end()))
    return backend
  }
}

/** The schema BullMQ takes for its own when it is given a pool. */
const SCHEMA = 'bullmq'
const MIGRATION_DEADLINE_MS = 60_000

/** BullMQ's statements name no schema. Options that stand in the address win over others. */
function inSchema(databaseUrl: string): { connectionString: string; options?: string } {
  const searchPath = `-c search_path=${SCHEMA}`
  const url = new URL(databaseUrl)
  const options = url.searchParams.get('options')
  if (options === null) return { connectionString: databaseUrl, options: searchPath }
  url.searchParams.set('options', `${options} ${searchPath}`)
  return { connectionString: url.href }
}

/** Reads only. `runMigrations` takes locks that hold up everybody else, so it is not run for nothing. */
async function isUpToDate(client: pg.Client): Promise<boolean> {
  try {
    return (await assertSchemaCompatibility(client, SCHEMA)) >= LATEST_SCHEMA_VERSION
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return false
    throw error
  }
}

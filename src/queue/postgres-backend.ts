import {
  assertSchemaCompatibility,
  createPostgresBackend as createBullPostgresBackend,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
  withBackend,
} from 'bullmq'
import pg from 'pg'
import { EVENTS_MAX, type QueueBackend, queueName, together } from './backend.ts'
import { withinDeadline } from './deadline.ts'

const { Queue, Worker } = withBackend(createBullPostgresBackend)

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
    connectionString: withSchema(databaseUrl),
    schema: SCHEMA,
    max: 2,
    statement_timeout: deadlineMs,
    query_timeout: deadlineMs + 500,
  }

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
      new Queue(queueName(lane), { connection, streams: { events: { maxLen: EVENTS_MAX } } }),
    openWorker: (lane, { process, atOnce, limiter, lockMs }) =>
      new Worker(queueName(lane), process, {
        connection,
        concurrency: atOnce,
        lockDuration: lockMs,
        stalledInterval: lockMs / 2,
        ...(limiter === null ? {} : { limiter }),
      }),
    isSpinning: () => true,
    async close() {},
  }
}

const SCHEMA = 'bullmq'
const MIGRATION_DEADLINE_MS = 60_000

/** BullMQ names its schema in the connection's options, where options that stand in the address win. */
function withSchema(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  const options = url.searchParams.get('options')
  if (options === null) return databaseUrl
  url.searchParams.set('options', `${options} -c search_path=${SCHEMA}`)
  return url.href
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

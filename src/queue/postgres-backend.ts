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
import {
  type AnyPayload,
  CLOCKS_DIFFER_MS,
  EVENTS_MAX,
  PUT_OFF_MS_MAX,
  type QueueBackend,
  queueName,
  STALLS_MAX,
  together,
} from './backend.ts'
import { sayWhatIsCountedOn } from './counted-on.ts'
import { withinDeadline } from './deadline.ts'
import { QueueRefusesError } from './errors.ts'
import { lanes } from './jobs.ts'
import { createSharedListener } from './shared-listener.ts'

/**
 * The queue in PostgreSQL, in a schema of its own that BullMQ keeps and that is brought up to date when first needed.
 * All lanes of a process share a few connections, and one more over which they are told of new jobs; not through a pooler that
 * shares connections between transactions.
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
    statement_timeout: deadlineMs,
    query_timeout: deadlineMs + 500,
  }
  const asking = openPool({ ...connection, max: ASKING_MAX })
  const listener = createSharedListener(connection)
  const { Queue, Worker } = withBackend(overPools({ asking, listener }))

  async function prove(): Promise<void> {
    // It is asked every few seconds whether the queue is there: by a connection that is open, as jobs are asked for.
    if (await withinDeadline(2 * deadlineMs, isUpToDate(asking)))
      await withinDeadline(deadlineMs, proveWritable(asking))
    else await migrate()
    await withinDeadline(deadlineMs, numberLanes(asking))
  }

  async function migrate(): Promise<void> {
    const client = new pg.Client(reachable)
    // What is running is told of a lost connection too; without a listener the process would end.
    client.on('error', () => {})
    try {
      await withinDeadline(2 * deadlineMs, client.connect())
      await withinDeadline(deadlineMs, sayWhatIsCountedOn(client))
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
        drainDelay: UNHEARD_S,
        maxStalledCount: STALLS_MAX,
        ...(limiter === null ? {} : { limiter }),
      }),
    bringBack: (lockMs) => withinDeadline(deadlineMs, bringBack(asking, lockMs)),
    async failedAbout(lane, organisasjonsnummer) {
      const asked = asking.query<{ id: string }>(
        `select id from job where queue = $1 and state = 'failed' and data ->> 'organisasjonsnummer' = $2`,
        [queueName(lane), organisasjonsnummer],
      )
      return (await withinDeadline(deadlineMs, asked)).rows.map(({ id }) => id)
    },
    isSpinning: () => true,
    // Rows that are gone are PostgreSQL's to clean up, as those of every other table.
    rewriteLog: async () => 'no log',
    async close() {
      await withinDeadline(deadlineMs, Promise.all([asking.end(), listener.close()])).catch(() => {})
    },
  }
}

/** PostgreSQL tells who waits for jobs that there is one. This is how soon it is found by whoever was not told. */
const UNHEARD_S = 15

/** A statement takes a millisecond or two: these are some thousand a second. */
const ASKING_MAX = 6

/** BullMQ's own leaves connections without a listener while they are in use and while they are closed: one that breaks then ends the process. */
function openPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...options, onConnect: sayWhatIsCountedOn })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * BullMQ's backend over a pool that all queues and workers share, and one connection that all who listen do: its own would be a
 * pool and a connection for each.
 */
function overPools({
  asking,
  listener,
}: {
  asking: pg.Pool
  listener: ReturnType<typeof createSharedListener>
}): BackendFactory<ReturnType<typeof createBullPostgresBackend>, object> {
  const pools: PgPool & { options: { keepAlive: boolean } } = {
    // Told so, a worker need not ask in between whether its connection has died unheard.
    options: { keepAlive: true },
    query: (text, values) => asking.query(text, values === undefined ? undefined : [...values]) as never,
    connect: listener.connect,
    // They end with the process's queue; what is told of a connection nobody uses is of no interest to any lane.
    end: async () => {},
    on: () => pools,
    removeAllListeners: () => pools,
  }
  return (name, opts, kind) => createBullPostgresBackend(name, { ...opts, connection: pools }, kind)
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

/** A standby, or a server that is told to be read only, answers and takes no jobs. */
async function proveWritable(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  const { rows } = await pool.query<{ transaction_read_only: string }>('show transaction_read_only')
  if (rows[0]?.transaction_read_only === 'on') throw new QueueRefusesError('25006')
}

/**
 * What jobs are numbered by, made before the first is, and anew where a lane was emptied since. BullMQ makes it as it takes the first
 * number, in one transaction: where nobody follows the server (`wal_level` minimal) that is not logged, nor are the next thirty-two.
 * After a crash the same are given again, and the second job of a number is taken for done, with the key it stands for.
 */
async function numberLanes(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  await pool.query(
    `do $$ declare lane text; begin
       foreach lane in array array['${lanes.map(queueName).join("', '")}'] loop
         continue when to_regclass(job_id_seq_name(lane)) is not null;
         -- As whoever takes a first number does.
         perform pg_advisory_xact_lock(hashtext('bullmq:jidseq:' || lane));
         execute format('create sequence if not exists %I', job_id_seq_name(lane));
       end loop;
     end $$`,
  )
}

/** BullMQ dates by the clock of whichever process has a job, or has looked last for those whose worker died. */
async function bringBack(pool: Pick<pg.Pool, 'query'>, lockMs: number): Promise<void> {
  await pool.query(
    `with naa as (
       select $1::bigint as ms where abs(extract(epoch from clock_timestamp()) * 1000 - $1::bigint) < $3
     ), vindu as (
       update rate_limit set expire_at_ms = ms from naa where expire_at_ms > ms + $2
     ), lett as (
       delete from meta using naa
       where field = 'stalled-check' and case when field = 'stalled-check' then value::bigint end > ms + $2
     ), utsatt as (
       update job set process_at_ms = ms from naa where state = 'delayed' and process_at_ms > ms + $2
     )
     update job set locked_until_ms = ms + $4 from naa where state = 'active' and locked_until_ms > ms + $2`,
    [Date.now(), PUT_OFF_MS_MAX, CLOCKS_DIFFER_MS, lockMs],
  )
}

/** Reads only. `runMigrations` takes locks that hold up everybody else, so it is not run for nothing. */
async function isUpToDate(client: Pick<pg.Pool, 'query'>): Promise<boolean> {
  try {
    return (await assertSchemaCompatibility(client, SCHEMA)) >= LATEST_SCHEMA_VERSION
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return false
    throw error
  }
}

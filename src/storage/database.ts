import pg from 'pg'
import { askedByNobody, whoAsks } from '#src/core/asker.ts'
import { OppslagError } from '#src/core/errors.ts'
import { createTurns, NoTurnError } from '#src/core/turns.ts'
import { within } from '#src/core/wait.ts'
import { demandProofOfAll } from '#src/embedded/proof.ts'

// Of whatever speaks to PostgreSQL in a process that can: here none is forgotten.
demandProofOfAll()

/** What a query function needs: the pool, or the connection of a transaction. */
export type Queryable = {
  /** @throws StorageUnavailableError when PostgreSQL did not get to answer; pg's own error when it refused the query. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

export type Database = Queryable & {
  /** For what speaks to pg itself. Its errors are pg's own. */
  readonly pool: pg.Pool
  /**
   * All of it or nothing. The connection is good for as long as `work` runs.
   *
   * @param alone a lock that all who do this wait for, whoever asks: of those here one has a connection at a time, the next that
   *   is free, and the others wait for their turn without one
   */
  transaction<T>(work: (connection: Queryable) => Promise<T>, how?: { alone: string }): Promise<T>
  /** True when PostgreSQL answers a question within the deadline. Never throws. */
  isReachable(deadlineMs: number): Promise<boolean>
  /** @throws StorageUnavailableError when PostgreSQL had no room on its disk for something within the last minute: reading needs none */
  checkRoom(): void
  /** Waits for what is running; a connection that hangs is left after CLOSE_WAIT_MS. */
  close(): Promise<void>
}

/** PostgreSQL was not there, broke off, had no room or no time, or gave way to another. It says nothing of the question. */
export class StorageUnavailableError extends OppslagError {
  /** What the system or PostgreSQL called it: ECONNREFUSED, 57P03, …; null when it was our own patience. */
  readonly reason: string | null

  constructor(cause: unknown) {
    const reason = codeOf(cause)
    super('lager_utilgjengelig', `PostgreSQL can not be used now (${reason ?? 'no answer in time'})`, {
      cause,
    })
    this.reason = reason
  }
}

/** It was not asked: whoever asks has as many questions there as they may, and the turn of this one did not come. It says nothing of PostgreSQL. */
export class NoStorageTurnError extends StorageUnavailableError {
  /** For what whoever asks has under way there: not since all wait for a PostgreSQL that hangs. */
  readonly isOwn: boolean
  /** Others were answered while it waited: it is one of many. */
  readonly wereOthersAnswered: boolean

  constructor(
    cause: unknown,
    { isOwn, wereOthersAnswered = false }: { isOwn: boolean; wereOthersAnswered?: boolean },
  ) {
    super(cause)
    this.isOwn = isOwn
    this.wereOthersAnswered = wereOthersAnswered
  }
}

/**
 * A question that is only answered where something could be written: a standby, or a server that is told to be read only,
 * answers it with 25006. It writes nothing.
 */
export const IS_WRITABLE = 'select 1 from api_nokkel limit 0 for share'

/** @throws StorageUnavailableError for any other reason than that nothing can be written there */
export async function takesWrites(db: Queryable): Promise<boolean> {
  try {
    await db.query(IS_WRITABLE)
    return true
  } catch (error) {
    if (error instanceof StorageUnavailableError && error.reason === READ_ONLY) return false
    throw error
  }
}

const READ_ONLY = '25006'

type Turns = ReturnType<typeof createTurns>

/** Found out by what did not fit. What fits where there is room yet says nothing, and so does a question. */
const NO_ROOM = '53100'
const NO_ROOM_FOR_MS = 60_000

/**
 * Whatever the server, the database or the role has been told: pg reads times in one form, and takes every other for none; and what is
 * written here counts on seeing what others have committed meanwhile.
 */
export const AS_WRITTEN_FOR = `set datestyle = 'ISO'; set default_transaction_isolation = 'read committed'`

/** More than this many waiting for a connection means that PostgreSQL hangs: the next is told at once. */
const WAITING_MAX = 500
const CLOSE_WAIT_MS = 5000
/** Connections that nobody's questions take, however slow they are: the process looks keys up by the hundred in one question. */
const KEPT_FOR_ITSELF = 2

/**
 * Opens nothing yet: connections are made when asked for and replaced when they break.
 * `connectTimeoutMs` bounds the wait for a connection, `statementTimeoutMs` a statement, in PostgreSQL and on this side.
 *
 * @param forOneMax connections of one who asks (`core/asker.ts`). Those who wait for one have equal turns, and what the process
 *   asks for itself goes first: the keys of all who come are among it. Left out, they go in the order they come
 */
export function createDatabase({
  url,
  poolMax,
  forOneMax,
  applicationName,
  connectTimeoutMs,
  statementTimeoutMs,
  onConnectionLost = () => {},
}: {
  url: string
  poolMax: number
  forOneMax?: number | undefined
  applicationName: string
  connectTimeoutMs: number
  statementTimeoutMs: number
  /** A connection nobody was using broke. */
  onConnectionLost?: (error: Error) => void
}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolMax,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 2 * statementTimeoutMs,
    // PostgreSQL's own limit can not fire when the network swallows the answer. It gets the first word, then this.
    query_timeout: statementTimeoutMs + 500,
    keepAlive: true,
    onConnect: (client) => client.query(AS_WRITTEN_FOR).then(() => {}),
  })
  // A connection that breaks while nobody listens to it ends the process. The pool does while it is idle, and makes a new one by
  // itself; whoever takes one does from a moment later to a moment before. This listener is there from first to last.
  pool.on('error', onConnectionLost)
  pool.on('connect', (client) => client.on('error', () => {}))

  const line =
    forOneMax === undefined
      ? null
      : createTurns({
          atOnce: poolMax,
          atOnceForOne: forOneMax,
          // Another than who has all it may finds one all the same.
          keptForFirst: Math.max(0, Math.min(KEPT_FOR_ITSELF, poolMax - forOneMax - 1)),
          waitingMax: WAITING_MAX,
        })

  /** By lock, for as long as anybody wants it. */
  const locks = new Map<string, { turns: Turns; wanted: number }>()

  let answeredAtMs = Number.NEGATIVE_INFINITY
  let noRoom: { error: StorageUnavailableError; atMs: number } | null = null

  function checkRoom(): void {
    if (noRoom !== null && performance.now() - noRoom.atMs < NO_ROOM_FOR_MS) throw noRoom.error
  }

  async function withConnection<T>(work: (connection: Queryable) => Promise<T>): Promise<T> {
    return line === null ? connected(work) : inTurn(line, connectTimeoutMs, () => connected(work))
  }

  async function inTurn<T>(turns: Turns, waitMs: number, work: () => Promise<T>): Promise<T> {
    const of = whoAsks()
    const fromMs = performance.now()
    const done = await turns.runWithin(waitMs, { of, rank: of === '' ? 0 : 1 }, work)
    if (done.hadTurn) return done.value
    const cause = done.cause instanceof NoTurnError ? null : done.cause
    throw of === ''
      ? new StorageUnavailableError(cause)
      : new NoStorageTurnError(cause, { ...done, wereOthersAnswered: answeredAtMs > fromMs })
  }

  async function oneAtATime<T>(lock: string, work: () => Promise<T>): Promise<T> {
    const held = locks.get(lock) ?? {
      turns: createTurns({ atOnce: 1, waitingMax: WAITING_MAX }),
      wanted: 0,
    }
    locks.set(lock, held)
    held.wanted += 1
    try {
      // As long as PostgreSQL would let them wait for it.
      return await inTurn(held.turns, statementTimeoutMs, work)
    } finally {
      held.wanted -= 1
      if (held.wanted === 0) locks.delete(lock)
    }
  }

  async function connected<T>(work: (connection: Queryable) => Promise<T>): Promise<T> {
    const client = await checkOut(pool)
    // A connection that failed once is in a state nobody knows: it is thrown away, not given to the next.
    let failure: Error | undefined
    const onError = (error: Error) => {
      failure = error
    }
    client.on('error', onError)
    try {
      return await work({
        query: async (text, values = []) => {
          try {
            const { rows } = await client.query(text, values.map(storable))
            answeredAtMs = performance.now()
            return rows
          } catch (error) {
            if (!isUnavailability(error)) throw error
            const unavailable = new StorageUnavailableError(error)
            if (unavailable.reason === NO_ROOM) noRoom = { error: unavailable, atMs: performance.now() }
            failure = unavailable
            throw failure
          }
        },
      })
    } finally {
      client.off('error', onError)
      client.release(failure)
    }
  }

  async function query<Row extends pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]> {
    return withConnection((connection) => connection.query<Row>(text, values))
  }

  async function transaction<T>(
    work: (connection: Queryable) => Promise<T>,
    how?: { alone: string },
  ): Promise<T> {
    return how === undefined ? whole(work) : oneAtATime(how.alone, () => askedByNobody(() => whole(work)))
  }

  async function whole<T>(work: (connection: Queryable) => Promise<T>): Promise<T> {
    return withConnection(async (connection) => {
      await connection.query('begin')
      try {
        const result = await work(connection)
        await connection.query('commit')
        return result
      } catch (error) {
        // If even this can not be said, the connection is gone and the transaction with it.
        await connection.query('rollback').catch(() => {})
        throw error
      }
    })
  }

  async function isReachable(deadlineMs: number): Promise<boolean> {
    const answered = query('select 1').then(
      () => true,
      () => false,
    )
    return within(answered, deadlineMs, () => false)
  }

  let closing: Promise<void> | undefined
  function close(): Promise<void> {
    closing ??= within(pool.end(), CLOSE_WAIT_MS, () => {})
    return closing
  }

  return { pool, query, transaction, isReachable, checkRoom, close }
}

/**
 * PostgreSQL has no NUL in a text, and refuses the whole statement for one. Whoever sends it means nothing that is kept: it is read as
 * lone surrogates are when they become UTF-8, so that it is found nowhere.
 */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
  return Array.isArray(value) ? value.map(storable) : value
}

async function checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
  if (pool.waitingCount >= WAITING_MAX) throw new StorageUnavailableError(null)
  try {
    return await pool.connect()
  } catch (error) {
    throw new StorageUnavailableError(error)
  }
}

/**
 * What PostgreSQL itself says is told by its SQLSTATE: class 08 connection, 53 out of resources, 57P going down; 57014,
 * 55P03, 25P03 and 25P04 out of time (statement, lock, idle in a transaction, transaction); 40001 and 40P01 undone for the
 * sake of another; 25006 one that is read only, as a first server is when another has taken its place: connections that are
 * kept would lead there for ever. Everything else that fails on the way is the connection, apart from values pg can not write at all.
 */
export function isUnavailability(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return /^(08|53|57P|57014|55P03|25006|25P0[34]|40001|40P01)/.test(error.code ?? '')
  return !(error instanceof TypeError || error instanceof RangeError)
}

/**
 * Whether PostgreSQL is there, and could not have at what it keeps: class 58 of a disk that fails or a file that is gone, XX001 and
 * XX002 of a damaged one, 42501 of a disk that has become read only, or a table that is another role's. It says nothing of the
 * question. But it may be so of one table alone, or one row: who works through many, or waits for PostgreSQL, goes on, for which
 * it is no unavailability.
 */
export function isOfWhatItKeeps(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(58|42501|XX00[12])/.test(error.code ?? '')
}

/** Whether an answer is not to be had of PostgreSQL now, whatever is asked for: who has another way, or can do without, takes that. */
export function isNotToBeHad(error: unknown): boolean {
  return error instanceof StorageUnavailableError || isOfWhatItKeeps(error)
}

/** Whether PostgreSQL says that it goes away, or the connection: of what it refuses it says something else. */
export function isGoingAway(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(08|57P)/.test(error.code ?? '')
}

function codeOf(cause: unknown): string | null {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : null
}

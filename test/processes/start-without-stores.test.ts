import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LOCK } from '#src/storage/migrate.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { type BreakableConnection, createBreakableConnection } from '../support/breakable-connection.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/free-ports.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('P37: a start while PostgreSQL and Redis are away', () => {
  let around: Surroundings
  let redis: TestRedis
  let way: BreakableConnection
  const children: ChildProcess[] = []

  beforeAll(async () => {
    ;[around, redis] = await Promise.all([startSurroundings(), startRedis()])
    way = await createBreakableConnection(around.storage.url)
  })
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await way.close()
    await Promise.all([around.close(), redis.close()])
  })

  /** A process at addresses that are known before it listens there. */
  async function start(script: string, more: Record<string, string> = {}) {
    const [port = 0, opsPort = 0] = await freePorts(2)
    const child = spawn(process.execPath, [script], {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        PORT: String(port),
        OPS_PORT: String(opsPort),
        ...around.variables({ databaseUrl: way.url, cacheRedisUrl: redis.url, queueRedisUrl: redis.url }),
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.push(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    const ask = async (at: number, path: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`http://127.0.0.1:${at}${path}`, { headers }).catch(() => null)
      return answer === null
        ? null
        : { status: answer.status, headers: answer.headers, body: await answer.json() }
    }
    return { child, output: () => output, port, opsPort, ask }
  }

  it('it lives, is not ready and says why, and is the service itself when they are back', async () => {
    await Promise.all([way.cut(), redis.stop()])
    const front = await start('src/commands/server.ts')
    const worker = await start('src/commands/worker.ts')
    for (const [{ ask }, port] of [
      [front, front.port],
      [front, front.opsPort],
      [worker, worker.opsPort],
    ] as const) {
      // A start, on a machine that may be busy.
      await eventually('it lives', async () => (await ask(port, '/health/live'))?.status === 200, 90_000)
      expect(await ask(port, '/health/ready')).toMatchObject({
        status: 503,
        body: { klar: false, hindringer: [{ del: 'database', kode: 'lager_utilgjengelig' }] },
      })
    }
    const headers = { authorization: `Bearer ${around.token}` }
    const refused = await front.ask(front.port, `/api/bedrift/${SAMPLE.healthy}`, headers)
    expect(refused).toMatchObject({ status: 503, body: { kode: 'nokkellager_utilgjengelig' } })
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)

    await Promise.all([way.restore(), redis.start()])
    for (const [{ ask }, port] of [
      [front, front.port],
      [worker, worker.opsPort],
    ] as const) {
      await eventually('it is ready', async () => (await ask(port, '/health/ready'))?.status === 200)
    }
    const answer = await front.ask(front.port, `/api/bedrift/${SAMPLE.healthy}`, headers)
    expect(answer?.status).toBe(200)
    for (const { child, output } of [front, worker]) {
      expect(child.exitCode, output()).toBeNull()
      expect(output()).toMatch(/^PostgreSQL can not be used now \(ECONNREFUSED\): waiting for it$/m)
    }
  })

  it.each([
    ['behind another’s long migration', 1, `select pg_advisory_lock(${LOCK})`],
    [
      'attack: while what it asks takes its time',
      0,
      `do $$ declare name text; begin
         for name in select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrering' loop
           execute format('lock table %I in access exclusive mode', name);
         end loop;
         perform pg_sleep(3600);
       end $$`,
    ],
  ])(
    'P37: %s it lives, is not ready and says why, and comes up when that is over',
    async (_, missing, hold) => {
      const { database } = around.storage
      // Who has nothing to run waits for no migration.
      const newest = await database.query(
        `delete from migrering where navn in (select navn from migrering order by navn desc limit $1)
       returning to_json(migrering) as row`,
        [missing],
      )
      const migrating = new pg.Client({ connectionString: around.storage.url })
      await migrating.connect()
      migrating.on('error', () => {})
      const holding = migrating.query(hold).catch(() => {})
      await eventually('it is held', async () => {
        const held = `select 1 from pg_locks where mode in ('ExclusiveLock', 'AccessExclusiveLock') and granted
        and locktype in ('advisory', 'relation') and database = (select oid from pg_database where datname = current_database())`
        return (await database.query(held)).length > 0
      })
      const front = await start('src/commands/server.ts', { DATABASE_URL: around.storage.url })
      const worker = await start('src/commands/worker.ts', { DATABASE_URL: around.storage.url })
      const all = [
        [front, front.port],
        [front, front.opsPort],
        [worker, worker.opsPort],
      ] as const
      try {
        for (const [{ ask }, port] of all) {
          await eventually('it lives', async () => (await ask(port, '/health/live'))?.status === 200, 90_000)
          expect(await ask(port, '/health/ready')).toMatchObject({
            status: 503,
            body: { klar: false, hindringer: [{ del: 'database', kode: 'klargjores' }] },
          })
        }
      } finally {
        for (const { row } of newest)
          await database.query(
            'insert into migrering select * from json_populate_record(null::migrering, $1)',
            [row],
          )
        await database.query(
          `select pg_terminate_backend(${(migrating as { processID?: number }).processID})`,
        )
        await Promise.all([migrating.end(), holding])
      }
      for (const [{ ask }, port] of all)
        await eventually(
          'it is ready',
          async () => (await ask(port, '/health/ready'))?.status === 200,
          90_000,
        )
      for (const { child } of [front, worker]) expect(child.exitCode).toBeNull()
    },
  )

  it('a database that turns us away is not waited for', async () => {
    const url = new URL(around.storage.url)
    url.pathname = '/finnes_ikke'
    const { child, output } = await start('src/commands/server.ts', { DATABASE_URL: url.href })
    expect((await once(child, 'close'))[0]).toBe(1)
    expect(output()).toMatch(/^PostgreSQL can not be used now \(3D000\)\n$/m)
  })
})

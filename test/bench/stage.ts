import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readEnvironment } from '#config/environment.ts'
import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { replaceIndustryCodes } from '#src/storage/industry-codes.ts'
import { openStorage, type Storage } from '#src/storage/open-storage.ts'
import { openRegisters } from '#src/wiring/registers.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { startRedis, type TestRedis } from '#test/support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import manifest from '../../package.json' with { type: 'json' }
import { startLoad } from './load/order.ts'
import { type Child, startChild } from './process/child.ts'
import { inventCompanies, type Kind } from './register/companies.ts'

export type Stage = Awaited<ReturnType<typeof openStage>>

/** The stage for one part of a run, with so many companies of each kind; none of those not named. */
export async function staged<T>(
  counts: Partial<Record<Kind, number>>,
  run: (stage: Stage) => Promise<T>,
): Promise<T> {
  const stage = await openStage({ standard: 0, large: 0, mixed: 0, growing: 0, ...counts })
  try {
    return await run(stage)
  } finally {
    await stage.close()
  }
}

/** All that the service needs around it, off the measured core: PostgreSQL, two Redis, the registers, a key, the load. */
async function openStage(counts: Record<Kind, number>) {
  const folder = await mkdtemp(join(tmpdir(), 'bedriftsoppslag-bench-'))
  const opened: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })]
  const keep = <T>(thing: T, end: (thing: T) => Promise<void>): T => {
    opened.push(() => end(thing))
    return thing
  }
  async function close(): Promise<void> {
    for (const end of opened.splice(0).reverse()) await end()
  }

  try {
    const { numbers, companies, answers } = inventCompanies(counts)
    const register = keep(await startRegisterStandIn({ answers }), (thing) => thing.close())
    // As compose.yaml has it.
    const cacheRedis = keep(await startRedis({ hashPieceMax: 4096 }), (thing) => thing.close())
    const queueRedis = keep(await startRedis(), (thing) => thing.close())
    const dataDir = join(folder, 'data')
    const storage = keep(
      await openStorage({ databaseUrl: null, dataDir, applicationName: 'bench', poolMax: 2 }),
      (thing) => thing.close(),
    )
    const variables = variablesOf({ register, cacheRedis, queueRedis, storage })
    await loadIndustryCodes(variables, storage)
    const { token } = await issueKey(
      { db: storage.database, clock: systemClock },
      { epost: 'bench@example.com', miljo: 'live' },
    )
    const load = keep(startLoad(), (thing) => thing.stop())

    async function start(
      door: 'server' | 'start',
      variables: Record<string, string>,
      options: DoorOptions,
    ): Promise<Front> {
      const [port] = await freePorts(1)
      const log = join(folder, `${door}-${port}.log`)
      const env = {
        ...variables,
        PORT: String(port),
        BENCH_FRONT_PORT: String(port),
        LOG_FILE: log,
        ...options.env,
      }
      const child = keep(startChild({ ...options, ...shipped(door), env }), (thing) => thing.stop())
      const address = await child.listening()
      await knowsKey(address, token)
      return { ...child, address }
    }

    return {
      folder,
      dataDir,
      numbers,
      companies,
      register,
      cacheRedis,
      storage,
      token,
      load,
      keep,
      headers: { authorization: `Bearer ${token}` },

      /** One more front as `npm run server` starts it, which knows the key already; ends with the stage if not before. */
      startFront: (options: DoorOptions = {}): Promise<Front> => start('server', variables, options),
      /** All in one process as `npm start` starts it: without Redis, with the database it brings itself. */
      startWhole: (options: DoorOptions = {}): Promise<Front> =>
        start('start', { ...variables, ...NOTHING_BESIDE, DATA_DIR: dataDir }, options),
      /** A process that does the background work; ends with the stage if not before. */
      startWorker: (env: Record<string, string> = {}): Child =>
        keep(
          startChild({
            script: 'src/commands/worker.ts',
            env: { ...variables, LOG_FILE: join(folder, 'worker.log'), ...env },
          }),
          (thing) => thing.stop(),
        ),
      /** A peer, with what our own service sends for a company. */
      startPeer(name: string, recordFile: string): Child {
        const env = { BENCH_RECORD: recordFile, BENCH_TOKEN: token }
        return keep(startChild({ script: `test/bench/servers/${name}.ts`, env }), (thing) => thing.stop())
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

export type Front = Child & { address: string }
type DoorOptions = Partial<Omit<Parameters<typeof startChild>[0], 'script' | 'flags'>>

const NOTHING_BESIDE = { DATABASE_URL: '', CACHE_REDIS_URL: '', QUEUE_REDIS_URL: '' }

/** The first use of a key is slow, and refused as long as the machine is too busy to prove it in time. */
async function knowsKey(address: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const isKnown = async () => (await fetch(`${address}/api/bedrift/status`, { headers })).status === 200
  for (let tries = 1; !(await isKnown()); tries++) {
    if (tries === KEY_TRIES_MAX) throw new Error(`${address} does not accept the key`)
    await pause(500)
  }
}

const KEY_TRIES_MAX = 40

/** What package.json gives Node for a door: its flags, and the script. */
function shipped(door: 'server' | 'start'): { flags: string[]; script: string } {
  const words = manifest.scripts[door].split(' ')
  return { flags: words.filter((word) => word.startsWith('--')), script: words.at(-1) ?? '' }
}

function variablesOf(around: {
  register: RegisterStandIn
  cacheRedis: TestRedis
  queueRedis: TestRedis
  storage: Storage
}): Record<string, string> {
  return {
    OPS_PORT: '0',
    DATABASE_URL: around.storage.url,
    CACHE_REDIS_URL: around.cacheRedis.url,
    QUEUE_REDIS_URL: around.queueRedis.url,
    KANARI: 'av',
    REGISTER_URL: around.register.registerUrl,
    KUNNGJORING_URL: around.register.kunngjoringUrl,
    KLASS_URL: around.register.klassUrl,
    KUNNGJORING_CALLS_PER_SECOND: '1000',
    SOKEINDEKS: 'av',
  }
}

/** What a worker does at the first start; without them no record is whole, and none is kept. */
async function loadIndustryCodes(variables: Record<string, string>, { database }: Storage): Promise<void> {
  const registers = openRegisters(readEnvironment(variables))
  try {
    const answer = await registers.industryCodes.fetchIndustryCodes({ signal: AbortSignal.timeout(10_000) })
    if (answer.outcome !== 'found') throw new Error(`industry codes: ${answer.outcome}`)
    await replaceIndustryCodes(database, { ...answer.value, loadedAt: new Date() })
  } finally {
    await registers.close()
  }
}

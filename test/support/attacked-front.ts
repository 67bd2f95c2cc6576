import { readFile, rm } from 'node:fs/promises'
import { getPriority, setPriority } from 'node:os'
import { join } from 'node:path'
import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { openStorage } from '#src/storage/open-storage.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { makeDataFolder } from './data-folder.ts'
import { eventually } from './eventually.ts'
import { connectionsTo, cpuMs, descriptors, mainThread, residentBytes } from './process-costs.ts'
import { type ServiceProcess, startProcess } from './processes.ts'
import { startSteadyLoad } from './steady-load.ts'
import { type Surroundings, startSurroundings } from './surroundings.ts'

export type AttackedFront = {
  around: Surroundings
  front: ServiceProcess
  /** Of a reader. */
  token: string
  /** Where the operators' side listens. */
  opsAddress: string
  /**
   * What an attack cost others, in another reader's waits and in what the process held at most.
   *
   * @param attack is handed whether only that reader is still connected: whoever does not read is not told that a connection
   *   has ended
   */
  under(attack: (isOver: () => boolean) => Promise<void>): Promise<Cost>
  close(): Promise<void>
}

export type Cost = {
  /** Of another reader's held answers, one after another on a connection of its own, in order of length; less what others took. */
  waitsMs: number[]
  p99Ms: number
  /** Of the same reader, right before. */
  quietP99Ms: number
  /**
   * How many times longer the front took for what it did than it would have by itself, other processes having its core
   * meanwhile: 1 on a machine with nothing else to do.
   */
  stretch: number
  grownBytes: number
  /** Of the process, that reader's answers included. */
  cpuMs: number
  /** More than before the attack, at most. */
  descriptors: number
}

/**
 * A front as it runs in production, and somebody who reads from it while it is attacked.
 *
 * @param options `door`: `start` is everything in one process, with the database it brings itself. `goesFirst`: before whatever else
 *   the machine does
 */
export async function startAttackedFront({
  door = 'api',
  goesFirst = false,
  ...options
}: Parameters<typeof startSurroundings>[0] & {
  door?: 'api' | 'start'
  goesFirst?: boolean
} = {}): Promise<AttackedFront> {
  const around = await startSurroundings(options)
  const ordinary = goesFirst ? preferred() : null
  const { front, token, output, end } = await (door === 'start' ? startWhole(around) : startFront(around))
  const [, opsAddress = ''] = /"address":"([^"]+)","msg":"the operators' side is open"/.exec(output) ?? []
  return {
    around,
    front,
    token,
    opsAddress,
    async under(attack) {
      const load = startSteadyLoad(front.address, {
        token,
        orgnr: SAMPLE.healthy,
        clients: 1,
        pauseMs: 2,
        othersMs: () => mainThread(front.pid).readyMs + mainThread(process.pid).readyMs,
      })
      await eventually('somebody reads', () => load.answered > READS_MIN, 60_000)
      const quiet = { bytes: residentBytes(front.pid), descriptors: descriptors(front.pid) }
      const most = { ...quiet }
      const looking = setInterval(() => {
        most.bytes = Math.max(most.bytes, residentBytes(front.pid))
        most.descriptors = Math.max(most.descriptors, descriptors(front.pid))
      }, 20)
      const from = load.latenciesMs.length
      const quietMs = load.latenciesMs.slice(WARM_UP)
      const cpuBeforeMs = cpuMs(front.pid)
      const before = mainThread(front.pid)
      try {
        await attack(() => connectionsTo(front.address) <= 1 && connectionsTo(opsAddress) === 0)
        await eventually('somebody still reads', () => load.latenciesMs.length > from + READS_MIN, 60_000)
      } finally {
        clearInterval(looking)
        await load.stop()
      }
      const waitsMs = load.latenciesMs.slice(from).sort((a, b) => a - b)
      const after = mainThread(front.pid)
      return {
        waitsMs,
        p99Ms: p99Of(waitsMs),
        quietP99Ms: p99Of(quietMs),
        stretch: 1 + (after.readyMs - before.readyMs) / Math.max(1, after.ranMs - before.ranMs),
        cpuMs: cpuMs(front.pid) - cpuBeforeMs,
        grownBytes: most.bytes - quiet.bytes,
        descriptors: most.descriptors - quiet.descriptors,
      }
    },
    async close() {
      await end()
      await around.close()
      if (ordinary !== null) setPriority(ordinary)
    },
  }
}

type Started = { front: ServiceProcess; token: string; output: string; end(): Promise<unknown> }

async function startFront(around: Surroundings): Promise<Started> {
  const front = await startProcess('api', around.variables())
  return { front, token: around.token, output: front.output(), end: () => front.end('SIGKILL') }
}

async function startWhole(around: Surroundings): Promise<Started> {
  const dataDir = await makeDataFolder('oppslag-angrep-')
  const front = await startProcess('start', { ...around.variables(), DATABASE_URL: '', DATA_DIR: dataDir })
  const storage = await openStorage({ databaseUrl: null, dataDir, applicationName: 'test', poolMax: 1 })
  const { token } = await issueKey(
    { db: storage.database, clock: systemClock },
    { epost: 'a@example.com', miljo: 'test' },
  ).finally(() => storage.close())
  return {
    front,
    token,
    output: await readFile(join(dataDir, 'bedriftsoppslag.log'), 'utf8'),
    async end() {
      // In order: its PostgreSQL is a process of its own.
      await front.end()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/**
 * This process and what it starts go before whatever else the machine does, so that what is held meanwhile is what would be held if it
 * did nothing else: where it may decide that.
 *
 * @returns what it was; null when nothing was changed
 */
function preferred(): number | null {
  const before = getPriority()
  try {
    setPriority(-10)
    return before
  } catch {
    return null
  }
}

/** Of which one in a hundred is looked at. */
const READS_MIN = 300
/** The first ones meet a process that has compiled nothing of it yet. */
const WARM_UP = 50

function p99Of(timesMs: readonly number[]): number {
  const sorted = timesMs.toSorted((a, b) => a - b)
  return sorted[Math.floor(0.99 * (sorted.length - 1))] ?? Number.NaN
}

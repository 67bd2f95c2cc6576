import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { openSlowSockets, sendRaw } from '../support/hostile-clients.ts'
import { residentBytes } from '../support/process-costs.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { type SteadyLoad, startSteadyLoad } from '../support/steady-load.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

const MINUTES = Number(process.env.MINUTES ?? 5)
/** With fewer it is the test's own clients that are waited for. */
const CORES_NEEDED = 4
/** What its container has. */
const MEMORY_MAX = 1024 * 1024 * 1024
/** A clock tick of the machine's, which is no part of what is compared. */
const JITTER_MS = 5

describe(`P38: readers and hostile clients together for ${MINUTES} minutes`, () => {
  let around: Surroundings
  let front: ServiceProcess
  let alone: SteadyLoad
  let together: SteadyLoad

  beforeAll(async () => {
    around = await startSurroundings()
    // A line for each of some million requests would be this test's memory, not the service's.
    front = await startProcess('api', { ...around.variables(), LOG_LEVEL: 'warn' })
  })
  afterAll(async () => {
    await front.end('SIGKILL')
    await around.close()
  })

  it(
    'readers get their answers, and memory stays flat',
    async () => {
      alone = await read(() => pause(20_000))
      const sizes: number[] = []
      together = await read(async () => {
        for (const until = Date.now() + MINUTES * 60_000; Date.now() < until; ) {
          await wave()
          sizes.push(residentBytes(front.pid))
        }
      })
      expect([alone.broken, together.broken]).toEqual([0, 0])
      expect([...alone.statuses, ...together.statuses]).toEqual([200, 200])
      expect(Math.max(...sizes)).toBeLessThan(MEMORY_MAX)
      // The second half asks for no more than the first did.
      const half = Math.ceil(sizes.length / 2)
      expect(Math.max(...sizes.slice(half))).toBeLessThan(1.1 * Math.max(...sizes.slice(0, half)))
    },
    (MINUTES + 3) * 60_000,
  )

  it.skipIf(availableParallelism() < CORES_NEEDED)(
    `as fast as when they are alone, on a machine of ${CORES_NEEDED} cores or more`,
    () => {
      expect(p99(together.latenciesMs)).toBeLessThan(2 * p99(alone.latenciesMs) + JITTER_MS)
    },
  )

  /** Paced, since what is compared is the wait and not the throughput. */
  async function read(meanwhile: () => Promise<void>) {
    const load = startSteadyLoad(front.address, {
      token: around.token,
      orgnr: SAMPLE.healthy,
      clients: 4,
      pauseMs: 10,
    })
    await meanwhile()
    await load.stop()
    return load
  }

  /** Each kind at once, until the server has done with all of them. */
  async function wave(): Promise<void> {
    const slow = openSlowSockets(front.address, 500, {
      begins: 'GET / HTTP/1.1\r\nhost: x\r\n',
      drips: 'a: b\r\n',
    })
    const post = (body: string, length = body.length) =>
      `POST /api/bedrift/sok HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`
    for (let round = 0; round < 20; round++) {
      const statuses = await Promise.all([
        sendRaw(front.address, [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(64 * 1024)}\r\n\r\n`]),
        sendRaw(front.address, [post('', 10 * 1024 * 1024)]),
        sendRaw(front.address, [post('{"__proto__":{"erLeder":true}}')]),
      ])
      expect(statuses).toEqual([431, 413, 400])
    }
    while (slow.open > 0) await pause(100)
    expect(slow.answers.every((answer) => answer.startsWith('HTTP/1.1 408'))).toBe(true)
  }
})

function p99(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(0.99 * (values.length - 1))] ?? Number.NaN
}

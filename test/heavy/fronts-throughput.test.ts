import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startLoad } from '../bench/load/order.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { startProcess } from '../support/processes.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

/** Two fronts, and as many that ask; the process that hands round their connections has little to do. */
const CORES_NEEDED = 4
const DURATION_MS = 10_000

describe('row 9: two fronts in one command', () => {
  let around: Surroundings
  let folder: string
  let one = 0
  let two = 0

  beforeAll(async () => {
    ;[around, folder] = await Promise.all([startSurroundings(), mkdtemp(join(tmpdir(), 'oppslag-fronter-'))])
  })
  afterAll(() => Promise.all([around.close(), rm(folder, { recursive: true })]))

  it('answer every request right, as one does', async () => {
    one = await perSecond(1)
    two = await perSecond(2)
    process.stdout.write(
      `${availableParallelism()} cores: ${one} answers a second with 1 front, ${two} with 2\n`,
    )
    expect(Math.min(one, two)).toBeGreaterThan(0)
  }, 120_000)

  it.skipIf(availableParallelism() < CORES_NEEDED)(
    `answer at least 1.9 times what one does, on a machine of ${CORES_NEEDED} cores or more`,
    () => expect(two / one).toBeGreaterThanOrEqual(1.9),
  )

  async function perSecond(fronts: number): Promise<number> {
    const process = await startProcess('fronts', {
      ...around.variables(),
      WORKERS: String(fronts),
      LOG_FILE: join(folder, `${fronts}.log`),
    })
    // One alone would be busier than two fronts.
    const loads = [startLoad(), startLoad()]
    const order = {
      addresses: [process.address],
      paths: [`/api/bedrift/${SAMPLE.healthy}`],
      headers: { authorization: `Bearer ${around.token}` },
      connections: 32 / loads.length,
      status: 200 as const,
    }
    try {
      const run = (durationMs: number) =>
        Promise.all(loads.map((load) => load.run({ ...order, pace: { durationMs } })))
      await run(DURATION_MS / 5)
      const reports = await run(DURATION_MS)
      return Math.round(
        reports.reduce((sum, { answered, elapsedMs }) => sum + (answered * 1000) / elapsedMs, 0),
      )
    } finally {
      await Promise.all(loads.map((load) => load.stop()))
      await process.end()
    }
  }
})

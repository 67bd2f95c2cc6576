import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startLoad } from '../bench/load/order.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { startProcess } from '../support/processes.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

/** Two fronts, the process that hands round their connections, and the load. */
const CORES_NEEDED = 4
const DURATION_MS = 10_000

describe('two fronts in one command', () => {
  let around: Surroundings
  let one = 0
  let two = 0

  beforeAll(async () => {
    around = await startSurroundings()
  })
  afterAll(() => around.close())

  it('answer every request right, as one does', async () => {
    one = await perSecond(1)
    two = await perSecond(2)
    process.stdout.write(
      `${availableParallelism()} cores: ${one} answers a second with 1 front, ${two} with 2\n`,
    )
    expect(Math.min(one, two)).toBeGreaterThan(0)
  }, 120_000)

  it.skipIf(availableParallelism() < CORES_NEEDED)(
    `answer at least 1.7 times what one does, on a machine of ${CORES_NEEDED} cores or more`,
    () => expect(two / one).toBeGreaterThanOrEqual(1.7),
  )

  async function perSecond(fronts: number): Promise<number> {
    const process = await startProcess('fronts', {
      ...around.variables(),
      WORKERS: String(fronts),
      LOG_LEVEL: 'silent',
    })
    const load = startLoad()
    const order = {
      addresses: [process.address],
      paths: [`/api/bedrift/${SAMPLE.healthy}`],
      headers: { authorization: `Bearer ${around.token}` },
      connections: 32,
      status: 200 as const,
    }
    try {
      await load.run({ ...order, pace: { durationMs: DURATION_MS / 5 } })
      const { answered, elapsedMs } = await load.run({ ...order, pace: { durationMs: DURATION_MS } })
      return Math.round(answered / (elapsedMs / 1000))
    } finally {
      await load.stop()
      await process.end()
    }
  }
})

import { afterAll, beforeAll, describe, it } from 'vitest'
import { changeDeaths, openChangeWorld } from '../support/change-crashes.ts'

/** The steps where something has just been done that nobody knows of yet. The whole matrix is in test/heavy. */
const dangerous = [
  'the register is asked',
  'after the difference is written',
  'after it becomes visible',
  'after the place in the log moves',
  'the receiver has it',
  'before it is acknowledged',
]

describe('P135: a worker dies between the register’s event and the receiver’s yes', () => {
  let world: Awaited<ReturnType<typeof openChangeWorld>>
  beforeAll(async () => {
    world = await openChangeWorld(dangerous.length)
    await world.begin()
  })
  afterAll(() => world.close())

  it.each(dangerous)('%s', async (where) => {
    const death = changeDeaths[where]
    const orgnr = world.numbers[dangerous.indexOf(where)]
    if (death === undefined || orgnr === undefined) throw new Error(`no such death: ${where}`)
    world.rename(orgnr, `FØR ${where} AS`.toUpperCase())
    const worker = await world.startWorker(death)
    await worker.died
    world.rename(orgnr, `ETTER ${where} AS`.toUpperCase())
    await world.leasesRunOut()
  })

  it('after all of them: each change is told of once, in order, by the log and by webhooks under one id', async () => {
    await world.startWorker(null)
    await world.holds()
  })
})

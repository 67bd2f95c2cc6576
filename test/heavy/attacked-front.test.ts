import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AttackedFront, type Cost, startAttackedFront } from '../support/attacked-front.ts'
import { firstForms, unreadAnswers, unreadPipelines } from '../support/attacks.ts'
import { inventNumbers } from '../support/invented-companies.ts'

const MEGABYTE = 1024 * 1024
const companies = inventNumbers(300)

describe('P43: a front that is attacked with all there is', () => {
  let attacked: AttackedFront

  beforeAll(async () => {
    attacked = await startAttackedFront({ copies: companies })
  })
  afterAll(() => attacked.close())

  function expectUnnoticed(
    cost: Cost,
    { connections, megabytesMax }: { connections: number; megabytesMax: number },
  ): void {
    expect(cost.p99Ms).toBeLessThan(50)
    expect(cost.grownBytes).toBeLessThan(megabytesMax * MEGABYTE)
    expect(cost.descriptors).toBeLessThanOrEqual(2 * connections)
  }

  it('with unread pipelines of somebody', async () => {
    const cost = await unreadPipelines(attacked, { count: 22, networks: 1 })
    expectUnnoticed(cost, { connections: 66, megabytesMax: 50 })
  })

  it('with unread pipelines of many, again and again', async () => {
    for (let round = 0; round < 10; round++) await unreadPipelines(attacked, { count: 22, networks: 22 })
    const cost = await unreadPipelines(attacked, { count: 22, networks: 22 })
    expectUnnoticed(cost, { connections: 66, megabytesMax: 150 })
  })

  it('with two hundred clients that each leave sixteen large answers unread, and are gone within 20 s', async () => {
    const cost = await unreadAnswers(attacked, { count: 200 })
    expectUnnoticed(cost, { connections: 200, megabytesMax: 150 })
    expect(cost.heldMs).toBeLessThan(20_000)
  })

  it('with the first zstd form of three hundred companies at once', async () => {
    expectUnnoticed(await firstForms(attacked, { companies }), { connections: 300, megabytesMax: 100 })
  })
})

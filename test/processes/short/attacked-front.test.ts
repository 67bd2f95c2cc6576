import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AttackedFront, startAttackedFront } from '../../support/attacked-front.ts'
import { firstForms, unreadPipelines } from '../../support/attacks.ts'
import { inventNumbers } from '../../support/invented-companies.ts'

const MEGABYTE = 1024 * 1024
/** On a machine that does other things as well. By itself, in milliseconds: `test/heavy/attacked-front.test.ts`. */
const WAIT_MAX_MS = 5000
const companies = inventNumbers(40)

describe('a front that is attacked', () => {
  let attacked: AttackedFront

  beforeAll(async () => {
    attacked = await startAttackedFront({ copies: companies })
  })
  afterAll(() => attacked.close())

  it('P43: with unread pipelines: nobody waits for it, and it takes neither memory nor descriptors', async () => {
    const cost = await unreadPipelines(attacked, { count: 4, networks: 4 })
    expect(cost.descriptors).toBeLessThanOrEqual(2 * 12)
    expect(cost.grownBytes).toBeLessThan(50 * MEGABYTE)
    expect(cost.waitsMs.at(-1)).toBeLessThan(WAIT_MAX_MS)
  })

  it('P43: with first zstd forms at once: they take no memory to speak of', async () => {
    const cost = await firstForms(attacked, { companies })
    expect(cost.grownBytes).toBeLessThan(50 * MEGABYTE)
    expect(cost.waitsMs.at(-1)).toBeLessThan(WAIT_MAX_MS)
  })
})

import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AttackedFront, type Cost, startAttackedFront } from '../support/attacked-front.ts'
import {
  allAtOnce,
  beginnings,
  firstForms,
  keptConnections,
  keptOpen,
  recordsInEnglish,
  unfinishedEverywhere,
  unfinishedLists,
  unfinishedRequests,
  unreadAnswers,
  unreadPipelines,
} from '../support/attacks.ts'
import { inventNumbers } from '../support/invented-companies.ts'

const MEGABYTE = 1024 * 1024
const companies = inventNumbers(300)
/** Of these nobody has asked for a zstd form before all is tried at once. */
const others = inventNumbers(600).slice(300)

const doors = ['api', 'start'] as const

describe.each(doors)('P43: a front that is attacked with all there is (%s)', (door) => {
  let attacked: AttackedFront

  beforeAll(async () => {
    attacked = await startAttackedFront({ copies: [...companies, ...others], goesFirst: true, door })
  })
  afterAll(() => attacked.close())

  it('with unread pipelines of somebody', async () => {
    const cost = await unreadPipelines(attacked, { count: 22, networks: 1 })
    expectUnnoticed('pipelines of one', cost, { connections: 66, megabytesMax: 50 })
  })

  it('with unread pipelines of many, again and again', async () => {
    for (let round = 0; round < 10; round++) await unreadPipelines(attacked, { count: 22, networks: 22 })
    const cost = await unreadPipelines(attacked, { count: 22, networks: 22 })
    expectUnnoticed('pipelines of many', cost, { connections: 66, megabytesMax: 50 })
  })

  it('with two hundred clients that each leave sixteen large answers unread, and are gone within 20 s', async () => {
    const cost = await unreadAnswers(attacked, { count: 200 })
    // What clients leave unread is held up to `unreadBytesMax`, 64 MB, in whole answers.
    expectUnnoticed('answers unread', cost, { connections: 200, megabytesMax: 150 })
    expect(cost.heldMs).toBeLessThan(20_000)
  })

  it('with nine hundred lists of half a megabyte that are never whole', async () => {
    const cost = await unfinishedLists(attacked, { count: 900 }, () => pause(5000))
    // Of the whole attack half a gigabyte would be held.
    expectUnnoticed('lists unfinished', cost, { connections: 900, megabytesMax: 150 })
  })

  it.each([
    // Of a process that has just started, whose heap has not yet taken what it takes for whatever comes.
    ['of thirty networks', 150],
    ['and once more', 50],
  ])('P168: with lists that are never whole at every address, %s', async (_, megabytesMax) => {
    const cost = await unfinishedEverywhere(attacked, { count: 200, networks: 30 })
    expectUnnoticed('lists everywhere', cost, { connections: 1000, megabytesMax })
  })

  it('with the first zstd form of three hundred companies at once', async () => {
    const cost = await firstForms(attacked, { companies })
    expectUnnoticed('first forms', cost, { connections: 300, megabytesMax: 100 })
  })

  it('with all of it at the same time', async () => {
    const cost = await allAtOnce(attacked, { companies: others, count: 22, networks: 22 })
    expectUnnoticed('all at once', cost, { connections: 366, megabytesMax: 50 })
  })
})

describe('P183: a front of which thousands of records are wanted in English', () => {
  let attacked: AttackedFront

  beforeAll(async () => {
    attacked = await startAttackedFront({ goesFirst: true })
  })
  afterAll(() => attacked.close())

  it('P183: attack: holds none of them while it is not their turn', async () => {
    // A hundred readers of the same who behave are 98 MB, which V8 lets lie.
    const cost = await recordsInEnglish(attacked, { waves: 15 })
    expectUnnoticed('records in English', cost, { connections: 6000, megabytesMax: 300 })
  })
})

describe.each(doors)('P153: a front to which requests are begun that never end (%s)', (door) => {
  let attacked: AttackedFront

  beforeAll(async () => {
    attacked = await startAttackedFront({ goesFirst: true, door })
  })
  afterAll(() => attacked.close())

  it.each(Object.entries(beginnings))('with thousands of %s', async (name, sends) => {
    const cost = await unfinishedRequests(attacked, { count: 6000, networks: 8, sends })
    // Held are 8 of them; the rest is what a process takes that has just started, and what was given up and is not collected yet.
    expectUnnoticed(name, cost, { connections: 6000, megabytesMax: 80 })
  })
})

describe.each(
  doors.flatMap((door) => Object.entries(keptOpen).map(([name, sends]) => [name, door, sends] as const)),
)('P166: a front that ten thousand keep a connection to, %s (%s)', (name, door, sends) => {
  let attacked: AttackedFront

  beforeAll(async () => {
    attacked = await startAttackedFront({ goesFirst: true, door })
  })
  afterAll(() => attacked.close())

  it.each([
    ['from fifty networks', '127.8', 150],
    ['and then from as many others', '127.9', 50],
  ])('%s', async (_, from, megabytesMax) => {
    const cost = await keptConnections(attacked, { count: 10_000, networks: 50, sends, from })
    process.stdout.write(`${JSON.stringify(cost.statuses)}\n`)
    expect(Object.keys(cost.statuses).filter((status) => Number(status) >= 500)).toEqual([])
    // The first finds a process that has just started, whose heap has not yet taken what it takes for whatever comes: 80 to 126 MB.
    // What is kept for each is seen in the second.
    expectUnnoticed(name, cost, { connections: 10_000, megabytesMax })
  })
})

/**
 * What another reader waited for the front and whoever asks it, whatever else the machine does: what that took is counted off, and
 * told in `stretch`, which is 1 where there was nothing.
 */
function expectUnnoticed(
  name: string,
  cost: Cost,
  { connections, megabytesMax }: { connections: number; megabytesMax: number },
): void {
  const { p99Ms, quietP99Ms, stretch, cpuMs, descriptors } = cost
  const grownMegabytes = cost.grownBytes / MEGABYTE
  const perConnection = descriptors / connections
  const figures = { p99Ms, quietP99Ms, stretch, cpuMs, grownMegabytes, descriptors, perConnection }
  const told = Object.entries(figures).map(([what, figure]) => `${what} ${figure.toFixed(1)}`)
  process.stdout.write(`${name}: ${told.join(', ')}\n`)
  expect(p99Ms).toBeLessThan(50)
  expect(grownMegabytes).toBeLessThan(megabytesMax)
  expect(perConnection).toBeLessThanOrEqual(2)
}

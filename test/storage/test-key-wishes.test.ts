import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  askForTestKey,
  endTestKeyWish,
  postponeTestKeyWish,
  takeTestKeyWish,
} from '#src/storage/test-key-wishes.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())
beforeEach(async () => {
  await storage.database.query('truncate testnokkelonske')
})

const most = { perAddress: 3, perNetwork: 50, waiting: 500, inAll: 2000 }
const printOf = (text: string) => createHash('sha256').update(text).digest()

const begun = Date.now()
const at = (second: number) => new Date(begun + second * 1000)
const ask = (epost: string, nettverk: string, second: number) =>
  askForTestKey(
    storage.database,
    { epost, avtrykk: printOf(epost), nettverk: printOf(nettverk) },
    at(second),
    most,
  )

test('P106: attack: one who asks again and again for those whose mail server hangs holds up nobody who asked before them, or was tried before', async () => {
  const { database } = storage
  await ask('kari@example.no', 'en annen', 0)
  for (let nr = 0; nr < 50; nr += 1) await ask(`${nr}@heng.example`, 'en fremmed', 1 + nr)
  const first = await takeTestKeyWish(database, at(60))
  expect(first).toMatchObject({ epost: 'kari@example.no' })
  // The mail server was away.
  await postponeTestKeyWish(database, first?.id ?? '', at(120))
  expect(await takeTestKeyWish(database, at(60))).toMatchObject({ epost: '49@heng.example' })
  expect(await takeTestKeyWish(database, at(120))).toMatchObject({ epost: 'kari@example.no' })
})

test('P106: attack: one who asks again and again for three whose mail server hangs holds up nobody of a network where many ask', async () => {
  const { database } = storage
  for (let nr = 0; nr < 4; nr += 1) await ask(`kari-${nr}@example.no`, 'et kontor', 0)
  for (let nr = 0; nr < 3; nr += 1) await ask(`${nr}@heng.example`, 'en fremmed', 0)
  const mailed = new Set<string>()
  // Each that hangs takes half a minute, and is due again a minute after.
  let second = 1
  for (let given = 0; mailed.size < 4 && given < 12; given += 1) {
    const wish = await takeTestKeyWish(database, at(second))
    if (wish?.epost.endsWith('@heng.example')) {
      second += 30
      await postponeTestKeyWish(database, wish.id, at(second + 60))
    } else if (wish !== null) {
      mailed.add(wish.epost)
      await endTestKeyWish(database, wish.id)
    }
  }
  expect(mailed.size).toBe(4)
})

test('P106: attack: one who asks for fifty whose mail server hangs holds up nobody who asks after them', async () => {
  const { database } = storage
  for (let nr = 0; nr < 50; nr += 1) await ask(`${nr}@heng.example`, 'en fremmed', nr)
  await ask('kari@example.no', 'en annen', 60)
  expect(await takeTestKeyWish(database, at(60))).toMatchObject({ epost: 'kari@example.no' })
  for (let tried = 0; tried < 50; tried += 1) {
    const wish = await takeTestKeyWish(database, at(60))
    await postponeTestKeyWish(database, wish?.id ?? '', at(120 + tried))
  }
  await ask('ola@example.no', 'en tredje', 180)
  expect(await takeTestKeyWish(database, at(180))).toMatchObject({ epost: 'ola@example.no' })
  // Of those that were tried whoever waits longest is next.
  expect(await takeTestKeyWish(database, at(180))).toMatchObject({ epost: '49@heng.example' })
})

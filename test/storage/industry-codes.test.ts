import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  readIndustryCodes,
  replaceIndustryCodes,
  type StoredIndustryCodes,
} from '#src/storage/industry-codes.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let storage: TestDatabase

beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

describe('the industry codes', () => {
  test('are not there before they are loaded, which is not the same as empty', async () => {
    expect(await readIndustryCodes(storage.database)).toBeNull()
    const empty = load(0, { correspondences: [], sn2025Codes: [], sn2007Codes: [] })
    await replaceIndustryCodes(storage.database, empty)
    expect(await readIndustryCodes(storage.database)).toEqual(empty)
  })

  test('are read as they were stored, in order; a list that was not to be had stays null', async () => {
    const both = load(3)
    await replaceIndustryCodes(storage.database, both)
    expect(await readIndustryCodes(storage.database)).toEqual(both)
    const neither = load(2, { sn2025Codes: null, sn2007Codes: null })
    await replaceIndustryCodes(storage.database, neither)
    expect(await readIndustryCodes(storage.database)).toEqual(neither)
  })

  test('given twice are stored once', async () => {
    const once = load(2)
    const twice = load(2)
    twice.correspondences.push(...once.correspondences)
    twice.sn2007Codes?.push(...(once.sn2007Codes ?? []))
    await replaceIndustryCodes(storage.database, twice)
    expect(await readIndustryCodes(storage.database)).toEqual(once)
  })

  test('stay as they were when a new load can not be stored', async () => {
    const before = load(4)
    await replaceIndustryCodes(storage.database, before)
    const broken = load(5)
    // What the last statement but one does not take.
    broken.sn2007Codes = [{ kode: '01.110', navn: null as unknown as string }]
    await expect(replaceIndustryCodes(storage.database, broken)).rejects.toThrow()
    expect(await readIndustryCodes(storage.database)).toEqual(before)
  })

  test('are always of one load alone, whoever replaces and reads at once', async () => {
    const sizes = [10, 20, 30, 40]
    await replaceIndustryCodes(storage.database, load(10))
    const replacing = Promise.all(
      Array.from({ length: 24 }, (_, round) =>
        replaceIndustryCodes(storage.database, load(sizes[round % 4] ?? 10)),
      ),
    )
    let isDone = false
    const done = replacing.then(() => {
      isDone = true
    })
    let reads = 0
    while (!isDone || reads === 0) {
      const codes = await readIndustryCodes(storage.database)
      expect(codes).toEqual(load(codes?.correspondences.length ?? 0))
      reads++
    }
    await done
  })
})

function load(size: number, other: Partial<StoredIndustryCodes> = {}): StoredIndustryCodes {
  const numbers = Array.from({ length: size }, (_, number) => `${10 + number}.100`)
  return {
    loadedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, 0, size)),
    correspondences: numbers.map((kode) => ({
      sn2025: kode,
      sn2025Navn: `Ny ${kode} i last ${size}`,
      sn2007: kode,
      sn2007Navn: `Gammel ${kode} i last ${size}`,
    })),
    sn2025Codes: numbers.map((kode) => ({ kode, navn: `Ny ${kode} i last ${size}` })),
    sn2007Codes: numbers.map((kode) => ({ kode, navn: `Gammel ${kode} i last ${size}` })),
    ...other,
  }
}

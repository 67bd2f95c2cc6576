import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { createChance } from './shareholder-register/chance.ts'
import { companyCount } from './shareholder-register/companies.ts'
import { type Book, bookOf, CHAIN_LENGTH, type World } from './shareholder-register/holdings.ts'
import { DIRT, type Written, writeRegister } from './shareholder-register/write-register.ts'

const tables = fileURLToPath(new URL('../../../shared/shareholders/', import.meta.url))
const CLASSES = ['1', '2', '3-4', '5-9', '10-19', '20-49', '50-99', '100+'] as const

/** What the generator says of the year's end that SSB's table of the next 1 January tells of. */
const SCALE = 0.1
const AAR = 2010
let books: Book[]
beforeAll(() => {
  const companies = companyCount(AAR, SCALE)
  const world: World = { chance: createChance(1), companies, people: 70_000, scale: SCALE }
  // The first is the giant there is one of, whatever the scale.
  books = Array.from({ length: companies - 1 }, (_, index) => bookOf(index + 1, AAR, world))
})

describe.skipIf(!existsSync(tables))('an invented shareholder register has the shape of the real one', () => {
  it('as many companies with one holder, with two, and so on, as Statistics Norway counted', () => {
    const rows = csv('ssb_enterprises_by_number_of_shareholders.csv').filter(
      ([date]) => date === '2011-01-01',
    )
    const all = Number(rows.find(([, name]) => name === 'total')?.[2])
    for (const name of CLASSES) {
      const counted = (100 * Number(rows.find(([, each]) => each === name)?.[2])) / all
      const made = (100 * books.filter((book) => classOf(book) === name).length) / books.length
      expect(Math.abs(made - counted), `${name}: ${made} made, ${counted} counted`).toBeLessThan(
        Math.max(0.15, counted * 0.08),
      )
    }
  })

  it('a stake in a company with two holders, or ten, is as large as it was found to be', () => {
    const bounds = [10, 25, 50, 75]
    for (const [name = '', ...counted] of csv('ssb_2010_stake_by_number_of_shareholders_pct.csv').slice(2)) {
      const stakes = books
        .filter((book) => classOf(book) === name)
        .flatMap(({ holdings, total }) => holdings.map(({ shares }) => (100 * shares) / total))
      const made = counted.map((_, index) => {
        const from = bounds[index - 1] ?? 0
        const to = bounds[index] ?? 101
        return (100 * stakes.filter((stake) => stake >= from && stake < to).length) / stakes.length
      })
      const farthest = Math.max(...made.map((each, index) => Math.abs(each - Number(counted[index]))))
      expect(farthest, `${name}: ${made.map(Math.round)} made, ${counted} found`).toBeLessThan(10)
    }
  })
})

describe('an invented shareholder register', () => {
  it('has two and a half holders a company, the widely held ones aside, and four of five holders are people', () => {
    const holders = books.flatMap(({ holdings }) => holdings.map(({ holder }) => holder.kind))
    const few = books.filter(({ holdings }) => holdings.length < 100)
    const average = few.reduce((sum, { holdings }) => sum + holdings.length, 0) / few.length
    expect(average).toBeGreaterThan(2.2)
    expect(average).toBeLessThan(2.6)
    const people = holders.filter((kind) => kind === 'person').length / holders.length
    expect(people).toBeGreaterThan(0.75)
    expect(people).toBeLessThan(0.88)
  })

  it('has chains of ten, pairs that own each other, and companies that own some of themselves', () => {
    const isOwnedBy = (book: Book | undefined, owner: number) =>
      book?.holdings.some(({ holder }) => holder.kind === 'company' && holder.number === owner) ?? false
    const of = (company: number) => books[company - 1]
    for (let link = 0; link < CHAIN_LENGTH; link++) expect(isOwnedBy(of(5010 + link), 5011 + link)).toBe(true)
    expect(isOwnedBy(of(4051), 4052) && isOwnedBy(of(4052), 4051)).toBe(true)
    expect(books.some((book) => isOwnedBy(book, book.company))).toBe(true)
  })

  it('is the same bytes from the same seed, and other ones from another', async () => {
    const hashOf = async (seed: number) => {
      const hash = createHash('sha256')
      for await (const chunk of writeRegister({ aar: 2020, scale: 0.001, seed })) hash.update(chunk)
      return hash.digest('hex')
    }
    expect(await hashOf(1)).toBe(await hashOf(1))
    expect(await hashOf(1)).not.toBe(await hashOf(2))
  })

  it('tells what it wrote: rows, those to be refused, and every kind of dirt at its rate', async () => {
    const often = {
      ...DIRT,
      elevenDigits: 0.01,
      tooFewColumns: 0.01,
      missingTotal: 0.05,
      namelessPerson: 0.02,
    }
    let written: Written | undefined
    let text = ''
    for await (const chunk of writeRegister({
      aar: 2024,
      scale: 0.01,
      dirt: often,
      onEnd: (told) => {
        written = told
      },
    }))
      text += chunk
    const rows = text.split('\r\n').slice(1, -1)
    expect(written?.rows).toBe(rows.length)
    expect(written?.bytes).toBe(Buffer.byteLength(text))
    const eleven = rows.filter((row) => /;\d{11};/.test(row)).length
    const short = rows.filter((row) => row.split(';').length < 9).length
    expect(written?.dirt.elevenDigits).toBe(eleven)
    expect(written?.refused).toBe(eleven + short)
    expect(eleven / rows.length).toBeGreaterThan(0.008)
    expect(eleven / rows.length).toBeLessThan(0.012)
  })

  it('the rows of a company stand apart when asked', async () => {
    let text = ''
    for await (const chunk of writeRegister({ aar: 2024, scale: 0.001, isSplit: true })) text += chunk
    const numbers = text
      .split('\r\n')
      .slice(1, -1)
      .map((row) => row.slice(0, 9))
    const groups = numbers.filter((number, index) => number !== numbers[index - 1]).length
    expect(groups).toBeGreaterThan(new Set(numbers).size)
  })
})

function classOf({ holdings: { length } }: Book): (typeof CLASSES)[number] {
  const least = [1, 2, 3, 5, 10, 20, 50, 100]
  return CLASSES[least.findLastIndex((from) => length >= from)] ?? '1'
}

function csv(name: string): string[][] {
  return readFileSync(`${tables}${name}`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','))
}

import { expect, test } from 'vitest'
import { loadCompanies } from '#src/imports/shareholders/load-companies.ts'
import { scanRegister } from '#src/sources/aksjonaerregisteret/scan.ts'
import { csv, fileOf } from '#test/imports/share-registers.ts'

const row = (orgnr: number, navn: string, antall = '1') =>
  `${orgnr};SELSKAP AS;A;${navn};1980;OSLO;NO;${antall};100`

test('a company with more rows than are held at once is refused whole, line by line, and the others are not', async () => {
  const file = fileOf(
    csv([
      row(910000004, 'KARI'),
      ...Array.from({ length: 6 }, (_, index) => row(910000012, `NR ${index}`, index === 2 ? '-1' : '1')),
      row(910000020, 'OLA'),
    ]),
    60,
  )
  const books: number[] = []
  const refused: [number, string][] = []
  const counts = await loadCompanies({
    blocks: file.blocks(),
    scan: await scanRegister(file.blocks()),
    load: { write: (book) => void books.push(book.orgnr), drained: async () => {} },
    ordered: null,
    isRemoved: () => false,
    onRefused: (line, refusal) => refused.push([line, refusal]),
    onRows: () => {},
    companyRowsMax: 3,
  })
  expect(books).toEqual([910000004, 910000020])
  expect(refused.sort(([a], [b]) => a - b)).toEqual([
    [3, 'for_mange_rader'],
    [4, 'for_mange_rader'],
    [5, 'ugyldig_antall'],
    [6, 'for_mange_rader'],
    [7, 'for_mange_rader'],
    [8, 'for_mange_rader'],
  ])
  expect(counts).toMatchObject({ godtatt: 2, avviste: 6, utelatt: 0 })
})

import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import type { Sheet } from '#src/http/sheets/sheet.ts'
import { workbookOf } from '#src/http/sheets/workbook.ts'

/** As large as five hundred companies with their roles and holders. */
const large: Sheet = {
  name: 'Roller',
  columns: Array.from({ length: 10 }, (_, index) => `kolonne ${index}`),
  rows: Array.from({ length: 4000 }, (_, row) => Array.from({ length: 10 }, (_, cell) => `${row} ${cell}`)),
}
const small: Sheet = { name: 'Ett', columns: ['navn'], rows: [['Å AS']] }

const refused = () => new Error('its turn did not come')

describe('a workbook', () => {
  it('P100: lets everybody else in while it is written', async () => {
    let others = 0
    let isOver = false
    const another = () => {
      others += 1
      if (!isOver) setTimeout(another)
    }
    setTimeout(another)
    expect((await workbookOf([large], 'en', refused)).length).toBeGreaterThan(50_000)
    isOver = true
    // Written here it would be one turn, or two.
    expect(others).toBeGreaterThan(20)
  })

  it('P100: of whoever wants one does not wait for all of whoever wants many', async () => {
    const ends: string[] = []
    const wanted = ['mange', 'mange', 'mange', 'mange', 'en'].map(async (of) => {
      await workbookOf([small], of, refused)
      ends.push(of)
    })
    await Promise.all(wanted)
    expect(ends.indexOf('en')).toBeLessThanOrEqual(2)
  })

  it('holds every text as it is, also one that means something to programs', async () => {
    const words = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'Å AS']
    const sheet: Sheet = { name: 'Navn', columns: ['navn'], rows: words.map((word) => [word]) }
    const files = unzipSync(await workbookOf([sheet], 'en', refused))
    const read = (path: string) => strFromU8(files[path] ?? new Uint8Array())
    const texts = [...read('xl/sharedStrings.xml').matchAll(/<t[^>]*>([^<]*)</g)].map(([, text]) => text)
    const cells = [...read('xl/worksheets/sheet1.xml').matchAll(/<v>([^<]*)<\/v>/g)].map(
      ([, index]) => texts[Number(index)],
    )
    expect(cells.map((text) => text?.trim())).toEqual(['navn', ...words])
  })
})

import { describe, expect, it } from 'vitest'
import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { archivedAccounts } from '#src/samples/archived-accounts.ts'
import { SAMPLE, sampleNumbers } from '#src/samples/numbers.ts'
import { hiddenPersons, shareYears } from '#src/samples/shares/share-years.ts'

describe.each(['2026-11-22', '2028-05-15', '2031-12-31'])('the shareholder years as of %s', (day) => {
  const now = new Date(`${day}T12:00:00Z`)
  const years = [...shareYears(now)].map(({ file, ...year }) => ({ ...year, rows: rowsOf(file) }))

  it('are six or more in a row up to the last closed one, extracted the spring after', () => {
    const found = years.map(({ aar }) => aar)
    const last = now.getUTCFullYear() - (now.getUTCMonth() >= 8 ? 1 : 2)
    expect(found.length).toBeGreaterThanOrEqual(6)
    expect(found).toEqual(found.map((_, index) => last - found.length + 1 + index))
    for (const { aar, uttrekksdato } of years) {
      expect(uttrekksdato).toBe(`${aar + 1}-05-20`)
      expect(new Date(uttrekksdato) < now).toBe(true)
    }
  })

  it('add up: the holders of every book have all of its shares, but for the one that does not say', () => {
    for (const { aar, rows } of years) {
      for (const [orgnr, book] of Object.entries(Object.groupBy(rows, (row) => row.orgnr))) {
        const sum = book?.reduce((all, { aksjer }) => all + aksjer, 0)
        const totals = new Set(book?.map(({ totalt }) => totalt))
        expect([aar, orgnr, ...totals]).toEqual([aar, orgnr, orgnr === SAMPLE.forcedDissolution ? 0 : sum])
      }
    }
  })

  it('name invented companies alone, and nothing that looks like an identity number', () => {
    for (const { rows } of years) {
      for (const { orgnr, ident, line } of rows) {
        expect(sampleNumbers).toContain(orgnr)
        if (isOrganisasjonsnummer(ident)) expect(sampleNumbers).toContain(ident)
        expect(line).not.toMatch(/(?<!\d)\d{6}[ -]?\d{5}(?!\d)/)
      }
    }
  })

  it('have no two people who are one: of a name and a year of birth there is one in a book', () => {
    const giant = years.at(-1)?.rows.filter(({ orgnr }) => orgnr === SAMPLE.usd) ?? []
    const people = giant.map(({ navn, ident }) => `${navn} ${ident}`)
    expect(new Set(people).size).toBe(people.length)
    expect(people.length).toBeGreaterThan(1000)
  })

  it('leaders and owners are born in the same years as in the roles, and the hidden one is among the holders', () => {
    const born = 1968 + now.getUTCFullYear() - (now.getUTCMonth() >= 8 ? 1 : 2) - 2025
    const last = years.at(-1)?.rows ?? []
    expect(last.find(({ navn }) => navn === 'ÅSHILD ØVREBØ')?.ident).toBe(String(born))
    for (const { navn, fodselsaar } of hiddenPersons(now))
      expect(last.some((row) => row.navn === navn && row.ident === String(fodselsaar))).toBe(true)
  })

  it('the archive of accounts has the three years before those the register gives', () => {
    const filings = archivedAccounts(now)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { regnskapsperiode: { tilDato: string }; journalnr: string })
    const last = years.at(-1)?.aar ?? 0
    expect(filings.map(({ regnskapsperiode }) => regnskapsperiode.tilDato)).toEqual(
      [last - 5, last - 4, last - 3].map((year) => `${year}-12-31`),
    )
  })
})

it('the same day gives the same bytes, so that a second import finds nothing new', () => {
  const now = new Date('2027-01-05T00:00:00Z')
  const files = () => [...shareYears(now)].map(({ file }) => file.toString('base64'))
  expect(files()).toEqual(files())
})

function rowsOf(file: Buffer) {
  const [header, ...lines] = file.toString().trimEnd().split('\r\n')
  expect(header).toMatch(/^\uFEFFOrgnr;/)
  return lines.map((line) => {
    // One address has a semicolon in it: what stands after it is counted from the right.
    const [orgnr = '', , , navn = '', ident = '', ...rest] = line.split(';')
    const [aksjer, totalt] = rest.slice(-2).map(Number) as [number, number]
    return { line, orgnr, navn: navn.trim(), ident: ident.trim(), aksjer, totalt }
  })
}

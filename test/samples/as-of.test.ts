import { describe, expect, test } from 'vitest'
import type { CompanyAnswers } from '#src/samples/answers.ts'
import { asOf, lastClosedYear } from '#src/samples/as-of.ts'
import { companies } from '#src/samples/companies.ts'
import { SAMPLE } from '#src/samples/numbers.ts'
import { samplesAt } from '#src/samples/samples.ts'

const DAYS = ['2024-03-01', '2026-08-31', '2026-09-01', '2027-02-14', '2028-05-15', '2033-12-31']

describe.each(DAYS)('the samples as of %s', (day) => {
  const now = new Date(`${day}T12:00:00Z`)
  const answers = [...samplesAt(now).companies.values()]

  test('nothing in them is yet to come, and the newest is of the last twelve months', () => {
    const dates = answers.flatMap(datesIn)
    expect(dates.filter((date) => date > day)).toEqual([])
    const lookedUp = (date: string) => date === day
    const newest = dates.filter((date) => !lookedUp(date)).sort()
    const yearAgo = new Date(Date.UTC(now.getUTCFullYear() - 1, now.getUTCMonth(), now.getUTCDate() - 31))
    expect((newest.at(-1) ?? '') > yearAgo.toISOString()).toBe(true)
  })

  test('every date is a day there is', () => {
    for (const date of answers.flatMap(datesIn)) {
      const read = new Date(`${date}T00:00:00Z`)
      expect(Number.isNaN(read.getTime()) ? 'no day' : read.toISOString().slice(0, 10)).toBe(date)
    }
  })

  test('accounts end with the last closed year, and the unit says so', () => {
    const { enhet, regnskap } = samplesAt(now).companies.get(SAMPLE.healthy) ?? {}
    const last = lastClosedYear(now)
    const unit = jsonOf(enhet) as { sisteInnsendteAarsregnskap: string }
    const filings = jsonOf(regnskap) as { journalnr: string; regnskapsperiode: { tilDato: string } }[]
    expect(unit.sisteInnsendteAarsregnskap).toBe(String(last))
    const ends = filings.map(({ regnskapsperiode }) => regnskapsperiode.tilDato)
    expect(ends.sort().at(-1)).toBe(`${last}-12-31`)
    // A journal begins with the year the accounts came in, which is the one after.
    for (const { journalnr, regnskapsperiode } of filings)
      expect(Number(journalnr.slice(0, 4)) - Number(regnskapsperiode.tilDato.slice(0, 4))).toBe(1)
  })

  test('whoever leads the board is as old as always, in the roles and in the mandate', () => {
    const { roller, signatur } = samplesAt(now).companies.get(SAMPLE.healthy) ?? {}
    const born = 1968 + lastClosedYear(now) - 2025
    expect(JSON.stringify(jsonOf(roller))).toContain(`"fodselsdato":"${born}-03-14"`)
    expect(JSON.stringify(jsonOf(signatur))).toContain(`"fodselsdato":"14.03.${born}"`)
  })
})

test('as of the day they were written for they are as they stand, but for when mandates were looked up', () => {
  for (const answer of Object.values(companies)) {
    const written = JSON.stringify(answer)
    const shown = JSON.stringify(asOf(answer, new Date('2026-09-01T12:00:00Z')))
    expect(withoutLookUps(shown)).toBe(withoutLookUps(written))
  }
})

test('a birthday on 29 February is the day before in a year that has none', () => {
  const born = { fodselsdato: '1992-02-29', dato: '29.02.1992' }
  expect(asOf(born, new Date('2027-10-01'))).toEqual({ fodselsdato: '1993-02-28', dato: '28.02.1993' })
  expect(asOf(born, new Date('2030-10-01'))).toEqual({ fodselsdato: '1996-02-29', dato: '29.02.1996' })
})

test('what only looks like a date is left alone', () => {
  const other = { orgnr: '901012121', postnummer: '9990', belop: 20_261_231, tekst: 'R0012, Gate 1 nr. 50' }
  expect(asOf(other, new Date('2031-10-01'))).toEqual(other)
})

function jsonOf(answer: CompanyAnswers['enhet']): unknown {
  return answer !== undefined && 'json' in answer ? answer.json : null
}

function withoutLookUps(text: string): string {
  return text.replace(/"oppslagsTidspunkt":"[^"]+"/g, '')
}

/** ISO, of both ways to write them. */
function datesIn(answer: CompanyAnswers): string[] {
  const text = JSON.stringify(answer)
  const iso = [...text.matchAll(/(?<!\d)\d{4}-\d\d-\d\d(?!\d)/g)].map(([date]) => date)
  const dotted = [...text.matchAll(/(?<!\d)(\d\d)\.(\d\d)\.(\d{4})(?!\d)/g)]
  return [...iso, ...dotted.map(([, day, month, year]) => `${year}-${month}-${day}`)]
}

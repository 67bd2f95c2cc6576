import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { forholdstall, type RatioFigures } from '#src/record/sections/regnskap/forholdstall.ts'

const year = (changes: Partial<RatioFigures> = {}): RatioFigures => ({
  sumDriftsinntekter: 1000,
  driftsresultat: 120,
  sumFinanskostnad: 30,
  ordinaertResultatFoerSkattekostnad: 100,
  ordinaertResultatSkattekostnad: 22,
  ekstraordinaerePoster: null,
  aarsresultat: 78,
  sumOmloepsmidler: 300,
  sumEiendeler: 650,
  sumEgenkapital: 260,
  sumKortsiktigGjeld: 200,
  sumGjeld: 390,
  sumEgenkapitalGjeld: 650,
  ...changes,
})
const names = Object.keys(year()) as (keyof RatioFigures)[]

const figure = fc.oneof(
  fc.constant(null),
  fc.constant(0),
  fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 }),
  fc.double({ min: -1e15, max: 1e15, noNaN: true }),
)
const anyYear = fc.record(
  Object.fromEntries(names.map((name) => [name, figure])) as Record<keyof RatioFigures, typeof figure>,
)
const allOf = (ratios: ReturnType<typeof forholdstall>) =>
  Object.values(ratios).map((each) => (typeof each === 'object' && each !== null ? each.verdi : each))

describe('the ratios', () => {
  it('are the formulas of Statistisk sentralbyrå, at the year’s end where no year before is known', () => {
    expect(forholdstall(year(), null)).toEqual({
      driftsmargin: 0.12,
      resultatgrad: 0.1,
      egenkapitalandel: 0.4,
      likviditetsgrad1: 1.5,
      gjeldsgrad: 1.5,
      totalrentabilitet: { verdi: 0.2, grunnlag: 'utgaaende' },
      egenkapitalrentabilitet: { verdi: 0.3, grunnlag: 'utgaaende' },
    })
  })

  it('are of the average where the year before is known, and say so', () => {
    const before = year({ sumEiendeler: 390, sumEgenkapital: 52 })
    expect(forholdstall(year(), before)).toMatchObject({
      totalrentabilitet: { verdi: 0.25, grunnlag: 'gjennomsnitt' },
      egenkapitalrentabilitet: { verdi: 0.5, grunnlag: 'gjennomsnitt' },
      // Never of an average.
      egenkapitalandel: 0.4,
    })
    expect(forholdstall(year(), year({ sumEiendeler: null }))).toMatchObject({
      totalrentabilitet: { verdi: 0.2, grunnlag: 'utgaaende' },
      egenkapitalrentabilitet: { grunnlag: 'gjennomsnitt' },
    })
  })

  it('the equity share and the debt ratio agree with each other as SSB prints them', () => {
    const ssb2010 = year({ sumEgenkapital: 42.62, sumGjeld: 57.38, sumEgenkapitalGjeld: 100 })
    expect(forholdstall(ssb2010, null).gjeldsgrad).toBeCloseTo(1.35, 2)
  })

  it('the return on equity is after tax; without the tax the year’s result is it, unless there is more to it', () => {
    const untaxed = year({ ordinaertResultatSkattekostnad: null, aarsresultat: 52 })
    expect(forholdstall(untaxed, null).egenkapitalrentabilitet.verdi).toBe(0.2)
    const extraordinary = { ...untaxed, ekstraordinaerePoster: 5 }
    expect(forholdstall(extraordinary, null).egenkapitalrentabilitet).toEqual({ verdi: null, grunnlag: null })
  })

  it('P4: a missing figure is never taken for zero', () => {
    const missing = Object.fromEntries(names.map((name) => [name, null])) as RatioFigures
    expect(allOf(forholdstall(missing, missing))).toEqual(Array(7).fill(null))
    fc.assert(
      fc.property(anyYear, fc.option(anyYear), (figures, before) => {
        const ratios = forholdstall(figures, before)
        const needs = {
          driftsmargin: ['driftsresultat', 'sumDriftsinntekter'],
          resultatgrad: ['ordinaertResultatFoerSkattekostnad', 'sumDriftsinntekter'],
          egenkapitalandel: ['sumEgenkapital', 'sumEgenkapitalGjeld'],
          likviditetsgrad1: ['sumOmloepsmidler', 'sumKortsiktigGjeld'],
          gjeldsgrad: ['sumGjeld', 'sumEgenkapital'],
        } as const
        for (const [name, [numerator, denominator]] of Object.entries(needs)) {
          const above = figures[numerator]
          const below = figures[denominator]
          const value = ratios[name as keyof typeof needs]
          if (above === null || below === null || below <= 0) expect(value).toBeNull()
          else if (value !== null) expect(Math.sign(value) * Math.sign(above)).toBeGreaterThanOrEqual(0)
        }
      }),
    )
  })

  it('are numbers or null, whatever the figures: never infinite, never NaN, and null says no basis', () => {
    fc.assert(
      fc.property(anyYear, fc.option(anyYear), (figures, before) => {
        const ratios = forholdstall(figures, before)
        for (const value of allOf(ratios)) expect(value === null || Number.isFinite(value)).toBe(true)
        for (const { verdi, grunnlag } of [ratios.totalrentabilitet, ratios.egenkapitalrentabilitet]) {
          expect(grunnlag === null).toBe(verdi === null)
          if (before === null) expect(grunnlag).not.toBe('gjennomsnitt')
        }
      }),
    )
  })

  it('do not depend on the unit: thousands give what kroner give', () => {
    const whole = fc.integer({ min: -1_000_000, max: 1_000_000 })
    const wholeYear = fc.record(
      Object.fromEntries(names.map((name) => [name, whole])) as Record<keyof RatioFigures, typeof whole>,
    )
    const inThousands = (figures: RatioFigures) =>
      Object.fromEntries(names.map((name) => [name, (figures[name] ?? 0) * 1000])) as RatioFigures
    fc.assert(
      fc.property(wholeYear, wholeYear, (figures, before) => {
        expect(forholdstall(inThousands(figures), inThousands(before))).toEqual(forholdstall(figures, before))
      }),
    )
  })
})

import { describe, expect, it } from 'vitest'
import { industryCodes } from '#src/record/industry-codes.ts'
import type { StoredIndustryCodes } from '#src/storage/industry-codes.ts'

const row = (sn2025: string, sn2007: string, names: [string, string] = ['nytt', 'gammelt']) => ({
  sn2025,
  sn2025Navn: names[0],
  sn2007,
  sn2007Navn: names[1],
})

const stored = (changes: Partial<StoredIndustryCodes> = {}): StoredIndustryCodes => ({
  loadedAt: new Date('2026-11-01T00:00:00Z'),
  correspondences: [
    row('35.140', '35.130'),
    row('01.130', '01.190'),
    row('01.130', '01.280'),
    row('53.200', '96.010', ['Bud', 'Vaskeri']),
    row('81.210', '81.210', ['Rengjøring av bygninger', 'Rengjøring av bygninger']),
    row('81.220', '81.210', ['Annet', 'Rengjøring av bygninger']),
  ],
  sn2025Codes: [
    { kode: '06.100', navn: 'Råolje' },
    { kode: '53.200', navn: 'Bud' },
    { kode: '99.999', navn: 'Helt ny' },
  ],
  sn2007Codes: [
    { kode: '06.100', navn: 'Råolje' },
    { kode: '53.200', navn: 'Bud' },
  ],
  ...changes,
})

const map = (code: string, changes: Partial<StoredIndustryCodes> = {}) =>
  industryCodes(stored(changes), true).toSn2007(code)

describe('from SN2025 to SN2007', () => {
  it('a code that did not change is the same', () => {
    expect(map('06.100')).toEqual({
      art: 'samme',
      koder: [{ kode: '06.100', beskrivelse: 'Råolje' }],
      fullstendig: true,
    })
  })

  it('a code with one other counterpart is one to one', () => {
    expect(map('35.140')).toMatchObject({ art: 'en_til_en', koder: [{ kode: '35.130' }], fullstendig: true })
  })

  it('a code with several counterparts is one of several, all of them shown', () => {
    expect(map('01.130')).toMatchObject({
      art: 'en_av_flere',
      koder: [{ kode: '01.190' }, { kode: '01.280' }],
    })
  })

  it('a listed code that goes on as itself keeps itself among its counterparts', () => {
    expect(map('53.200')).toMatchObject({
      art: 'en_av_flere',
      koder: [{ kode: '53.200' }, { kode: '96.010' }],
    })
  })

  it('without the SN2007 list a listed change is not claimed to be the whole truth', () => {
    const courier = map('53.200', { sn2007Codes: null })
    expect(courier).toEqual({
      art: 'en_av_flere',
      koder: [{ kode: '96.010', beskrivelse: 'Vaskeri' }],
      fullstendig: false,
    })
  })

  it('without the SN2007 list a code the table lists to itself is still the same', () => {
    expect(map('81.210', { sn2007Codes: null })).toMatchObject({ art: 'samme', fullstendig: true })
  })

  it('without the code lists a code that is not listed is not known to be any, and what is missing is named', () => {
    for (const code of ['99.999', '', '01.110', '06.100']) {
      for (const sn2007Codes of [null, stored().sn2007Codes]) {
        expect(map(code, { sn2025Codes: null, sn2007Codes }), code).toEqual({
          art: 'ukjent',
          koder: [],
          fullstendig: false,
        })
      }
    }
    expect(map('06.100', { sn2007Codes: null })).toEqual({
      art: 'samme',
      koder: [{ kode: '06.100', beskrivelse: 'Råolje' }],
      fullstendig: false,
    })
    const without = (changes: Partial<StoredIndustryCodes>) => industryCodes(stored(changes), true).avvik
    expect(without({})).toEqual([])
    expect(without({ sn2025Codes: null })).toEqual(['/sn2025Codes'])
    expect(without({ sn2007Codes: null })).toEqual(['/sn2007Codes'])
  })

  it('a code in neither list is unknown, not the same', () => {
    expect(map('12.345')).toMatchObject({ art: 'ukjent', koder: [] })
    expect(map('99.999')).toMatchObject({ art: 'ukjent', koder: [] })
  })

  it('no industry stated has no counterpart', () => {
    expect(map('00.000')).toEqual({ art: 'uoppgitt', koder: [], fullstendig: true })
  })
})

import { describe, expect, it } from 'vitest'
import { holderKind, isNominee, isPublicOwner } from '#src/record/eierskap/holder-kind.ts'

describe('what a holder is', () => {
  it.each([
    'STATEN',
    'Staten v/Nærings- og fiskeridepartementet',
    'STATEN V/ NÆRINGSDEPARTEMENTET',
    'NÆRINGS- OG FISKERIDEPARTEMENTET',
    'STATEN OLJE- OG ENERGIDEPARTEMENTET',
    'OSLO KOMMUNE',
    'NORE OG UVDAL KOMMUNE',
    'OSLO KOMMUNE BYRÅDSAVDELING FOR FINANS',
    'GUOVDAGEAINNU SUOHKAN KAUTOKEINO KOMMUNE',
    'TRØNDELAG FYLKESKOMMUNE',
    'FOLKETRYGDFONDET',
  ])('%s is a public owner', (navn) => {
    expect(isPublicOwner(navn)).toBe(true)
    expect(holderKind({ navn, orgnr: 1, aksjer: 1 })).toBe('offentlig')
  })

  it.each([
    'OSLO KOMMUNE HOLDING AS',
    'BERGEN KOMMUNALE PENSJONSKASSE',
    'PENSJONSKASSEN FOR BERGEN KOMMUNE',
    'FAGFORBUNDET BERGEN KOMMUNE',
    'KOMMUNEKRAFT AS',
    'STATENS HUS DRIFT AS',
    'STATEN EIENDOM AS',
    'DEPARTEMENT STORE NORGE AS',
    'FOLKETRYGDFONDETS VENNER',
    'ANSATTE I MOSS KOMMUNE',
    null,
  ])('%s is none', (navn) => {
    expect(isPublicOwner(navn)).toBe(false)
  })

  it.each([
    'NORTHERN NOMINEES LTD',
    'CLEARSTREAM BANKING S.A.',
    'STATE STREET BANK AND TRUST COMP',
    'J.P. MORGAN SE',
  ])('%s holds for others', (navn) => expect(isNominee(navn)).toBe(true))

  it.each(['HANSEN EIENDOMSFORVALTNING AS', 'ODIN FORVALTNING AS', 'NOMINERT AS', 'MORGAN HANSEN', null])(
    '%s holds for itself',
    (navn) => expect(isNominee(navn)).toBe(false),
  )

  it('a year of birth makes a person, whatever the name', () => {
    expect(holderKind({ navn: 'OSLO KOMMUNE', fodselsaar: 1970, aksjer: 1 })).toBe('person')
    expect(holderKind({ navn: null, fodselsaar: 1970, aksjer: 1 })).toBe('person')
    expect(holderKind({ navn: null, skjult: true, aksjer: 1 })).toBe('person')
  })

  it('without year and number a foreign country makes foreign, and nothing makes unknown', () => {
    expect(holderKind({ navn: 'PARIR AB', land: 'SE', aksjer: 1 })).toBe('utenlandsk')
    expect(holderKind({ navn: 'NOEN', land: 'NO', aksjer: 1 })).toBe('ukjent')
    expect(holderKind({ navn: null, aksjer: 1 })).toBe('ukjent')
    expect(holderKind({ navn: 'SVENSK NUF', orgnr: 1, land: 'SE', aksjer: 1 })).toBe('foretak')
  })
})

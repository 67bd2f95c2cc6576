import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fullmaktOf, lookedUpAt } from '#src/record/sections/fullmakt.ts'
import { rollerOf } from '#src/record/sections/roller.ts'
import type { RegisterRolle, RegisterRoller } from '#src/sources/enhetsregisteret/schema.ts'

const group = (
  kode: string,
  ...each: (Partial<RegisterRolle> & { kode?: string })[]
): RegisterRoller['rollegrupper'][number] => ({
  type: { kode },
  sistEndret: '2026-01-02',
  roller: each.map(({ kode: rolle = kode, ...role }) => ({
    type: { kode: rolle },
    avregistrert: false,
    ...role,
  })),
})
const person = (etternavn: string) => ({ person: { navn: { fornavn: 'Kari', etternavn } } })
const sorted = (...groups: RegisterRoller['rollegrupper']) => rollerOf({ rollegrupper: groups })

describe('roles', () => {
  it('P6: whoever has left is shown as former only, in the old shape and the new', () => {
    const board = sorted(
      group(
        'STYR',
        { kode: 'MEDL', ...person('Ny'), avregistrert: true },
        { kode: 'MEDL', ...person('Gammel'), avregistrert: false, fratraadt: true },
        { kode: 'MEDL', ...person('Sitter'), avregistrert: false },
      ),
    )
    expect(board.styre.medlemmer?.map(({ rolleinnehaver }) => rolleinnehaver.navn)).toEqual(['Kari Sitter'])
    expect(board.tidligere?.map(({ gjeldende }) => gjeldende)).toEqual([false, false])
  })

  it('P6: a role that neither shape speaks of is not claimed to be current', () => {
    const roles = rollerOf({
      rollegrupper: [{ type: { kode: 'DAGL' }, roller: [{ type: { kode: 'DAGL' } }] }],
    })
    // Nor is it said that there is none.
    expect(roles.dagligLeder).toBeNull()
    expect(roles.revisor).toEqual([])
    expect(roles.uavklart).toMatchObject([{ gjeldende: null, gruppe: { kode: 'DAGL' } }])
  })

  it('P6: a former holder whom one flag tells of is former, whatever the other; an unread flag alone is never current', () => {
    const { dagligLeder, tidligere, uavklart } = sorted(
      group(
        'DAGL',
        { ...person('Gammel'), fratraadt: true, avregistrert: null },
        { ...person('Uviss'), fratraadt: false, avregistrert: null },
        { ...person('Leder'), avregistrert: false },
      ),
    )
    const names = (list: typeof uavklart | null) => list?.map(({ rolleinnehaver }) => rolleinnehaver.navn)
    expect([names(dagligLeder), names(tidligere), names(uavklart)]).toEqual([
      ['Kari Leder'],
      ['Kari Gammel'],
      ['Kari Uviss'],
    ])
  })

  it('a list is empty when the register has none, and null when something that may belong there was not to be read', () => {
    const board = { type: { kode: 'STYR' }, roller: [{ type: { kode: 'LEDE' }, avregistrert: false }, null] }
    expect(sorted(board)).toMatchObject({
      styre: { leder: [{ gjeldende: true }], medlemmer: null, andre: null },
      dagligLeder: [],
      tidligere: null,
      uavklart: [],
    })
    expect(sorted({ type: { kode: 'REVI' }, roller: null })).toMatchObject({ revisor: null, dagligLeder: [] })
    expect(sorted(null)).toMatchObject({
      revisor: null,
      dagligLeder: null,
      ovrige: null,
      styre: { leder: null },
    })
  })

  it('a name of which a part can not be read is not shown as the whole name', () => {
    const navn = { fornavn: 'Kari', mellomnavn: null, etternavn: 'Nordmann' }
    const roles = sorted(
      group('DAGL', { person: { navn } }),
      group('REVI', { enhet: { navn: ['REVISJON', null] } }),
    )
    expect(roles.dagligLeder?.[0]?.rolleinnehaver).toMatchObject({ navn: null, etternavn: 'Nordmann' })
    expect(roles.revisor?.[0]?.rolleinnehaver).toMatchObject({ type: 'enhet', navn: null })
  })

  it('only AREP is elected by the employees; share classes are not', () => {
    const { styre } = sorted(
      group('STYR', { kode: 'MEDL', valgtAv: { kode: 'AREP' } }, { kode: 'MEDL', valgtAv: { kode: 'A-AK' } }),
    )
    expect(styre.medlemmer?.map(({ valgtAvAnsatte }) => valgtAvAnsatte)).toEqual([true, false])
  })

  it('an estate’s administrator has a holder of a shape of its own', () => {
    const { bostyrer } = sorted(group('BOBE', { bostyrer: { navn: 'Adv. Ola Nordmann', erDoed: false } }))
    expect(bostyrer?.[0]?.rolleinnehaver).toMatchObject({ type: 'bostyrer', navn: 'Adv. Ola Nordmann' })
  })

  it('a company that holds a role has its name joined from the register’s list', () => {
    const { revisor } = sorted(
      group('REVI', { enhet: { organisasjonsnummer: '976389387', navn: ['REVISJON', 'AS'] } }),
    )
    expect(revisor?.[0]?.rolleinnehaver).toMatchObject({ type: 'enhet', navn: 'REVISJON AS' })
  })

  it.each([
    ['50%', 50],
    ['33,33 %', 33.33],
    ['1/4', 25],
    ['1/0', null],
    ['halvparten', null],
    ['250 %', null],
  ])('the share %j of a partner is %s percent, and its text is kept', (ansvarsandel, prosent) => {
    expect(sorted(group('DELT', { kode: 'DTPR', ansvarsandel })).deltakere?.[0]?.ansvarsandel).toEqual({
      tekst: ansvarsandel,
      prosent,
    })
  })

  it('nothing is dropped because its code is unknown', () => {
    const code = fc.constantFrom('STYR', 'DAGL', 'FFØR', 'SAM', 'XYZT', '', '__proto__')
    const role = fc.record({ kode: code, avregistrert: fc.boolean() })
    fc.assert(
      fc.property(fc.array(fc.tuple(code, fc.array(role))), (groups) => {
        const { styre, ...rest } = sorted(...groups.map(([kode, roles]) => group(kode, ...roles)))
        const shown = [...Object.values(styre), ...Object.values(rest)].flat()
        expect(shown.length).toBe(groups.reduce((sum, [, roles]) => sum + roles.length, 0))
      }),
    )
  })
})

describe('signature and prokura', () => {
  const status = (regel: string) => ({
    rutineStatus: { kode: 'OK' },
    kombinasjonStatus: { kode: 'OK' },
    regelStatus: { kode: regel, regelIdent: 'R0012' },
  })
  const kari = {
    navn: 'Kari Nordmann',
    fodselsdato: '31.01.1970',
    rolle: { kode: 'LEDE', tekstforklaring: 'Styrets leder' },
  }

  const combinations = (...kombinasjon: object[]) => ({ signeringsKombinasjon: { kombinasjon } })

  it('how those of a combination act is not counted out of it: one person named may be one of two', () => {
    const tekstforklaring = 'leder og ett styremedlem i fellesskap'
    const read = fullmaktOf({
      status: status('RF'),
      signeringsGrunnlag: { kode: 'SF' },
      ...combinations({ tekstforklaring, personRolleKombinasjon: [kari] }, {}),
    })
    expect(read).toMatchObject({ registrert: true, standardisert: true, regelIdent: 'R0012' })
    expect(read.kombinasjoner).toEqual([
      {
        kombinasjon: { kode: null, beskrivelse: tekstforklaring },
        kombinasjonsId: null,
        personer: [
          {
            personId: null,
            navn: 'Kari Nordmann',
            fodselsdato: '1970-01-31',
            rolle: { kode: 'LEDE', beskrivelse: 'Styrets leder' },
            fritekst: null,
          },
        ],
      },
      { kombinasjon: null, kombinasjonsId: null, personer: null },
    ])
  })

  it('a combination with a person that can not be read is no combination of the others', () => {
    const read = fullmaktOf({
      status: status('RF'),
      ...combinations({ kombinasjonsId: '1', personRolleKombinasjon: [kari, null] }),
    })
    expect(read.kombinasjoner).toMatchObject([{ kombinasjonsId: '1', personer: null }])
  })

  it('"none registered" is an answer, and no word of a rule in free text', () => {
    expect(fullmaktOf({ status: status('RI'), signeringsGrunnlag: { kode: 'SI' } })).toMatchObject({
      registrert: false,
      standardisert: null,
      kombinasjoner: null,
      lovensUtgangspunkt: null,
    })
  })

  it('under a rule that is not standardised the combinations are the law’s, and stand apart from a rule’s', () => {
    const read = fullmaktOf({
      status: status('RI'),
      signeringsGrunnlag: {
        kode: 'SF',
        signaturProkuraRoller: { signaturProkuraFritekst: 'Styrets leder alene.' },
      },
      ...combinations({ kombinasjonsId: '1', personRolleKombinasjon: [kari] }),
    })
    expect(read).toMatchObject({
      registrert: true,
      standardisert: false,
      fritekst: 'Styrets leder alene.',
      kombinasjoner: null,
      lovensUtgangspunkt: [{ kombinasjonsId: '1' }],
      kombinasjonerUtenKjentRegel: null,
    })
    expect(fullmaktOf({ status: status('RT'), ...combinations({ kombinasjonsId: '2' }) })).toMatchObject({
      kombinasjoner: null,
      lovensUtgangspunkt: null,
      kombinasjonerUtenKjentRegel: [{ kombinasjonsId: '2' }],
    })
  })

  it.each(['0000-00-00T00:00:00', '2026-02-30T10:00:00', '2026-13-01', '99999-12-31', ''])(
    'P71: attack: a day that is none (%j) is not told as the one it is as of',
    (oppslagsTidspunkt) => {
      const status = { rutineStatus: { kode: 'OK' } }
      expect(lookedUpAt({ status, oppslagsData: { oppslagsTidspunkt } })).toBeNull()
      const good = { oppslagsTidspunkt: '2026-11-22T07:00:00.123' }
      expect(lookedUpAt({ status, oppslagsData: good })).toBe('2026-11-22')
    },
  )

  it('a code that is not known decides nothing', () => {
    expect(fullmaktOf({ status: status('RT'), signeringsGrunnlag: { kode: 'S?' } })).toMatchObject({
      registrert: null,
      standardisert: null,
    })
  })
})

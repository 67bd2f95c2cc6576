import { describe, expect, it } from 'vitest'
import { merge } from '#src/record/merge.ts'
import { createPersonIds, identifyHolders } from '#src/record/person-ids.ts'
import { muligSammePerson } from '#src/record/same-person.ts'
import { found, late, parts, personIds } from './parts.ts'

const kari = { fornavn: 'Kari', etternavn: 'Nordmann' }
const leads = (person: object) =>
  found({
    rollegrupper: [
      { type: { kode: 'DAGL' }, roller: [{ type: { kode: 'DAGL' }, person, avregistrert: false }] },
    ],
  })
const role = (person: object) =>
  merge(parts({ roller: leads(person) })).roller.data?.dagligLeder?.[0]?.rolleinnehaver
const holder = (of: { navn: string | null; fodselsaar: number | null; skjult?: boolean }) => ({
  skjult: false,
  aksjonaerId: null as string | null,
  ...of,
})

describe('an id of a person', () => {
  it('is the same for the same name and date of birth, however the name is written, and another for another', () => {
    const id = (navn: string, fodselsdato: string) => personIds.rolleinnehaver(navn, fodselsdato)
    expect(id('Kari Nordmann', '1970-02-03')).toMatch(/^ri_[\w-]{22}$/)
    expect(id('KARI  NORDMANN', '1970-02-03')).toBe(id('Kari Nordmann', '1970-02-03'))
    expect(id('Kari Nordmann', '1970-02-04')).not.toBe(id('Kari Nordmann', '1970-02-03'))
    expect(id('Ola Nordmann', '1970-02-03')).not.toBe(id('Kari Nordmann', '1970-02-03'))
  })

  it('can not be computed without the secret: another installation has others', () => {
    const others = createPersonIds(Buffer.from('another secret'))
    expect(others.aksjonaer('KARI', 1970)).not.toBe(personIds.aksjonaer('KARI', 1970))
  })

  it('of a role holder is never that of a shareholder', () => {
    const ids = [personIds.rolleinnehaver('KARI', '1970'), personIds.aksjonaer('KARI', 1970)]
    expect(ids[0]?.slice(3)).not.toBe(ids[1]?.slice(3))
  })

  it('is there for a role and for who may sign, and not where the date of birth is not', () => {
    const person = { navn: kari, fodselsdato: '1970-02-03' }
    expect(role(person)).toMatchObject({ personId: personIds.rolleinnehaver('Kari Nordmann', '1970-02-03') })
    expect(role({ navn: kari })).toMatchObject({ personId: null })
  })

  it('P21: is nobody’s who is hidden, and no company’s', () => {
    const hidden = holder({ navn: null, fodselsaar: null, skjult: true })
    const company = holder({ navn: 'FJORD AS', fodselsaar: null })
    const [first, ...others] = identifyHolders(
      [holder({ navn: 'KARI', fodselsaar: 1970 }), hidden, company],
      personIds,
    )
    expect(first?.aksjonaerId).toBe(personIds.aksjonaer('KARI', 1970))
    expect(others.map(({ aksjonaerId }) => aksjonaerId)).toEqual([null, null])
  })
})

describe('who may be the same', () => {
  const roles = [{ personId: 'ri_1', navn: 'Kari Nordmann', fodselsdato: '1970-02-03' }]
  const same = (of: Parameters<typeof holder>[0]) =>
    muligSammePerson(roles, [identifyHolders([holder(of)], personIds)])

  it('is said where name and year are the same, in whatever order the name stands, and why', () => {
    expect(same({ navn: 'NORDMANN KARI', fodselsaar: 1970 })).toEqual([
      {
        personId: 'ri_1',
        aksjonaerId: personIds.aksjonaer('NORDMANN KARI', 1970),
        hvorfor: {
          kode: 'samme_navn_og_fodselsaar',
          beskrivelse: expect.stringContaining('To personer kan'),
        },
      },
    ])
  })

  it.each([
    { navn: 'KARI NORDMANN', fodselsaar: 1971 },
    { navn: 'KARI A NORDMANN', fodselsaar: 1970 },
    { navn: 'KARI NORDMANN', fodselsaar: null },
    { navn: 'KARI NORDMANN', fodselsaar: 1970, skjult: true },
  ])('is not said of %j', (of) => {
    expect(same(of)).toEqual([])
  })

  it('P42, P2: is null when it can not be made, the record is not whole, and nothing else is lost', () => {
    const faults: unknown[] = []
    const unreadable = found({ eiere: [{ aksjonaerId: 'ai_1', navn: 7, fodselsaar: 1970 }] } as never)
    const record = merge(
      parts({ roller: leads({ navn: kari, fodselsdato: '1970-02-03' }), aksjonaerer: unreadable }),
      (section) => faults.push(section),
    )
    expect(record).toMatchObject({ muligSammePerson: null, komplett: false })
    expect(record.kilder.roller.tilstand).toBe('fersk')
    expect(record.kilder.aksjonaerer.tilstand).toBe('fersk')
    expect(faults).toEqual(['roller'])
  })

  it('is null where there is nothing to compare, which is not "nobody"', () => {
    expect(merge(parts({ roller: late })).muligSammePerson).toBeNull()
    expect(merge(parts({ roller: leads({ navn: kari }) })).muligSammePerson).toBeNull()
  })
})

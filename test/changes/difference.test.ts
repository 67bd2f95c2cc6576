import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeTypes } from '#src/changes/change-types.ts'
import { difference } from '#src/changes/difference.ts'
import { lookAt } from '#src/changes/facts.ts'
import { kindsOf } from '#src/changes/kinds.ts'
import { merge } from '#src/record/merge.ts'
import type { Parts } from '#src/record/parts.ts'
import type { Unit } from '#src/record/sections/foretak.ts'
import type { ToldSource } from '#src/sources/index.ts'
import type { Answer } from '#src/sources/source.ts'
import { absent, enhet, fetchedAt, found, parts } from '../record/parts.ts'
import { type Finding, findings } from './answers.ts'
import { applied, factsOf } from './oracle.ts'

const ORGNR = '923609016'
/** The same answers every time; 4,000 of each were tried. */
const SEED = 20261122
const sources = Object.keys(findings) as Finding[]

/** What readers get, with the lists that stand whole at addresses of their own. */
function recordOf(source: Finding, answer: Answer<unknown>): Record<string, unknown> {
  const isUnit = source === 'enhet' || source === 'underenhet'
  const made = {
    unit: isUnit && answer.outcome === 'found' ? { ...answer, value: answer.value as Unit } : found(enhet()),
    ...(!isUnit && { [source]: answer }),
    alone: source,
  }
  return merge(parts(made as Partial<Parts>)) as unknown as Record<string, unknown>
}

/** The record's own parts of one source. */
function partOf(source: Finding, answer: Answer<unknown>): unknown {
  const record = recordOf(source, answer)
  if (source !== 'enhet' && source !== 'underenhet') return { [source]: record[source] }
  const unit = (answer as { value: { overordnetEnhet?: string } }).value
  const { adresser, status, naering } = record
  const sections = Object.keys(findings)
  const own = Object.entries(record).filter(([name]) => !sections.includes(name) && !OTHERS.has(name))
  return {
    ...Object.fromEntries(own),
    overordnetEnhet: { organisasjonsnummer: unit.overordnetEnhet ?? null },
    adresser,
    status,
    naering,
  }
}
const OTHERS = new Set(['aksjonaerer', 'eierskap', 'overordnetEnhet', 'muligSammePerson'])

function changesBetween(source: ToldSource, before: Answer<unknown>, now: Answer<unknown>) {
  const [was, is] = [lookAt(source, ORGNR, before), lookAt(source, ORGNR, now)]
  if (was === null || is === null) throw new Error('nothing to compare')
  return difference(was, is)
}

const answers = (source: Finding): fc.Arbitrary<Answer<unknown>> => {
  const something = (findings[source] as fc.Arbitrary<unknown>).map(
    (value) => found(value) as Answer<unknown>,
  )
  const isUnit = source === 'enhet' || source === 'underenhet'
  return isUnit
    ? something
    : fc.oneof({ weight: 9, arbitrary: something }, fc.constant<Answer<unknown>>(absent))
}
const twoOf = (source: Finding) => fc.tuple(answers(source), answers(source))

describe.each(sources)('P117: what changed in %s', (source) => {
  it('applied to what readers had gives what they get, and nothing more is told', () => {
    fc.assert(
      fc.property(twoOf(source), ([before, now]) => {
        const { fields } = changesBetween(source, before, now)
        const had = partOf(source, before)
        const get = partOf(source, now)
        expect(factsOf(applied(had, fields))).toEqual(factsOf(get))
        if (JSON.stringify(factsOf(had)) === JSON.stringify(factsOf(get))) expect(fields).toEqual([])
        expect(fields.filter(({ for: was, etter }) => JSON.stringify(was) === JSON.stringify(etter))).toEqual(
          [],
        )
      }),
      { numRuns: 250, seed: SEED },
    )
  })

  it('is told under kinds that are listed, each field once', () => {
    fc.assert(
      fc.property(twoOf(source), ([before, now]) => {
        const { fields } = changesBetween(source, before, now)
        const kinds = kindsOf(fields)
        expect(kinds.flatMap(({ felt }) => felt)).toHaveLength(fields.length)
        const listed = new Map(changeTypes.map(({ type, section }) => [type, section]))
        for (const { type, seksjon } of kinds) expect(seksjon).toBe(listed.get(type))
      }),
      { numRuns: 80, seed: SEED },
    )
  })

  it('when nothing was to be read in the one or the other: nobody left and nothing was taken away', () => {
    fc.assert(
      fc.property(twoOf(source), ([before, now]) => {
        const doubted = now.outcome === 'found' ? { ...now, avvik: [''] } : now
        if (doubted.outcome !== 'found') return
        const { fields } = changesBetween(source, before, doubted)
        expect(fields.filter(({ etter }) => etter === null)).toEqual([])
        // Read again as it was, nothing has happened.
        const was = lookAt(source, ORGNR, before)
        const is = lookAt(source, ORGNR, doubted)
        if (was === null || is === null) return
        const emptied = { facts: emptiedOf(is.facts), inDoubt: is.inDoubt }
        const outage = difference(was, emptied)
        expect(outage.fields).toEqual([])
        expect(difference({ facts: outage.known, inDoubt: [] }, was).fields).toEqual([])
      }),
      { numRuns: 80, seed: SEED },
    )
  })
})

/** As if nothing of it could be read. */
function emptiedOf(facts: unknown): never {
  if (Array.isArray(facts)) return [] as never
  if (typeof facts !== 'object' || facts === null) return null as never
  if ('kode' in facts) return null as never
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, emptiedOf(value)])) as never
}

const kinds = (source: ToldSource, before: Answer<unknown>, now: Answer<unknown>) =>
  kindsOf(changesBetween(source, before, now).fields).map(({ type }) => type)
const unit = (facts: object) => found({ ...enhet(), ...facts }) as Answer<unknown>

describe('P117: a change has the name of what happened', () => {
  it.each([
    [{}, { konkurs: true, konkursdato: '2026-11-01' }, ['foretak.konkurs.apnet']],
    [{ konkurs: true }, { konkurs: true, konkursdato: '2026-11-01' }, ['foretak.status.endret']],
    [{ konkurs: true, konkursdato: '2026-11-01' }, {}, ['foretak.konkurs.avsluttet']],
    [{}, { underAvvikling: true }, ['foretak.avvikling.apnet']],
    [{}, { underRekonstruksjonsforhandlingDato: '2026-11-01' }, ['foretak.rekonstruksjon.apnet']],
    [{}, { navn: 'HEI AS', historiskeNavn: [{ navn: 'LYNGHEI AS' }] }, ['foretak.navn.endret']],
    [{}, { kapital: { belop: 30000 }, telefon: '1' }, ['foretak.kapital.endret', 'foretak.kontakt.endret']],
    [{}, { forretningsadresse: { postnummer: '5003' } }, ['foretak.adresse.endret']],
    [{}, { naeringskode1: { kode: '62.010' } }, ['foretak.naering.endret']],
    [{}, { aktivitet: ['Noe', 'annet'] }, ['foretak.formaal.endret']],
    [{}, { registrertIMvaregisteret: true }, ['foretak.registrering.endret']],
    [{}, { sisteInnsendteAarsregnskap: '2025' }, ['foretak.endret']],
    [{}, { registreringsdatoAntallAnsatteNAVAaregisteret: '2026-11-01' }, []],
    [
      { konkurs: true, forretningsadresse: { postnummer: '5003' }, kapital: { belop: 1 } },
      {
        respons_klasse: 'SlettetEnhet',
        slettedato: '2026-11-02',
        konkurs: undefined,
        underAvvikling: undefined,
        underTvangsavviklingEllerTvangsopplosning: undefined,
        forretningsadresse: undefined,
        kapital: undefined,
      },
      ['foretak.slettet'],
    ],
  ])('%j → %j is %j', (before, now, told) => {
    expect(kinds('enhet', unit(before), unit(now))).toEqual(told)
  })

  it('new words for a code, another order and a newer date of a group are no change', () => {
    const role = (fornavn: string, rekkefolge: number) => ({
      type: { kode: 'MEDL', beskrivelse: `Medlem ${rekkefolge}` },
      person: { navn: { fornavn, etternavn: 'Lien' }, fodselsdato: '1970-01-01' },
      avregistrert: false,
      rekkefolge,
    })
    const board = (sistEndret: string, ...roller: object[]) =>
      found({ rollegrupper: [{ type: { kode: 'STYR' }, sistEndret, roller }] })
    const before = board('2020-01-01', role('Kari', 1), role('Ola', 2))
    expect(kinds('roller', before, board('2026-01-01', role('Ola', 1), role('Kari', 2)))).toEqual([])
    const { fields } = changesBetween('roller', before, board('2026-01-01', role('Ola', 1), role('Per', 2)))
    expect(fields.map(({ felt, for: was, etter }) => [felt, nameIn(was), nameIn(etter)])).toEqual([
      ['/roller/data/styre/medlemmer', null, 'Per Lien'],
      ['/roller/data/styre/medlemmer', 'Kari Lien', null],
    ])
  })

  it('who may have left has not left', () => {
    const role = (over: object) => ({
      type: { kode: 'LEDE' },
      person: { navn: { fornavn: 'Kari', etternavn: 'Lien' } },
      ...over,
    })
    const board = (over: object) =>
      found({ rollegrupper: [{ type: { kode: 'STYR' }, roller: [role(over)] }] })
    expect(kinds('roller', board({ avregistrert: false }), board({ avregistrert: null }))).toEqual([])
    expect(kinds('roller', board({ avregistrert: false }), board({ avregistrert: true }))).toEqual([
      'roller.styre.endret',
    ])
  })

  it('a line that can not be read is not a line that was taken away', () => {
    const before = unit({
      aktivitet: ['Drift', 'av hytter'],
      forretningsadresse: { adresse: ['c/o Lien', 'Vegen 1'] },
    })
    const now = unit({ aktivitet: ['Drift', null], forretningsadresse: { adresse: ['c/o Lien', null] } })
    const named = { ...now, avvik: ['/aktivitet/1', '/forretningsadresse/adresse/1'] } as Answer<unknown>
    expect(kinds('enhet', before, named)).toEqual([])
    expect(kinds('enhet', named, before)).toEqual([])
    // What is said beside it counts.
    const moved = {
      ...named,
      value: { ...enhet(), navn: 'HEI AS', aktivitet: ['Drift', null] },
    } as Answer<unknown>
    expect(kinds('enhet', before, moved)).toEqual(['foretak.navn.endret'])
  })

  it('an archive that could not be read takes no year away, and gives none back', () => {
    const filing = (year: number, id: number) => ({
      id,
      regnskapstype: 'SELSKAP',
      virksomhet: { organisasjonsnummer: ORGNR },
      regnskapsperiode: { fraDato: `${year}-01-01`, tilDato: `${year}-12-31` },
      valuta: 'NOK',
    })
    const known = (archived: number[], isArchiveRead: boolean) =>
      found({
        live: [filing(2025, 3)],
        archived: archived.map((year) => ({
          regnskap: filing(year, 1),
          kilde: 'import',
          hentet: '',
          felt: null,
        })),
        isArchiveRead,
        withoutLive: null,
      })
    expect(kinds('regnskap', known([2023], true), known([], false))).toEqual([])
    expect(kinds('regnskap', known([], false), known([2023], true))).toEqual([])
    expect(kinds('regnskap', absent, known([], true))).toEqual(['regnskap.nytt'])
    expect(kinds('regnskap', known([], true), known([2024], true))).toEqual(['regnskap.nytt'])
  })

  it('a year of shareholders is told in numbers, and names nobody', () => {
    const holder = { navn: 'KARI LIEN', skjult: false, aksjer: 10 }
    const book = (years: number[], aksjerTotalt: number) =>
      found({
        leveranser: { aar: years, id: years },
        nyeste: {
          aksjerTotalt,
          aksjerSum: aksjerTotalt,
          innehavere: 1,
          avvik: [],
          erAlle: true,
          storste: [holder],
        },
        perioder: [],
        endringer: [],
      })
    expect(kinds('aksjonaerer', book([2024], 100), book([2025, 2024], 100))).toEqual(['aksjonaerer.nytt_aar'])
    expect(kinds('aksjonaerer', book([2024], 100), book([2024], 110))).toEqual(['aksjonaerer.endret'])
    expect(JSON.stringify(lookAt('aksjonaerer', ORGNR, book([2024], 100)))).not.toContain('KARI')
  })

  it('another release that knew less finds nothing new in what it did not know', () => {
    const now = lookAt('enhet', ORGNR, unit({ telefon: '1', kapital: { belop: 5 } }))
    if (now === null) throw new Error('nothing seen')
    const { telefon: _, ...earlier } = now.facts
    expect(difference({ facts: earlier, inDoubt: [] }, now).fields).toEqual([])
    expect(difference({ facts: earlier, inDoubt: [] }, now).known).toEqual(now.facts)
    expect(difference(now, { facts: earlier, inDoubt: [] }).fields).toEqual([])
  })

  it('what says that there is nothing to say is not looked at', () => {
    expect(lookAt('enhet', ORGNR, absent)).toBeNull()
    expect(lookAt('roller', ORGNR, { outcome: 'unsupported', certain: true, fetchedAt })).toBeNull()
    expect(lookAt('roller', ORGNR, { outcome: 'removed', slettedato: null, fetchedAt })).toBeNull()
  })
})

function nameIn(item: unknown): string | null {
  return (item as { rolleinnehaver?: { navn: string } } | null)?.rolleinnehaver?.navn ?? null
}

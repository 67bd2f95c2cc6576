import { type Static, type TSchema, Type } from 'typebox'
import type { Words } from '#src/core/language.ts'
import type { KeptSource } from '#src/sources/index.ts'
import { Eierskap } from './eierskap/eierskap.ts'
import type { About, Parts, RecordAnswers } from './parts.ts'
import { identifyPersons } from './person-ids.ts'
import { Adresser, adresserOf, hasAdresse } from './sections/adresser.ts'
import { Aksjonaerer } from './sections/aksjonaerer.ts'
import { archived } from './sections/archived.ts'
import type { Unit } from './sections/foretak.ts'
import { Fullmakt, fullmaktOf, lookedUpAt } from './sections/fullmakt.ts'
import { Konsern, Konsernforetak, Konsernledd, konsernOf } from './sections/konsern.ts'
import { Kunngjoringer, kunngjoringerOf } from './sections/kunngjoringer.ts'
import { hasNaering, Naering, naeringOf } from './sections/naering.ts'
import { OverordnetEnhet, overordnetEnhetOf } from './sections/overordnet-enhet.ts'
import { accountsOf } from './sections/regnskap/stated-accounts.ts'
import { Regnskap } from './sections/regnskap.ts'
import { Regnskapskopier, regnskapskopierOf } from './sections/regnskapskopier.ts'
import { Roller, rollerOf } from './sections/roller.ts'
import {
  Rolleforetak,
  RollerIAndreForetak,
  rollerIAndreForetakOf,
} from './sections/roller-i-andre-foretak.ts'
import { sn2007Of } from './sections/sn2007.ts'
import { Status, statusOf } from './sections/status.ts'
import { Underenhet, Underenheter, underenheterOf } from './sections/underenheter.ts'
import { answered, type Stated, same } from './stated.ts'

/**
 * One section of the record: everything that is true of it, in one place. The promised shape, the questions a record asks,
 * what is said of its sources and the words on the pages are all read from this list.
 */
type SectionDescriptor<Name extends string, Shape extends TSchema, From extends keyof RecordAnswers> = {
  readonly name: Name
  readonly title: Words
  readonly description: string
  /** What `data` is; `Type.Null()`: it has no part of the record to itself, only an entry in `kilder`. */
  readonly shape: Shape
  /** Whose it is and where it was asked for: a source, or the unit's own answer about its parent. */
  readonly of: KeptSource | 'klass' | 'parent'
  /** What is asked for it beside the unit. */
  readonly from: readonly From[]
  /** Of a sub-unit, whose main unit it may be about. */
  readonly ofSubUnit: 'shown' | 'of_the_parent'
  /** Of a deleted unit: what is there is shown, or it ended with the unit; a function: shown when this is stated. */
  readonly ofDeleted: 'shown' | 'ended' | ((unit: Unit) => boolean)
  /** At its own address: the same as in the record, more of it, or all of this list of its data, page by page. */
  readonly alone: 'same' | 'more' | { readonly list: string }
  /** Shapes within it that have a name in the published document. */
  readonly names: Readonly<Record<string, TSchema>>
  readonly make: (parts: About & Pick<RecordAnswers, From>) => Stated<Static<Shape>>
}

/** In the order they stand in the record, in `kilder` and on the pages. */
export const sections = [
  section({
    name: 'enhet',
    title: { nb: 'Foretaket', en: 'The company' },
    description: 'Foretaket selv, øverst i svaret.',
    shape: Type.Null(),
    of: 'enhet',
    from: [],
    ofSubUnit: 'shown',
    ofDeleted: 'shown',
    alone: 'same',
    names: {},
    make: ({ unit }) => same(unit, null),
  }),
  section({
    name: 'overordnetEnhet',
    title: { nb: 'Overordnet enhet', en: 'Parent unit' },
    description: 'Foretaket dette er en del av.',
    shape: OverordnetEnhet,
    of: 'parent',
    from: [],
    ofSubUnit: 'shown',
    ofDeleted: 'shown',
    alone: 'same',
    names: {},
    make: overordnetEnhetOf,
  }),
  section({
    name: 'adresser',
    title: { nb: 'Adresser', en: 'Addresses' },
    description: 'Adresser slik Enhetsregisteret har dem.',
    shape: Adresser,
    of: 'enhet',
    from: [],
    ofSubUnit: 'shown',
    ofDeleted: hasAdresse,
    alone: 'same',
    names: {},
    make: ({ unit }) => same(unit, adresserOf(unit.value)),
  }),
  section({
    name: 'status',
    title: { nb: 'Status', en: 'Status' },
    description: 'Konkurs, avvikling og annet som er satt i gang, hver med sin dato.',
    shape: Status,
    of: 'enhet',
    from: [],
    ofSubUnit: 'of_the_parent',
    ofDeleted: 'shown',
    alone: 'same',
    names: {},
    // Of a sub-unit it is not made.
    make: ({ unit }) => same(unit, statusOf(unit.value as MainUnit)),
  }),
  section({
    name: 'roller',
    title: { nb: 'Roller', en: 'Roles' },
    description: 'Hvem som har roller i foretaket.',
    shape: Roller,
    of: 'roller',
    from: ['roller'],
    ofSubUnit: 'of_the_parent',
    ofDeleted: 'ended',
    alone: 'same',
    names: {},
    make: (parts) => answered(parts.roller, (value) => identifyPersons(rollerOf(value), parts.personIds)),
  }),
  section({
    name: 'signatur',
    title: { nb: 'Signatur', en: 'Signature' },
    description: 'Hvem som kan forplikte foretaket.',
    shape: Fullmakt,
    of: 'signatur',
    from: ['signatur'],
    ofSubUnit: 'of_the_parent',
    ofDeleted: 'ended',
    alone: 'same',
    names: {},
    make: ({ signatur, personIds }) =>
      answered(signatur, (value) => identifyPersons(fullmaktOf(value), personIds), lookedUpAt),
  }),
  section({
    name: 'prokura',
    title: { nb: 'Prokura', en: 'Prokura' },
    description: 'Hvem som kan handle for foretaket i driften.',
    shape: Fullmakt,
    of: 'prokura',
    from: ['prokura'],
    ofSubUnit: 'of_the_parent',
    ofDeleted: 'ended',
    alone: 'same',
    names: {},
    make: ({ prokura, personIds }) =>
      answered(prokura, (value) => identifyPersons(fullmaktOf(value), personIds), lookedUpAt),
  }),
  section({
    name: 'naering',
    title: { nb: 'Næring (SN2025)', en: 'Industry (SN2025)' },
    description: 'Næringskoder i SN2025 og SN2007, aktivitet og formål.',
    shape: Naering,
    of: 'enhet',
    from: [],
    ofSubUnit: 'shown',
    ofDeleted: hasNaering,
    alone: 'same',
    names: {},
    make: ({ unit, industryCodes }) => same(unit, naeringOf(unit.value, industryCodes)),
  }),
  section({
    name: 'sn2007',
    title: { nb: 'Næring (SN2007)', en: 'Industry (SN2007)' },
    description: 'Tabellen næringskodene i SN2007 er slått opp i.',
    shape: Type.Null(),
    of: 'klass',
    from: [],
    ofSubUnit: 'shown',
    ofDeleted: hasNaering,
    alone: 'same',
    names: {},
    make: ({ industryCodes }) => sn2007Of(industryCodes),
  }),
  section({
    name: 'regnskap',
    title: { nb: 'Regnskap', en: 'Accounts' },
    description: 'Årsregnskap fra Regnskapsregisteret, også de årene bare tjenestens arkiv har.',
    shape: Regnskap,
    of: 'regnskap',
    from: ['regnskap'],
    ofSubUnit: 'of_the_parent',
    ofDeleted: 'shown',
    alone: 'same',
    names: {},
    make: (parts) => accountsOf(parts.regnskap, parts.unit.value),
  }),
  section({
    name: 'kunngjoringer',
    title: { nb: 'Kunngjøringer', en: 'Announcements' },
    description: 'Kunngjøringer fra Brønnøysundregistrene.',
    shape: Kunngjoringer,
    of: 'kunngjoringer',
    from: ['kunngjoringer'],
    ofSubUnit: 'of_the_parent',
    ofDeleted: 'shown',
    alone: 'same',
    names: {},
    make: (parts) => answered(parts.kunngjoringer, kunngjoringerOf),
  }),
  section({
    name: 'aksjonaerer',
    title: { nb: 'Aksjonærer', en: 'Shareholders' },
    description: 'Aksjonærer per 31. desember i det nyeste året, og historikk. Aksjer, ikke stemmer.',
    shape: Aksjonaerer,
    of: 'aksjonaerer',
    from: ['aksjonaerer'],
    ofSubUnit: 'of_the_parent',
    ofDeleted: 'shown',
    alone: 'same',
    names: {},
    make: ({ aksjonaerer }) => archived(aksjonaerer),
  }),
  section({
    name: 'eierskap',
    title: { nb: 'Eierskap', en: 'Ownership' },
    description:
      'Eiere og eierandeler i flere ledd per 31. desember i det nyeste året. Aksjer, ikke stemmer.',
    shape: Eierskap,
    of: 'eierskap',
    from: ['eierskap'],
    ofSubUnit: 'of_the_parent',
    ofDeleted: 'shown',
    alone: 'same',
    names: {},
    make: ({ eierskap }) => archived(eierskap),
  }),
  section({
    name: 'konsern',
    title: { nb: 'Konsern', en: 'Group' },
    description: 'Konsernet slik Enhetsregisteret har det.',
    shape: Konsern,
    of: 'konsern',
    from: ['konsern', 'eierskap'],
    ofSubUnit: 'of_the_parent',
    ofDeleted: 'ended',
    alone: 'more',
    names: { Konsernforetak, Konsernledd },
    make: konsernOf,
  }),
  section({
    name: 'underenheter',
    title: { nb: 'Underenheter', en: 'Sub-units' },
    description: 'Underenhetene: hvor mange, og de ti største.',
    shape: Underenheter,
    of: 'underenheter',
    from: ['underenheter'],
    ofSubUnit: 'of_the_parent',
    ofDeleted: 'ended',
    alone: { list: 'alle' },
    names: { Underenhet },
    make: ({ underenheter: all, alone }) =>
      answered(all, (value) => underenheterOf(value, alone === 'underenheter')),
  }),
  section({
    name: 'rollerIAndreForetak',
    title: { nb: 'Roller i andre foretak', en: 'Roles in other companies' },
    description:
      'Rollene foretaket selv har i andre foretak: revisor, regnskapsfører, deltaker og så videre.',
    shape: RollerIAndreForetak,
    of: 'rollerIAndreForetak',
    from: ['rollerIAndreForetak'],
    ofSubUnit: 'of_the_parent',
    ofDeleted: 'ended',
    alone: { list: 'alle' },
    names: { Rolleforetak },
    make: ({ rollerIAndreForetak: all, alone }) =>
      answered(all, (value) => rollerIAndreForetakOf(value, alone === 'rollerIAndreForetak')),
  }),
  section({
    name: 'regnskapskopier',
    title: { nb: 'Kopier av årsregnskap', en: 'Copies of accounts' },
    description: 'Årene registeret har kopi av innsendt årsregnskap for, med lenke til hver.',
    shape: Regnskapskopier,
    of: 'regnskapskopier',
    from: ['regnskapskopier'],
    ofSubUnit: 'of_the_parent',
    ofDeleted: 'ended',
    alone: 'more',
    names: {},
    make: regnskapskopierOf,
  }),
] as const

type MainUnit = Exclude<Unit, { respons_klasse: 'Underenhet' }>

type Listed = (typeof sections)[number]
/** Each has an entry in `kilder`. `enhet` is the record's top; `sn2007` is the second source of `naering`. */
export type SectionName = Listed['name']
export type ShapeOf<Name extends SectionName> = Extract<Listed, { name: Name }>['shape']
/** Those with a part of the record to themselves. */
export type ShownName = {
  [Name in SectionName]: ShapeOf<Name> extends Type.TNull ? never : Name
}[SectionName]

type Used = Listed extends { from: readonly (infer From)[] } ? From : never
/** Does not compile while there is a source that no section is made of. */
const allAreUsed: [Exclude<keyof RecordAnswers, Used>] extends [never] ? readonly Used[] : never =
  sections.flatMap(({ from }): readonly Used[] => from)
/** What a record asks besides the unit, each once. */
export const askedBeside: readonly (keyof RecordAnswers)[] = [...new Set(allAreUsed)]

/** The first of the sections that are made of it: what goes wrong with the question is told under its name. */
export const sectionAsking = Object.fromEntries(
  askedBeside.map((source) => [
    source,
    sections.find(({ from }) => (from as readonly string[]).includes(source))?.name ?? 'enhet',
  ]),
) as Readonly<Record<keyof RecordAnswers, SectionName>>

export const sectionNames: readonly SectionName[] = sections.map(({ name }) => name)

/** Any of them, given everything one record is made of. */
export type SectionFacts = Omit<SectionDescriptor<SectionName, TSchema, never>, 'from' | 'make'> & {
  readonly from: readonly (keyof RecordAnswers)[]
  readonly make: (parts: Parts) => Stated<unknown>
}

function section<
  const Name extends string,
  Shape extends TSchema,
  const From extends keyof RecordAnswers = never,
>(facts: SectionDescriptor<Name, Shape, From>): SectionDescriptor<Name, Shape, From> {
  return facts
}

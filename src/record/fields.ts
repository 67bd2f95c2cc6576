import { InputError } from '#src/core/errors.ts'
import type { RecordAnswers } from './parts.ts'
import { Bedrift } from './record.ts'
import { type SectionFacts, type SectionName, sections as sectionList } from './sections.ts'

/**
 * The parts of a record that may be asked for alone, and what each is made of.
 *
 * `organisasjonsnummer`, `komplett` and `kilder` follow every part: without them nobody could tell what it is about, whether
 * it is all there and where it comes from.
 */

type Always = 'organisasjonsnummer' | 'komplett' | 'kilder'
export type Field = Exclude<keyof Bedrift, Always>

/** Asked beside the unit itself, which decides whether there is such a company; `overordnetEnhet` is the unit above it. */
export type RecordQuestion = keyof RecordAnswers | 'overordnetEnhet'

/** `asks`: the questions it needs besides the unit. `told`: the entries of `kilder` that say where it comes from. */
type MadeOf = { asks: readonly RecordQuestion[]; told: readonly SectionName[] }

const OF_UNIT: MadeOf = { asks: [], told: [] }
const SAME_PERSON = ['roller', 'aksjonaerer', 'eierskap'] as const

const sections: Partial<Record<string, MadeOf>> = {
  ...Object.fromEntries(
    sectionList.map(({ name, from }): [string, MadeOf] => [
      name,
      { asks: name === 'overordnetEnhet' ? [name] : from, told: [name] },
    ]),
  ),
  naering: { asks: [], told: ['naering', 'sn2007'] },
  muligSammePerson: { asks: SAME_PERSON, told: SAME_PERSON },
}

const ALWAYS: ReadonlySet<string> = new Set<Always>(['organisasjonsnummer', 'komplett', 'kilder'])

/** In the order they have in a record. */
export const fields = Object.keys(Bedrift.properties).filter((name): name is Field => !ALWAYS.has(name))

/** Those with a state of their own, each of which also has an address of its own. */
export const sectionFields = fields.filter((name): name is Field & SectionName => {
  const made = sections[name]
  return made?.told[0] === name
})

/** @throws InputError `ugyldig_parameter` that lists the fields there are */
export function readFields(text: string): Field[] {
  const names = text.split(',').map((name) => name.trim())
  const known = fields.filter((field) => names.includes(field))
  if (!names.every((name) => (fields as readonly string[]).includes(name))) {
    const all = fields.join(', ')
    throw new InputError('ugyldig_parameter', 'felt', {
      norsk: `felt er navn på felter med komma mellom. De som finnes: ${all}.`,
      english: `felt is names of fields with commas between. Those there are: ${all}.`,
    })
  }
  return known
}

/** What has to be asked for these, besides the unit. */
export function questionsFor(chosen: readonly Field[]): ReadonlySet<RecordQuestion> {
  return new Set(chosen.flatMap((field) => (sections[field] ?? OF_UNIT).asks))
}

/** The section that is asked for alone and says more then. */
export function aloneIn([first, ...others]: readonly Field[]): SectionName | null {
  const alone = others.length > 0 ? undefined : sectionList.find(({ name }) => name === first)
  return alone?.alone === 'more' ? alone.name : null
}

/** What of a section's data goes page by page at its own address; null: nothing. */
export function listIn(section: SectionName): string | null {
  const alone: SectionFacts['alone'] = sectionList.find(({ name }) => name === section)?.alone ?? 'same'
  return typeof alone === 'string' ? null : alone.list
}

/** A record with the chosen fields alone, and what is always told. */
export type PartOfRecord = Pick<Bedrift, 'organisasjonsnummer' | 'komplett'> &
  Partial<Pick<Bedrift, Field>> & { kilder: Partial<Bedrift['kilder']> }

/** Pure: `komplett` is about what is shown. */
export function onlyFields(record: Bedrift, chosen: readonly Field[]): PartOfRecord {
  const told = new Set(['enhet', ...chosen.flatMap((field) => (sections[field] ?? OF_UNIT).told)])
  const kilder = Object.fromEntries(Object.entries(record.kilder).filter(([name]) => told.has(name)))
  return {
    organisasjonsnummer: record.organisasjonsnummer,
    ...Object.fromEntries(chosen.map((field) => [field, record[field]])),
    komplett: Object.values(kilder).every(({ tilstand }) => tilstand !== 'utilgjengelig'),
    kilder,
  }
}

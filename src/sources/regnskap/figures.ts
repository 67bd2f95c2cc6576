import { type TSchema, Type } from 'typebox'
import { stated } from '../believe.ts'
import { FIGURE_SECTIONS, Filing, type RegisterRegnskap } from './schema.ts'

/** Every figure the register names, and the way to it inside a filing. No two have the same name. */
export const FIGURE_PATHS: ReadonlyMap<string, readonly string[]> = new Map(
  FIGURE_SECTIONS.flatMap((section) => leaves(Filing.properties[section], [section])),
)

/** The same ways in one text each, as they are compared. */
const FIGURE_WAYS = new Map([...FIGURE_PATHS].map(([name, path]) => [name, path.join('.')]))

/**
 * What the register gives to everybody only since 1 October 2026. A filing without any of them was given by the older
 * service, or copied from it: there they were never asked for, which is not the same as not being in the accounts.
 */
export const OPENED_2026: ReadonlySet<string> = new Set([
  'salgsinntekter',
  'loennskostnad',
  'ordinaertResultatSkattekostnad',
  'ekstraordinaerePoster',
  'skattekostnadEkstraordinaertResultat',
  'sumVarer',
  'sumFordringer',
  'sumInvesteringer',
  'sumBankinnskuddOgKontanter',
  'goodwill',
  'annenRentekostnad',
  'rentekostnadSammeKonsern',
])

type Figures = Map<string, number | null>

/** Figures of the filings that are looked at now: each is asked for several times while a record is made. */
const known = new WeakMap<RegisterRegnskap, ReadonlyMap<string, number | null>>()

/**
 * Every figure of a filing: those the register names by their name alone, any other that has the same name by its way. null is
 * one that can not be read; of a group that can not be read, every figure the register names in it.
 */
export function figuresOf(filing: RegisterRegnskap): ReadonlyMap<string, number | null> {
  const before = known.get(filing)
  if (before !== undefined) return before
  const figures: Figures = new Map()
  for (const section of FIGURE_SECTIONS) {
    const group = filing[section]
    if (group === null) unread([section], figures)
    else collect(group ?? {}, [section], figures)
  }
  known.set(filing, figures)
  return figures
}

/** The groups of a filing that hold these figures, as the register nests them. */
export function nest(
  figures: ReadonlyMap<string, number>,
): Pick<RegisterRegnskap, (typeof FIGURE_SECTIONS)[number]> {
  const sections: Record<string, unknown> = {}
  for (const [name, figure] of figures) {
    const path = FIGURE_PATHS.get(name)
    if (path === undefined) throw new TypeError(`the register has no figure ${name}`)
    let group = sections
    for (const part of path.slice(0, -1)) {
      group[part] ??= {}
      group = group[part] as Record<string, unknown>
    }
    group[name] = figure
  }
  return sections
}

function leaves(part: TSchema, path: readonly string[]): [string, readonly string[]][] {
  const schema = stated(part)
  if (!Type.IsObject(schema)) return [[path.at(-1) ?? '', path]]
  return Object.entries(schema.properties).flatMap(([name, part]) => leaves(part, [...path, name]))
}

function collect(group: Record<string, unknown>, path: readonly string[], figures: Figures): void {
  for (const [name, value] of Object.entries(group)) {
    const way = [...path, name]
    if (typeof value === 'number') figures.set(nameOf(way, figures), value)
    else if (value === null) unread(way, figures)
    else if (typeof value === 'object') collect(value as Record<string, unknown>, way, figures)
  }
}

function unread(way: readonly string[], figures: Figures): void {
  const named = FIGURE_PATHS.entries().filter(([, path]) => way.every((part, at) => path[at] === part))
  const names = [...named].map(([name]) => name)
  for (const name of names.length > 0 ? names : [nameOf(way, figures)]) figures.set(name, null)
}

function nameOf(way: readonly string[], taken: ReadonlyMap<string, unknown>): string {
  const name = way.at(-1) ?? ''
  const whole = way.join('.')
  const named = FIGURE_WAYS.get(name)
  return named === whole || (named === undefined && !taken.has(name)) ? name : whole
}

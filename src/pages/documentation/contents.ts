import type { Language } from '#src/core/language.ts'
import type { ApiDocument } from '../../http/api-document.ts'
import { GUIDES, type Guide, readGuide } from './guides.ts'
import { type Passage, passagesOf, spelt } from './markdown.ts'
import { type DocumentedCall, operationsOf, typeFields } from './operations.ts'

/** All there is to read in one language: what the pages, the menu, the search and the Markdown are made of. */
export type Contents = {
  guides: readonly Guide[]
  operations: readonly DocumentedCall[]
  types: readonly Type[]
  /** What is searched, spelt as questions are: made once, and not for each question. */
  sought: readonly Sought[]
}

type Sought = { hit: ContentsHit; places: readonly string[] }

export type Type = { name: string } & NonNullable<ReturnType<typeof typeFields>>

export function readContents(document: ApiDocument, language: Language, url: string): Contents {
  const told = {
    guides: GUIDES.map((slug) => readGuide(slug, language, url)),
    operations: operationsOf(document, language),
    types: Object.keys(document.components?.schemas ?? {})
      .toSorted((one, other) => one.localeCompare(other, 'nb'))
      .flatMap((name) => {
        const type = typeFields(document, name)
        return type === null ? [] : [{ name, ...type }]
      }),
  }
  const sought = everything(told).map((hit): Sought => {
    const { title, heading, text, about = text } = hit
    return { hit, places: [title, heading, about].map(spelt) }
  })
  return { ...told, sought }
}

export const pathOf = {
  guide: (slug: string) => (slug === GUIDES[0] ? '/dokumentasjon' : `/dokumentasjon/${slug}`),
  operation: (id: string) => `/dokumentasjon/kall/${id}`,
  types: '/dokumentasjon/typer',
  console: '/dokumentasjon/konsoll',
  type: (name: string) => `/dokumentasjon/typer/${name}`,
}

/** `about` is what it is found by besides what is shown of it. */
export type ContentsHit = { path: string; title: string; heading: string; text: string; about?: string }

/** What has all the words, best first: in a title, in a heading, in the text. At most `HITS_MAX`. */
export function searchContents({ sought }: Pick<Contents, 'sought'>, question: string): ContentsHit[] {
  const words = spelt(question)
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, WORDS_MAX)
  if (words.length === 0) return []
  return sought
    .map(({ hit, places }) => ({ hit, points: pointsOf(places, words) }))
    .filter(({ points }) => points > 0)
    .toSorted((one, other) => other.points - one.points)
    .slice(0, HITS_MAX)
    .map(({ hit }) => hit)
}

function pointsOf(places: readonly string[], words: readonly string[]): number {
  const points = words.map((word) => {
    const at = places.findIndex((place) => place.includes(word))
    return at === -1 ? 0 : (PLACE_POINTS[at] ?? 0)
  })
  return points.includes(0) ? 0 : points.reduce((sum, each) => sum + each, 0)
}

function everything({ guides, operations, types }: Omit<Contents, 'sought'>): ContentsHit[] {
  return [
    ...guides.flatMap(({ slug, title, markdown }) =>
      passagesOf(markdown).map(({ id, heading, text }: Passage) => ({
        path: heading === title ? pathOf.guide(slug) : `${pathOf.guide(slug)}#${id}`,
        title,
        heading,
        text,
        ...(heading === title ? { about: markdown } : {}),
      })),
    ),
    ...operations.flatMap(({ id, method, path, title, description, parameters, answers }) => [
      { path: pathOf.operation(id), title: `${method} ${path}`, heading: title, text: description },
      ...parameters.map((each) => ({
        path: pathOf.operation(id),
        title: `${method} ${path}`,
        heading: each.name,
        text: each.description,
      })),
      ...answers
        .filter(({ status }) => status.startsWith('2'))
        .flatMap(({ fields }) =>
          fields.map(({ name, description: text }) => ({
            path: `${pathOf.operation(id)}#${name}`,
            title: `${method} ${path}`,
            heading: name,
            text,
          })),
        ),
    ]),
    ...types.flatMap(({ name, description, fields }) => [
      { path: pathOf.type(name), title: name, heading: name, text: description },
      ...fields.map((each) => ({
        path: `${pathOf.type(name)}#${each.name}`,
        title: name,
        heading: each.name,
        text: each.description,
      })),
    ]),
  ]
}

const PLACE_POINTS = [4, 3, 1]
const WORDS_MAX = 8
const HITS_MAX = 30

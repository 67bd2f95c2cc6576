import Negotiator from 'negotiator'
import type { Language } from '#src/core/language.ts'
import type { Encoding } from '#src/core/packed.ts'

/*
 * What a client likes best (RFC 9110, 12.5): the one place where its lists are read, by `negotiator`. Clients send one of a
 * handful, so each is read once; after that it is a look-up of a text, also on the way of a held answer.
 */

/** Best first, where the client likes them the same. */
const ENCODINGS: Encoding[] = ['br', 'zstd', 'gzip']

/** @returns null for as it is */
export const preferredEncoding = remembering((list): Encoding | null => {
  const [best] = reading('accept-encoding', list).encodings([...ENCODINGS, 'identity'], {
    preferred: ENCODINGS,
  })
  return ENCODINGS.find((encoding) => encoding === best) ?? null
})

/** Whether a client that likes any packed form takes this one too. */
export const takesGzip = remembering((list): 'gzip' | null =>
  preferredEncoding(list) !== null &&
  reading('accept-encoding', list).encodings(['gzip'], { preferred: [] }).length > 0
    ? 'gzip'
    : null,
)

export const JSON_ALONE = ['application/json'] as const

/**
 * Whether one of the types is among those a client takes. Without a list it takes anything, and so it does with one nobody can
 * read.
 */
export function accepts(accept: string | undefined, types: readonly string[]): boolean {
  if (accept === undefined || accept === '*/*') return true
  return preferenceAmong(types)(accept) !== null || !/[^\s/,;]\/[^\s/,;]/.test(accept)
}

/** The type a client likes best of these; null: none of them. Where it likes them the same, in its own order, then in ours. */
export function preferredType<const Type extends string>(
  accept: string | undefined,
  types: readonly Type[],
): Type | null {
  return (accept === undefined ? types[0] : preferenceAmong(types)(accept)) ?? null
}

/** True for a browser that was led here: it would rather have a page than what programs read. */
export function prefersPage(accept: string | undefined): boolean {
  return preferredType(accept, PAGE_OR_NOT) === 'text/html'
}

const PAGE_OR_NOT = ['application/json', 'text/html'] as const

/** Norwegian unless English is liked better. */
export function languageOf(acceptLanguage: string | undefined): Language {
  return acceptLanguage === undefined ? 'nb' : preferredLanguage(acceptLanguage)
}

const preferredLanguage = remembering((list): Language => {
  const [best] = reading('accept-language', list).languages(['nb', 'nn', 'no', 'en'])
  return best === 'en' ? 'en' : 'nb'
})

/** For each list of types there is, which are as many as there are routes that have one. */
const preferences = new WeakMap<readonly string[], (accept: string) => string | null>()

function preferenceAmong<Type extends string>(types: readonly Type[]): (accept: string) => Type | null {
  const known = preferences.get(types) as ((accept: string) => Type | null) | undefined
  if (known !== undefined) return known
  const preference = remembering(
    (accept): Type | null =>
      (reading('accept', accept).mediaTypes([...types])[0] as Type | undefined) ?? null,
  )
  preferences.set(types, preference)
  return preference
}

/** Its types do not know yet what to prefer among those a client likes the same. */
type Reading = Negotiator & {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[]
}

function reading(header: string, list: string): Reading {
  return new Negotiator({ headers: { [header]: list.slice(0, LIST_LENGTH_MAX) } })
}

/** Somebody who sends one list after another costs the others' to be read again, now and then. */
function remembering<T extends string | null>(read: (list: string) => T): (list: string) => T {
  const remembered = new Map<string, T>()
  return (list) => {
    const known = remembered.get(list)
    if (known !== undefined) return known
    const value = read(list)
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    if (list.length <= REMEMBERED_LENGTH_MAX) remembered.set(list, value)
    return value
  }
}

const LIST_LENGTH_MAX = 500
const REMEMBERED_MAX = 200
const REMEMBERED_LENGTH_MAX = 300

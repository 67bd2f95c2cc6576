import { foldWords } from './fold.ts'

/** A name taken apart for comparing. */
export type SearchName = {
  /** Folded, without the form of company before or behind, and without `og`. Never empty unless the name has no letters. */
  words: readonly string[]
  /** The words run together: hyphens, dots and spaces apart. */
  key: string
  /** The words that tell it from others: without `Norsk …` before and `… Norge`, `… Gruppen` behind. */
  core: string
  /** The form of company as it was written, `as` or `asa`; null when it was not. */
  form: string | null
}

/** @param isUnfinished the last word may go on: `olsen & and` for ANDERSEN */
export function readName(text: string, { isUnfinished = false } = {}): SearchName {
  const all = foldWords(text.replace(SLASHED_FORM, ' '))
  let from = 0
  let to = all.length
  let form: string | null = null
  while (to - from > 1 && FORMS_BEHIND.has(all[to - 1] as string)) form = all[--to] as string
  while (to - from > 1 && FORMS_BEFORE.has(all[from] as string)) {
    form ??= all[from] as string
    from += 1
  }
  const bare = all.slice(from, to)
  const named = bare.filter(
    (word, index) => !JOINING.has(word) || (isUnfinished && index === bare.length - 1),
  )
  const words = named.length === 0 ? bare : named
  return { words, key: words.join(''), core: coreOf(words), form }
}

/**
 * What somebody who still types may have begun: the name with all its words, and without the last where that may become `og`
 * or `and`, which count for nothing.
 */
export function readNameBeginning(text: string): SearchName[] {
  const name = readName(text, { isUnfinished: true })
  const last = name.words.at(-1) ?? ''
  const mayJoin = name.words.length > 1 && [...JOINING].some((word) => word.startsWith(last))
  return mayJoin ? [name, readName(text.trim().replace(/\s*\S+$/, ''))] : [name]
}

/** The first letters of the words, of names of two to six words: `VG`, `UiO`. '' of others. */
export function initialsOf({ words }: SearchName): string {
  if (words.length < 2 || words.length > 6) return ''
  return words.map((word) => word[0]).join('')
}

function coreOf(words: readonly string[]): string {
  let from = 0
  let to = words.length
  while (to - from > 1 && WEAK_BEHIND.has(words[to - 1] as string)) to -= 1
  while (to - from > 1 && WEAK_BEFORE.has(words[from] as string)) from += 1
  return words.slice(from, to).join('')
}

/** Forms whose letters are a word of their own when no slash tells them. */
const SLASHED_FORM = /(?<![^\s])(?:i\/s|a\/l|s\/l|p\/r)(?![^\s])/gi
/**
 * Behind: the forms of Norwegian law as names carry them, and those that foreign companies bring along. Left out for being
 * words as well: IS, SPA, AL, KF.
 */
const FORMS_BEHIND = new Set(
  (
    'as asa ans da sa ba nuf ks enk bbl brl ll iks sf fkf aps ab ltd limited gmbh inc plc llc oy oyj bv sarl ' +
    'srl hf ehf'
  ).split(' '),
)
/** Before: `A/S NORSKE SHELL`, `AS DEN NATIONALE SCENE`, `LL DET NORSKE TEATRET`. */
const FORMS_BEFORE = new Set(['as', 'asa', 'll', 'ans'])
const JOINING = new Set(['og', 'and'])
/** What a whole group, or its Norwegian part, is called besides its name. */
const WEAK_BEHIND = new Set(
  'norge noreg norway nordic norden gruppen group konsern konsernet scandinavia i kommune fylkeskommune'.split(
    ' ',
  ),
)
const WEAK_BEFORE = new Set('den det de norsk norske norges the stiftelsen'.split(' '))

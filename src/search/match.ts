import { typosIn } from './likeness.ts'
import type { SearchName } from './name.ts'
import { initialsOf } from './name.ts'
import { weights } from './weights.ts'

/** How a name answers what was asked. `typos` are the letters that had to be taken for others. */
export type Match = {
  how: 'whole' | 'core' | 'begins' | 'allWords' | 'initials' | 'someWords'
  points: number
  typos: number
}

/** What was asked, with what is known of its words. */
export type AskedName = {
  name: SearchName
  /** Of each word of the question: how much it tells, 1 for one that is in few names. Words that are not there tell 0.5. */
  telling: ReadonlyMap<string, number>
  /** The letters as they were typed, to tell `Å` from `A` where both are names. */
  typed: string
}

/**
 * The best way in which a name answers a question; null when it does not. Pure, and the same for a name whatever else was
 * found.
 */
export function matchName(asked: AskedName, name: SearchName, text: string): Match | null {
  const { match } = weights
  const q = asked.name
  if (q.key === '' || name.key === '') return null
  if (q.key === name.key) {
    const typed = asTyped(text) === asked.typed ? match.asTyped : 0
    const form = q.form !== null && q.form === name.form ? match.form : 0
    return { how: 'whole', points: match.whole + typed + form, typos: 0 }
  }
  const found: Match[] = []
  const add = (how: Match['how'], points: number, typos = 0) => found.push({ how, points, typos })

  if (q.key === name.core) add('core', match.core)
  else if (q.core === name.key || (q.core === name.core && q.core.length > 2)) add('core', match.coreAsked)
  if (name.key.startsWith(q.key)) {
    add('begins', endsWord(name, q.key.length) ? match.beginsWords : match.begins)
  } else if (name.core.startsWith(q.key)) add('begins', match.beginsCore)
  if (initialsOf(name) === q.key) add('initials', match.initials)
  const liked = likeWhole(q, name)
  if (liked !== null) found.push(liked)
  const words = matchWords(asked, name)
  if (words !== null) found.push(words)
  return found.reduce<Match | null>(
    (best, each) => (best === null || each.points > best.points ? each : best),
    null,
  )
}

/** The whole name but for a few letters. */
function likeWhole(q: SearchName, name: SearchName): Match | null {
  const { beginsWords, begins, typoWhole } = weights.match
  const typos = typosIn(q.key, name.key)
  if (typos > 0) return { how: 'whole', points: beginsWords - typoWhole * typos ** 2, typos }
  const coreTypos = name.core === name.key ? 0 : typosIn(q.key, name.core)
  return coreTypos > 0 ? { how: 'core', points: begins - typoWhole * coreTypos ** 2, typos: coreTypos } : null
}

function matchWords(asked: AskedName, name: SearchName): Match | null {
  const { match } = weights
  const taken = new Set<number>()
  let told = 0
  let tellable = 0
  let letters = 0
  let quality = 0
  let typos = 0
  let found = 0
  const { words } = asked.name
  const joined = joinedWords(words, name.words)
  for (const [index, word] of words.entries()) {
    const tells = asked.telling.get(word) ?? 0.5
    tellable += tells
    const best = joined.get(index) ?? bestWord(word, name.words, taken, index === words.length - 1)
    if (best === null) continue
    taken.add(best.index)
    found += 1
    quality += best.quality
    told += tells * best.quality
    typos += best.typos
    letters += Math.min(word.length, best.letters)
  }
  if (found === 0) return null
  const covering = letters / name.key.length
  if (found === words.length) {
    const points =
      (match.allWords + match.allWordsCovering * covering) * (quality / found) - typos * match.typo
    return { how: 'allWords', points, typos }
  }
  const share = told / tellable
  if (share < match.someWordsLeast) return null
  return {
    how: 'someWords',
    points: match.someWords * share * (0.7 + 0.3 * covering) - typos * (match.typo / 2),
    typos,
  }
}

type Fit = { index: number; letters: number; quality: number; typos: number }

/** One word typed as two, or two as one: `medisinal depot`, `scanwood`. By the place of the typed word. */
function joinedWords(typed: readonly string[], words: readonly string[]): Map<number, Fit> {
  const found = new Map<number, Fit>()
  const whole = { quality: 1, typos: 0 }
  for (const [index, word] of typed.entries()) {
    const two = word + (typed[index + 1] ?? '')
    const place = two === word ? -1 : words.indexOf(two)
    if (place >= 0) {
      found.set(index, { index: place, letters: word.length, ...whole })
      found.set(index + 1, { index: place, letters: two.length - word.length, ...whole })
    }
    const split = words.findIndex(
      (each, at) => word.startsWith(each) && each + (words[at + 1] ?? '') === word,
    )
    if (split >= 0 && !words.includes(word))
      found.set(index, { index: split, letters: word.length, ...whole })
  }
  return found
}

function bestWord(
  word: string,
  words: readonly string[],
  taken: ReadonlySet<number>,
  isLast: boolean,
): Fit | null {
  let best: Fit | null = null
  for (const [index, each] of words.entries()) {
    if (taken.has(index)) continue
    const fit = fitOf(word, each, isLast)
    if (fit !== null && (best === null || fit.quality - fit.typos > best.quality - best.typos))
      best = { index, letters: each.length, ...fit }
    if (best?.quality === 1 && best.typos === 0) break
  }
  return best
}

function fitOf(word: string, each: string, isLast: boolean): { quality: number; typos: number } | null {
  if (word === each) return { quality: 1, typos: 0 }
  if (each.startsWith(word) && word.length >= (isLast ? 2 : 3))
    return { quality: weights.match.wordBegun, typos: 0 }
  // Norwegian runs words together, and the last one says what it is: skadeFORSIKRING.
  if (word.length >= PART_LETTERS_LEAST && each.endsWith(word))
    return { quality: weights.match.wordPart, typos: 0 }
  const typos = typosIn(word, each)
  return typos > 0 ? { quality: 1, typos } : null
}

export const PART_LETTERS_LEAST = 5

/** Whether so many letters are whole words. */
function endsWord({ words }: SearchName, letters: number): boolean {
  let sum = 0
  for (const word of words) {
    sum += word.length
    if (sum >= letters) return sum === letters
  }
  return false
}

/** Letters and numbers as they were typed, case apart. */
export function asTyped(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/ (?:as|asa)$/, '')
}

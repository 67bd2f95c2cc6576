import type { Queryable } from '#src/storage/database.ts'
import {
  bestThatBegin,
  type FoundName,
  namesOfKey,
  namesOfWords,
  namesThatBegin,
  ownNames,
  wordsLike,
} from '#src/storage/search/candidates.ts'
import { createBudget } from './budget.ts'
import { candidateOf, findByName, NO_NAMES, narrowBounds, whichOf } from './find.ts'
import { noFilters } from './find-any.ts'
import { type AskedName, asTyped } from './match.ts'
import { createMatching } from './matching.ts'
import { readName, readNameBeginning, type SearchName } from './name.ts'
import { type Candidate, type Hit, inOrder, rank, signOwners } from './rank.ts'

/** So many of the places are for what does not begin so: the whole name, a word within, a former name, a sign. */
const OTHERS_LEAST = 3
const NAMES_MAX = 60

/**
 * What to show while somebody types. Main units whose own name begins so come in an order that is the same for every
 * beginning, and have places of their own: whoever is shown for a beginning is shown for every longer one that the name still
 * begins with. The rest of the places are for what else may be meant.
 */
export async function suggest(
  text: string,
  size: number,
  { db, limitMs }: { db: Queryable; limitMs: number },
): Promise<{ hits: Hit[]; isCut: boolean }> {
  const budget = createBudget(limitMs)
  const [name, joined] = readNameBeginning(text) as [SearchName, SearchName?]
  if (name.key === '') return { hits: [], isCut: false }
  const word = name.words.at(-1) ?? ''
  const isLong = [...name.key].length >= 2
  const [begun, begunOtherwise, same, others, within] = await Promise.all([
    isLong ? budget.within(() => bestThatBegin(db, name.key, null, size), []) : [],
    joined !== undefined && isLong ? budget.within(() => bestThatBegin(db, joined.key, null, size), []) : [],
    budget.within(() => namesOfKey(db, [name.key, name.core], noFilters, NAMES_MAX), NO_NAMES),
    [...name.key].length >= 4
      ? budget.within(
          () => namesThatBegin(db, name.key, noFilters, NAMES_MAX, { isBestWanted: false }),
          NO_NAMES,
        )
      : NO_NAMES,
    word.length >= 4 ? budget.within(() => namesWithin(db, name.words), NO_NAMES) : NO_NAMES,
  ])
  const places = Math.max(1, size - Math.min(OTHERS_LEAST, Math.floor(size / 3)))
  const ownPlaces = new Set([...begun, ...begunOtherwise].slice(0, places).map(({ orgnr }) => orgnr))
  const asked: AskedName = { name, telling: new Map(), typed: asTyped(text) }
  const candidates = uniqueOf([...begun, ...same.names, ...others.names, ...within.names])
  const matched = await createMatching(asked).of(candidates)
  const owners = signOwners(matched, 3)
  const signs = owners.length === 0 ? [] : await budget.within(() => ownNames(db, owners, noFilters), [])
  const ranked = rank(
    matched,
    signs.map(({ orgnr, tyngde, opphort }) => ({ orgnr, weight: tyngde, hasCeased: opphort })),
  )
  if (joined !== undefined) {
    const known = new Set(ranked.map(({ orgnr }) => orgnr))
    const otherwise = rank(await createMatching({ ...asked, name: joined }).of(uniqueOf(begunOtherwise)))
    ranked.push(...otherwise.filter(({ orgnr }) => !known.has(orgnr)))
    ranked.sort(inOrder)
  }
  if (ranked.length === 0) {
    const liked = await findByName({ db, filters: noFilters, budget, bounds: narrowBounds }, name, text)
    return { hits: liked.hits.slice(0, size), isCut: budget.isCut() }
  }
  // Who begins so and has no place of its own has none of the others': it would lose it to whoever is found by more letters.
  const placeless = new Set(
    candidates.filter((each) => beginsSo(each, name)).map(({ orgnr }) => orgnr),
  ).difference(ownPlaces)
  const rest = ranked
    .filter(({ orgnr }) => !ownPlaces.has(orgnr) && !placeless.has(orgnr))
    .slice(0, size - ownPlaces.size)
  const chosen = new Set([...ownPlaces, ...rest.map(({ orgnr }) => orgnr)])
  return { hits: ranked.filter(({ orgnr }) => chosen.has(orgnr)), isCut: budget.isCut() }
}

/** By its own name, which goes on: whoever is called just so is what was typed. */
function beginsSo({ kind, parent, name }: Candidate, typed: SearchName): boolean {
  if (kind !== 'navn' || parent !== null) return false
  const { key } = readName(name)
  return key.startsWith(typed.key) && key !== typed.key
}

/** Weighty names that have the words anywhere, the last of them begun. */
async function namesWithin(db: Queryable, words: readonly string[]): Promise<{ names: FoundName[] }> {
  const found = await wordsLike(
    db,
    words.map((word, index) => ({ word, begins: index === words.length - 1, ends: false })),
    8,
  )
  const groups = words.map((_, nr) => found.filter((each) => each.nr === nr))
  if (groups.some((group) => group.length === 0)) return NO_NAMES
  const least = Math.min(...groups.map((group) => group.reduce((sum, { antall }) => sum + antall, 0)))
  return namesOfWords(
    db,
    groups.map((group) => group.map(({ ord }) => ord)),
    noFilters,
    { limit: NAMES_MAX, of: whichOf(least, narrowBounds) },
  )
}

function uniqueOf(names: readonly FoundName[]): Candidate[] {
  return [
    ...new Map(names.map((each) => [`${each.orgnr} ${each.art} ${each.navn}`, candidateOf(each)])).values(),
  ]
}

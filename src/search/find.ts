import type { Queryable } from '#src/storage/database.ts'
import {
  type Filters,
  type FoundName,
  holdersOf,
  namesOfKey,
  namesOfWords,
  namesThatBegin,
  ownNames,
  wordsLike,
  wordsNear,
} from '#src/storage/search/candidates.ts'
import type { TimeBudget } from './budget.ts'
import { typosIn, typosThinkable } from './likeness.ts'
import { type AskedName, asTyped, PART_LETTERS_LEAST } from './match.ts'
import { createMatching } from './matching.ts'
import { readName, type SearchName } from './name.ts'
import { labelOf } from './question.ts'
import { type Candidate, type Hit, hitOf, inOrder, type Matched, rank, signOwners } from './rank.ts'
import { weights } from './weights.ts'

/** What was found; `isAll` when nothing was left out for being too much. */
export type FoundCandidates = { hits: Hit[]; isAll: boolean }

type Index = { db: Queryable; filters: Filters; budget: TimeBudget; bounds: Bounds }

/** Bounds of each step: candidates are bounded before any is looked at. */
export const wideBounds = {
  /** Names of one key, that begin so, or that have the words. */
  names: 300,
  /** Words that begin or end as one that was typed. */
  words: 24,
  /** Words of the same beginning or end that are compared letter by letter. */
  nearWords: 1500,
  /** Words taken for one that was typed. */
  likelyWords: 6,
  /** Of both registers, of which the rest of a word's names are a share. */
  registerNames: 3_000_000,
  /** Words in more names than this are looked for among the weighty ones, … */
  common: 2000,
  /** … and in more than this among the weightiest. */
  veryCommon: 40_000,
  /** Companies that have one site or number. */
  holders: 200,
  owners: 8,
  /** Words of a question that are looked at; nobody's name has more. */
  questionWords: 12,
  /** Letters that may be wrong in one word. */
  typos: 2,
}
type Bounds = typeof wideBounds

/** While somebody types: a few, and soon. */
export const narrowBounds: Bounds = {
  ...wideBounds,
  names: 60,
  words: 8,
  nearWords: 300,
  common: 200,
  veryCommon: 10_000,
  typos: 1,
}

/**
 * Companies by name. In steps, each with a bound and the later ones only when the earlier gave too little: the whole name and
 * what begins so, with the words in any order; then likeness; then some of the words.
 */
export async function findByName(index: Index, name: SearchName, text: string): Promise<FoundCandidates> {
  const { db, filters, budget, bounds } = index
  if (name.key === '') return { hits: [], isAll: true }
  const words = name.words.slice(0, bounds.questionWords)
  const candidates = new Map<string, Candidate>()
  let isAll = words.length === name.words.length
  const take = (found: { names: FoundName[]; isAll: boolean }) => {
    for (const each of found.names)
      candidates.set(`${each.orgnr} ${each.art} ${each.navn}`, candidateOf(each))
    isAll &&= found.isAll
  }

  const [same, begun, vocabulary, named] = await Promise.all([
    budget.within(() => namesOfKey(db, [...new Set([name.key, name.core])], filters, bounds.names), NO_NAMES),
    [...name.key].length < 2
      ? NO_NAMES
      : budget.within(() => namesThatBegin(db, name.key, filters, bounds.names), NO_NAMES),
    budget.within(() => readVocabulary(db, words, bounds), NO_WORDS),
    words.length > 1 ? [] : budget.within(() => namedSites(index, name.key), []),
  ])
  take(same)
  take(begun)
  const asked: AskedName = { name, telling: vocabulary.telling, typed: asTyped(text) }
  for (const groups of vocabulary.groupings) take(await ofWords(index, groups))

  const matching = createMatching(asked)
  const matched = await matching.of([...candidates.values()])
  const owners = await ownersOf(index, matched)
  let hits = withSites(rank(matched, owners), named)
  // A word that nobody has may begin or end somebody's, and still be another's with a letter wrong.
  const isEachKnown = words.every((word) => typosThinkable(word) === 0 || vocabulary.telling.has(word))
  if (!hits.some((hit) => isGood(hit, isEachKnown))) {
    const near = await budget.within(() => readNear(db, words, vocabulary, bounds), NO_NEAR)
    if (near.groups.length > 0 && near.groups.every((group) => group.words.length > 0))
      take(await ofWords(index, near.groups))
    const head = name.key.slice(0, Math.max(4, Math.ceil(name.key.length / 2)))
    if (typosThinkable(name.key) > 0)
      take({
        ...(await budget.within(() => namesThatBegin(db, head, filters, bounds.names), NO_NAMES)),
        isAll,
      })
    hits = withSites(rank(await matching.of([...candidates.values()]), owners), named)
    const ofFewer = createMatching({ ...asked, telling: near.telling })
    for (const some of hits.length > 0 ? [] : fewerWords(near.groups)) {
      for (const found of await Promise.all(some.map((groups) => ofWords(index, groups))))
        take({ ...found, isAll })
      hits = rank(await ofFewer.of([...candidates.values()]), owners)
      if (hits.length > 0) break
    }
  }
  return { hits, isAll }
}

/** Companies that have a site: its own exact host, and the mail of it. A host of three or more is a shared one. */
export async function findBySite(index: Index, host: string): Promise<FoundCandidates> {
  const { db, filters, budget, bounds } = index
  const holders = await budget.within(() => holdersOf(db, [host], bounds.holders + 1), [])
  const roots = new Set(holders.map(({ rot }) => rot))
  const names = await budget.within(() => ownNames(db, [...roots], filters), [])
  const isShared = roots.size >= SHARED_FROM
  const label = readName(labelOf(host)).key
  const { match } = weights
  const hits = names.map((found) => {
    const own = readName(found.navn)
    const isNamed = own.key === label || own.core === label
    const matched = isShared ? match.siteShared + (isNamed ? match.siteNamed : 0) : match.site
    return hitOf(candidateOf(found), matched, { how: 'site', name: host })
  })
  return { hits: hits.sort(inOrder), isAll: holders.length <= bounds.holders }
}

/** Companies that have a telephone number. */
export async function findByPhone(
  { db, filters, budget, bounds }: Index,
  phone: string,
): Promise<FoundCandidates> {
  const holders = await budget.within(() => holdersOf(db, [phone], bounds.holders + 1), [])
  const names = await budget.within(
    () => ownNames(db, [...new Set(holders.map(({ rot }) => rot))], filters),
    [],
  )
  const hits = names.map((found) =>
    hitOf(candidateOf(found), weights.match.phone, { how: 'phone', name: phone }),
  )
  return { hits: hits.sort(inOrder), isAll: holders.length <= bounds.holders }
}

/** What begins otherwise than every typo allows: good enough not to look for likeness. */
function isGood({ matched, why }: Hit, isEachKnown: boolean): boolean {
  if (why.typos > 0) return false
  return why.how === 'allWords' ? isEachKnown : matched >= weights.match.begins
}

async function ofWords(
  { db, filters, budget, bounds }: Index,
  groups: readonly Group[],
): Promise<typeof NO_NAMES> {
  const of = whichOf(
    expectedOf(
      groups.map(({ count }) => count),
      bounds,
    ),
    bounds,
  )
  return budget.within(
    () =>
      namesOfWords(
        db,
        groups.map(({ words }) => words),
        filters,
        { limit: bounds.names, of },
      ),
    { names: [], isAll: false },
  )
}

/** How many names have words that so many have each: words that stand together seldom do so by chance alone. */
function expectedOf(counts: readonly number[], { registerNames }: Bounds): number {
  const [least = 0, ...others] = counts.toSorted((a, b) => a - b)
  return others.reduce((expected, count) => expected * Math.sqrt(Math.min(1, count / registerNames)), least)
}

/** Of words in so many names. */
export function whichOf(count: number, { common, veryCommon }: Bounds): 'all' | 'heavy' | 'heaviest' {
  if (count <= common) return 'all'
  return count <= veryCommon ? 'heavy' : 'heaviest'
}

type Group = { words: string[]; count: number }
type Vocabulary = {
  telling: ReadonlyMap<string, number>
  /** Ways to read the words: for each a group of words that stand for it. Only where every word stands for something. */
  groupings: Group[][]
  byWord: readonly Group[]
}

/** The words of the index that stand for those typed: the same, begun, and the last part of a longer one. */
async function readVocabulary(db: Queryable, words: readonly string[], bounds: Bounds): Promise<Vocabulary> {
  const pairs = words.slice(1).map((word, index) => (words[index] ?? '') + word)
  const found = await wordsLike(
    db,
    [
      ...words.map((word, index) => ({
        word,
        begins: word.length >= (index === words.length - 1 ? 3 : 4),
        ends: word.length >= PART_LETTERS_LEAST,
      })),
      ...pairs.map((word) => ({ word, begins: false, ends: false })),
    ],
    bounds.words,
  )
  const groups = [...words, ...pairs].map((): Group => ({ words: [], count: 0 }))
  const telling = new Map<string, number>()
  for (const { nr, ord, antall, how } of found) {
    const group = groups[nr] as Group
    if (!group.words.includes(ord)) group.words.push(ord)
    group.count += antall
    const word = words[nr]
    if (how === 'same' && word !== undefined) telling.set(word, tellingOf(antall))
  }
  const byWord = groups.slice(0, words.length)
  const groupings = [byWord]
  for (const [index, group] of groups.slice(words.length).entries()) {
    // Two words typed for one.
    if (group.words.length > 0) groupings.push([...byWord.slice(0, index), group, ...byWord.slice(index + 2)])
  }
  return {
    telling,
    byWord,
    groupings: groupings.filter((some) => some.every((group) => group.words.length > 0)),
  }
}

type Near = { groups: Group[]; telling: ReadonlyMap<string, number> }

/** The same with letters wrong: for each word those that are as near as any, beside what stands for it already. */
async function readNear(
  db: Queryable,
  words: readonly string[],
  vocabulary: Vocabulary,
  bounds: Bounds,
): Promise<Near> {
  const unsure = words.flatMap((word, nr) => {
    const typos = Math.min(typosThinkable(word), bounds.typos)
    if (typos === 0 || (vocabulary.byWord[nr]?.words.includes(word) && words.length > 1)) return []
    // With one letter wrong one half is right; with two, nearly always the first or the last third.
    const head = typos === 1 ? Math.floor(word.length / 2) : Math.max(2, Math.floor(word.length / 3))
    const tail = typos === 1 ? word.length - head : head
    return [{ nr, word, typos, head: word.slice(0, head), tail: word.slice(-tail) }]
  })
  const found = unsure.length === 0 ? [] : await wordsNear(db, unsure, bounds.nearWords)
  const groups = words.map((_, nr): Group => {
    const group = vocabulary.byWord[nr]
    return { words: [...(group?.words ?? [])], count: group?.count ?? 0 }
  })
  const telling = new Map(vocabulary.telling)
  const foundOf = Map.groupBy(found, ({ nr }) => nr)
  for (const [place, { nr, word }] of unsure.entries()) {
    const near = (foundOf.get(place) ?? [])
      .map((each) => ({ ...each, typos: typosIn(word, each.ord) }))
      .filter((each) => each.typos > 0)
      .sort(
        (a, b) => a.typos - b.typos || b.tyngde - a.tyngde || b.antall - a.antall || (a.ord < b.ord ? -1 : 1),
      )
      .slice(0, bounds.likelyWords)
    const group = groups[nr] as Group
    for (const { ord, antall } of near) {
      group.words.push(ord)
      group.count += antall
    }
    const [first] = near
    if (first !== undefined && !telling.has(word)) telling.set(word, tellingOf(first.antall))
  }
  return { groups, telling }
}

/** All words but one; then the two rarest together, then the rarest, then the next: those that tell most. */
function fewerWords(groups: readonly Group[]): Group[][][] {
  const some = groups.filter(({ words }) => words.length > 0).sort((a, b) => a.count - b.count)
  const [first, second] = some
  if (first === undefined) return []
  if (second === undefined) return [[[first]]]
  const butOne = some.length < 3 ? [] : some.map((_, index) => some.toSpliced(index, 1))
  return [...(some.length < groups.length ? [[some]] : []), butOne, [[first, second]], [[first]], [[second]]]
}

/** 1 of a word that one company has, near 0 of one that a tenth of all have. */
function tellingOf(count: number): number {
  return Math.max(0.05, 1 - Math.log10(1 + count) / 5.5)
}

/** Whose site is called so, `uio.no` of `uio`: no proof, and more than letters. */
async function namedSites({ db, filters }: Index, key: string): Promise<Hit[]> {
  if (!/^[a-z0-9]{2,40}$/.test(key)) return []
  const holders = await holdersOf(db, [`${key}.no`, `${key}.com`], 8)
  const roots = new Set(holders.map(({ rot }) => rot))
  if (roots.size === 0 || roots.size >= SHARED_FROM) return []
  const names = await ownNames(db, [...roots], filters)
  return names.map((found) =>
    hitOf(candidateOf(found), weights.match.siteLabel, { how: 'site', name: holders[0]?.nokkel ?? key }),
  )
}

function withSites(hits: Hit[], named: readonly Hit[]): Hit[] {
  if (named.length === 0) return hits
  const best = new Map(hits.map((hit) => [hit.orgnr, hit]))
  for (const site of named) {
    const known = best.get(site.orgnr)
    // Both say the same: the name that answers tells why.
    if (known === undefined) best.set(site.orgnr, site)
    else if (known.matched < site.matched) best.set(site.orgnr, site)
    else best.set(site.orgnr, { ...known, points: known.points + weights.match.siteToo })
  }
  return [...best.values()].sort(inOrder)
}

async function ownersOf(index: Index, matched: readonly Matched[]) {
  const owners = signOwners(matched, index.bounds.owners)
  if (owners.length === 0) return []
  const names = await index.budget.within(() => ownNames(index.db, owners, index.filters), [])
  return names.map(({ orgnr, tyngde, opphort }) => ({ orgnr, weight: tyngde, hasCeased: opphort }))
}

export function candidateOf(found: FoundName): Candidate {
  return {
    orgnr: found.orgnr,
    parent: found.overordnet,
    // Initials are looked up by and read off the name itself.
    kind: found.art === 'initialer' ? 'navn' : found.art,
    name: found.navn,
    weight: found.tyngde,
    hasCeased: found.opphort,
    from: found.fra,
    until: found.til,
  }
}

const SHARED_FROM = 3
/** No names, and all there are. */
export const NO_NAMES: { names: FoundName[]; isAll: boolean } = { names: [], isAll: true }
const NO_WORDS: Vocabulary = { telling: new Map(), groupings: [], byWord: [] }
const NO_NEAR: Near = { groups: [], telling: new Map() }

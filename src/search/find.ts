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
import type { Budget } from './budget.ts'
import { typosAllowed, typosBetween } from './likeness.ts'
import { type Asked, asTyped, PART_LETTERS_LEAST } from './match.ts'
import { type Name, readName } from './name.ts'
import { labelOf } from './question.ts'
import { type Candidate, type Hit, inOrder, rank, signOwners, type Why } from './rank.ts'
import { weights } from './weights.ts'

/** What was found; `isAll` when nothing was left out for being too much. */
export type Found = { hits: Hit[]; isAll: boolean }

type Index = { db: Queryable; filters: Filters; budget: Budget }

/** Bounds of each step: candidates are bounded before any is looked at. */
export const bounds = {
  /** Names of one key, that begin so, or that have the words. */
  names: 600,
  /** Words that begin or end as one that was typed. */
  words: 24,
  /** Words of the same beginning or end that are compared letter by letter. */
  nearWords: 3000,
  /** Words taken for one that was typed. */
  likelyWords: 6,
  /** A word in more names than this is looked for among the weighty ones. */
  common: 2000,
  /** Companies that have one site or number. */
  holders: 200,
  owners: 8,
  /** Words of a question that are looked at; nobody's name has more. */
  questionWords: 12,
} as const

/**
 * Companies by name. In steps, each with a bound and the later ones only when the earlier gave too little: the whole name and
 * what begins so, with the words in any order; then likeness; then some of the words.
 */
export async function findByName(index: Index, name: Name, text: string): Promise<Found> {
  const { db, filters, budget } = index
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
    budget.within(() => namesOfKey(db, [...new Set([name.key, name.core])], filters, bounds.names), NONE),
    [...name.key].length < 2
      ? NONE
      : budget.within(() => namesThatBegin(db, name.key, filters, bounds.names), NONE),
    budget.within(() => readVocabulary(db, words), NO_WORDS),
    words.length > 1 ? [] : budget.within(() => namedSites(index, name.key), []),
  ])
  take(same)
  take(begun)
  const asked: Asked = { name, telling: vocabulary.telling, typed: asTyped(text) }
  for (const groups of vocabulary.groupings) take(await ofWords(index, groups))

  let owners = await ownersOf(index, asked, [...candidates.values()])
  let hits = withSites(rank(asked, [...candidates.values()], owners), named)
  if (!hits.some(isGood)) {
    const near = await budget.within(() => readNear(db, words, vocabulary), NO_NEAR)
    if (near.groups.length > 0 && near.groups.every((group) => group.words.length > 0))
      take(await ofWords(index, near.groups))
    const head = name.key.slice(0, Math.max(4, Math.ceil(name.key.length / 2)))
    if (typosAllowed(name.key) > 0)
      take({ ...(await budget.within(() => namesThatBegin(db, head, filters, bounds.names), NONE)), isAll })
    hits = withSites(rank(asked, [...candidates.values()], owners), named)
    if (hits.length === 0) {
      for (const groups of rarest(near.groups)) {
        take({ ...(await ofWords(index, groups)), isAll })
        hits = rank({ ...asked, telling: near.telling }, [...candidates.values()], owners)
        if (hits.length > 0) break
      }
    }
    owners = await ownersOf(index, asked, [...candidates.values()])
  }
  return { hits, isAll }
}

/** Companies that have a site: its own exact host, and the mail of it. A host of three or more is a shared one. */
export async function findBySite(index: Index, host: string): Promise<Found> {
  const { db, filters, budget } = index
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
    return hitOf(found, matched, { how: 'site', name: host })
  })
  return { hits: hits.sort(inOrder), isAll: holders.length <= bounds.holders }
}

/** Companies that have a telephone number. */
export async function findByPhone({ db, filters, budget }: Index, phone: string): Promise<Found> {
  const holders = await budget.within(() => holdersOf(db, [phone], bounds.holders + 1), [])
  const names = await budget.within(
    () => ownNames(db, [...new Set(holders.map(({ rot }) => rot))], filters),
    [],
  )
  const hits = names.map((found) => hitOf(found, weights.match.phone, { how: 'phone', name: phone }))
  return { hits: hits.sort(inOrder), isAll: holders.length <= bounds.holders }
}

/** What begins otherwise than every typo allows: good enough not to look for likeness. */
function isGood({ matched, why }: Hit): boolean {
  if (why.typos > 0) return false
  return why.how === 'allWords' || matched >= weights.match.beginsCore
}

async function ofWords({ db, filters, budget }: Index, groups: readonly Group[]): Promise<typeof NONE> {
  const isCommon = Math.min(...groups.map(({ count }) => count)) > bounds.common
  return budget.within(
    () =>
      namesOfWords(
        db,
        groups.map(({ words }) => words),
        filters,
        { limit: bounds.names, isCommon },
      ),
    { names: [], isAll: false },
  )
}

type Group = { words: string[]; count: number }
type Vocabulary = {
  telling: ReadonlyMap<string, number>
  /** Ways to read the words: for each a group of words that stand for it. Only where every word stands for something. */
  groupings: Group[][]
  byWord: readonly Group[]
}

/** The words of the index that stand for those typed: the same, begun, and the last part of a longer one. */
async function readVocabulary(db: Queryable, words: readonly string[]): Promise<Vocabulary> {
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
async function readNear(db: Queryable, words: readonly string[], vocabulary: Vocabulary): Promise<Near> {
  const unsure = words.flatMap((word, nr) => {
    const typos = typosAllowed(word)
    if (typos === 0 || (vocabulary.byWord[nr]?.words.includes(word) && words.length > 1)) return []
    // With one letter wrong one half is right; with two, nearly always the first or the last third.
    const head = typos === 1 ? Math.floor(word.length / 2) : Math.floor(word.length / 3) + 1
    const tail = typos === 1 ? word.length - head : head + 1
    return [{ nr, word, typos, head: word.slice(0, head), tail: word.slice(-tail) }]
  })
  const found = unsure.length === 0 ? [] : await wordsNear(db, unsure, bounds.nearWords)
  const groups = words.map((_, nr): Group => {
    const group = vocabulary.byWord[nr]
    return { words: [...(group?.words ?? [])], count: group?.count ?? 0 }
  })
  const telling = new Map(vocabulary.telling)
  for (const [place, { nr, word, typos }] of unsure.entries()) {
    const near = found
      .filter((each) => each.nr === place)
      .map((each) => ({ ...each, typos: typosBetween(word, each.ord, typos) }))
      .filter((each) => each.typos <= typos && each.typos > 0)
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

/** The two rarest words together, then the rarest, then the next: those that tell most. */
function rarest(groups: readonly Group[]): Group[][] {
  const some = groups.filter(({ words }) => words.length > 0).sort((a, b) => a.count - b.count)
  const [first, second] = some
  if (first === undefined) return []
  return second === undefined ? [[first]] : [[first, second], [first], [second]]
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
    hitOf(found, weights.match.siteLabel, { how: 'site', name: holders[0]?.nokkel ?? key }),
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

async function ownersOf(index: Index, asked: Asked, candidates: readonly Candidate[]) {
  const owners = signOwners(asked, candidates, bounds.owners)
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

function hitOf(found: FoundName, matched: number, why: Pick<Why, 'how' | 'name'>): Hit {
  return {
    orgnr: found.orgnr,
    parent: found.overordnet,
    points: matched + found.tyngde,
    matched,
    hasCeased: found.opphort,
    why: { ...why, from: null, until: null, subUnit: null, typos: 0 },
  }
}

const SHARED_FROM = 3
const NONE: { names: FoundName[]; isAll: boolean } = { names: [], isAll: true }
const NO_WORDS: Vocabulary = { telling: new Map(), groupings: [], byWord: [] }
const NO_NEAR: Near = { groups: [], telling: new Map() }

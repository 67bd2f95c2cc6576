import { nineDigits } from '#src/core/organisation-number.ts'
import type { Match } from './match.ts'
import { weights } from './weights.ts'

/** One name of one company, as something that may be what was asked for. */
export type Candidate = {
  orgnr: number
  /** Of a sub-unit: whose it is. */
  parent: number | null
  kind: 'navn' | 'tidligere' | 'kortnavn'
  name: string
  weight: number
  hasCeased: boolean
  /** Of a former name, when it was that: ISO dates. */
  from: string | null
  until: string | null
}

/** A candidate whose name answers, and how. */
export type Matched = { candidate: Candidate; match: Match }

/** Why a company is a hit. `name` is the name that answers, and `subUnit` the establishment that bears it. */
export type Why = {
  how: Match['how'] | 'formerName' | 'shortName' | 'brand' | 'site' | 'phone' | 'number'
  name: string
  from: string | null
  until: string | null
  subUnit: number | null
  typos: number
}

export type Hit = {
  orgnr: number
  parent: number | null
  points: number
  /** How much of the points the name, site or number has given: what certainty is about. */
  matched: number
  hasCeased: boolean
  why: Why
}

/** Who the establishments belong to that a question may be the sign of. */
export type Owner = { orgnr: number; weight: number; hasCeased: boolean }

/**
 * Hits, best first: a total order that does not depend on the order of the candidates. A company is there once, with the
 * name that answers best.
 */
export function rank(matched: readonly Matched[], owners: readonly Owner[] = []): Hit[] {
  const best = new Map<number, Hit>()
  const offer = (hit: Hit) => {
    const known = best.get(hit.orgnr)
    if (known === undefined || inOrder(hit, known) < 0) best.set(hit.orgnr, hit)
  }
  const doors = new Map<number, Candidate[]>()
  for (const { candidate, match } of matched) {
    offer(hitByName(candidate, match))
    if (candidate.parent !== null && isSign(match)) {
      const some = doors.get(candidate.parent)
      if (some === undefined) doors.set(candidate.parent, [candidate])
      else some.push(candidate)
    }
  }
  for (const owner of owners) {
    const signs = doors.get(owner.orgnr)
    if (signs !== undefined && signs.length >= DOORS_LEAST) offer(brandOf(owner, signs))
  }
  return [...best.values()].sort(inOrder)
}

/** Whose establishments bear what is asked for as their sign, those with the most doors first. */
export function signOwners(matched: readonly Matched[], most: number): number[] {
  const doors = new Map<number, number>()
  for (const {
    candidate: { parent },
    match,
  } of matched) {
    if (parent !== null && isSign(match)) doors.set(parent, (doors.get(parent) ?? 0) + 1)
  }
  return [...doors]
    .filter(([, count]) => count >= DOORS_LEAST)
    .sort(([a, doorsOfA], [b, doorsOfB]) => doorsOfB - doorsOfA || a - b)
    .slice(0, most)
    .map(([orgnr]) => orgnr)
}

/** Points first; then what is the same for every question, so that no two companies are ever equal. */
export function inOrder(a: Hit, b: Hit): number {
  return (
    b.points - a.points ||
    a.why.name.length - b.why.name.length ||
    (a.why.name < b.why.name ? -1 : a.why.name > b.why.name ? 1 : 0) ||
    a.orgnr - b.orgnr
  )
}

const DOORS_LEAST = 2

function isSign({ how, typos }: Match): boolean {
  return typos === 0 && (how === 'whole' || how === 'begins' || how === 'core')
}

/** @param why what it does not say is not the case */
export function hitOf(
  { orgnr, parent, weight, hasCeased }: Pick<Candidate, 'orgnr' | 'parent' | 'weight' | 'hasCeased'>,
  matched: number,
  why: Pick<Why, 'how' | 'name'> & Partial<Why>,
): Hit {
  return {
    orgnr,
    parent,
    points: matched + weight,
    matched,
    hasCeased,
    why: { from: null, until: null, subUnit: null, typos: 0, ...why },
  }
}

/** Whoever has the number that was asked for, whatever it is and whoever else there is. */
export function hitByNumber({ orgnr, parent }: Pick<Candidate, 'orgnr' | 'parent'>): Hit {
  const of = { orgnr, parent, weight: 0, hasCeased: false }
  return hitOf(of, weights.match.number, { how: 'number', name: nineDigits(orgnr) })
}

function hitByName(candidate: Candidate, match: Match): Hit {
  const { matched, how } = byKind(candidate, match)
  const { name, from, until } = candidate
  return hitOf(candidate, matched, { how, name, from, until, typos: match.typos })
}

function byKind({ kind }: Candidate, match: Match): { matched: number; how: Why['how'] } {
  const { match: points } = weights
  if (kind === 'kortnavn') {
    // A short name is what is typed, or it is not meant.
    return match.how === 'whole' && match.typos === 0
      ? { matched: points.shortName, how: 'shortName' }
      : { matched: match.points - points.typo, how: 'shortName' }
  }
  if (kind === 'tidligere') {
    const behind = points.whole - points.formerWhole
    return { matched: match.points - behind, how: 'formerName' }
  }
  return { matched: match.points, how: match.how }
}

function brandOf(owner: Owner, signs: readonly Candidate[]): Hit {
  const { brand, brandDoors } = weights.match
  const sign = signs.reduce((a, b) =>
    a.name.length < b.name.length || (a.name.length === b.name.length && a.orgnr < b.orgnr) ? a : b,
  )
  const matched = brand + brandDoors * Math.log2(signs.length)
  return hitOf({ ...owner, parent: null }, matched, { how: 'brand', name: sign.name, subUnit: sign.orgnr })
}

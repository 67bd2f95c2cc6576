import { UNREAD_LINE } from '#src/record/sections/naering.ts'
import { pointer } from '#src/sources/believe.ts'
import type { ChangedField } from '#src/storage/changes/change-log.ts'
import { type Fact, type Facts, isFacts, type Look } from './fact.ts'
import { hasListsBelow, identityIn } from './items.ts'

/**
 * What is otherwise now than it was, by its address in the record, and what is known now. Pure.
 *
 * What stands nowhere in the one or the other (another release knew less, or more) is not compared. Where either was in doubt,
 * what was not told in the one is as it was in the other: a fact that could not be read has not changed, and who could not be
 * read has not left.
 */
export function difference(before: Look, now: Look): { fields: ChangedField[]; known: Facts } {
  const was = filled(before, now.facts)
  const is = filled(now, before.facts)
  return { fields: compare('', was, is), known: is }
}

function compare(address: string, was: Fact | undefined, is: Fact | undefined): ChangedField[] {
  if (was === undefined || is === undefined) return []
  const identity = identityIn(address)
  if (identity !== null && (Array.isArray(was) || Array.isArray(is))) {
    return paired(listed(was), listed(is), identity).flatMap(([before, now]) =>
      before !== null && now !== null && isSame(before, now)
        ? []
        : [{ felt: address, for: before, etter: now }],
    )
  }
  if (isParted(was) && isParted(is))
    return Object.keys(is).flatMap((name) => compare(pointer(address, name), was[name], is[name]))
  // All of it came or went: told where it is known what came or went.
  if (hasListsBelow(address) && (isParted(was) || isParted(is))) {
    const there = isParted(is) ? is : isParted(was) ? was : {}
    return Object.entries(there).flatMap(([name, fact]) =>
      compare(pointer(address, name), was === null ? null : fact, is === null ? null : fact),
    )
  }
  return isSame(was, is) ? [] : [{ felt: address, for: was, etter: is }]
}

function listed(fact: Fact): Fact[] {
  return Array.isArray(fact) ? fact : []
}

/** Items by what they are known by; those of one name by what they say, and then as they stand. */
function paired(
  was: readonly Fact[],
  is: readonly Fact[],
  identity: (item: Fact) => string,
): [before: Fact | null, now: Fact | null][] {
  const left = Map.groupBy(was, identity)
  const take = (key: string, wanted: (item: Fact) => boolean): Fact | null => {
    const items = left.get(key) ?? []
    const at = items.findIndex(wanted)
    return at === -1 ? null : (items.splice(at, 1)[0] ?? null)
  }
  const asBefore = is.map((item) => take(identity(item), (before) => isSame(before, item)))
  const pairs = is.map((item, at): [Fact | null, Fact | null] => [
    asBefore[at] ?? take(identity(item), () => true),
    item,
  ])
  return [...pairs, ...[...left.values()].flat().map((item): [Fact, null] => [item, null])]
}

/** Told field by field; a code with its words is one value. */
function isParted(fact: Fact | undefined): fact is Facts {
  return isFacts(fact) && !isCode(fact)
}

function isCode(fact: Facts): boolean {
  return Object.hasOwn(fact, 'kode') && Object.hasOwn(fact, 'beskrivelse')
}

/** The words of a code are the register's list, and no fact of a company. */
function isSame(a: Fact | undefined, b: Fact | undefined): boolean {
  if (a === undefined || b === undefined || a === b) return true
  if (isNothing(a) || isNothing(b)) return isNothing(a) && isNothing(b)
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, at) => isSame(item, b[at]))
  if (!isFacts(a) || !isFacts(b)) return false
  if (isCode(a) && isCode(b) && a.kode !== null && a.kode === b.kode) return true
  return Object.keys(a).every((name) => isSame(a[name], b[name]))
}

/** That nothing is stated, and that there is something of which nothing is stated, tell a reader the same. */
function isNothing(fact: Fact): boolean {
  if (Array.isArray(fact)) return fact.length === 0
  return fact === null || (isFacts(fact) && Object.values(fact).every(isNothing))
}

/** The facts, with what the other look knew in place of what was not told where this one was in doubt. */
function filled({ facts, inDoubt }: Look, other: Facts): Facts {
  if (inDoubt.length === 0) return facts
  const isInDoubt = (name: string) =>
    inDoubt.includes(name) || (inDoubt.includes('') && !isSection(facts[name]))
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name,
      isInDoubt(name) ? fill(pointer('', name), fact, other[name]) : fact,
    ]),
  )
}

function isSection(fact: Fact | undefined): boolean {
  return isFacts(fact) && Object.hasOwn(fact, 'data')
}

function fill(address: string, fact: Fact, other: Fact | undefined): Fact {
  if (other === undefined || other === null) return fact
  if (fact === null) return other
  const identity = identityIn(address)
  if (identity !== null && Array.isArray(fact) && Array.isArray(other))
    return paired(other, fact, identity).flatMap(([known, item]) => {
      if (item === null) return known === null ? [] : [known]
      return [known === null ? item : fill(`${address}/-`, item, known)]
    })
  // A line that can not be read is left out of a list, and marked in a text.
  if (Array.isArray(fact) && Array.isArray(other))
    return fact.every((line) => other.includes(line)) ? other : fact
  if (typeof fact === 'string' && fact.includes(UNREAD_LINE)) return other
  if (!isParted(fact) || !isParted(other)) return fact
  return Object.fromEntries(
    Object.entries(fact).map(([name, below]) => [name, fill(pointer(address, name), below, other[name])]),
  )
}

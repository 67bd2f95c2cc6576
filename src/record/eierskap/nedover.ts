import { nineDigits } from '#src/core/organisation-number.ts'
import { groupsInOrder } from './circles.ts'
import type { Eid, EierI, Nedover } from './eierskap.ts'
import type { OwnershipLimits } from './limits.ts'
import { type Edge, inPercent, wholeOf } from './share-book.ts'

type Below = {
  nedover: Nedover
  eierI: EierI
  isCircular: boolean
  isUndetermined: boolean
  isAdjusted: boolean
}

/**
 * What the subject owns, and what those own: breadth first over more than half, one call for each level. Associates are named
 * and not followed. Of a public owner only the first level is named: what the state owns is no group.
 */
export async function below(
  subject: number,
  { levels, companies, isPublic }: { levels: number; companies: number; isPublic: boolean },
  owns: (orgnrs: readonly number[]) => Promise<Edge[]>,
  limits: OwnershipLimits,
): Promise<Below> {
  const group = new Map<number, Eid>()
  const associates: (Eid & { orgnr: number })[] = []
  const inGroup = new Map<number, number[]>()
  let eierI: EierI = { antall: 0, andeler: [] }
  let isCut = false
  let isUndetermined = false
  let isAdjusted = false
  let owners = [subject]
  for (let ledd = 1; owners.length > 0; ledd++) {
    if (ledd > levels) {
      isCut = true
      break
    }
    const stakes = (await owns(owners)).filter(({ eier, eid }) => eier !== eid).map(stake)
    stakes.sort(
      (a, b) => (b.part ?? -1) - (a.part ?? -1) || b.aksjer - a.aksjer || a.orgnr - b.orgnr || a.by - b.by,
    )
    if (ledd === 1) eierI = holdings(stakes, limits.holdingsMax)
    for (const owner of owners) inGroup.set(owner, [])
    const next: number[] = []
    for (const each of stakes) {
      inGroup.get(each.by)?.push(each.orgnr)
      isUndetermined ||= each.part === null
      isAdjusted ||= each.isAdjusted
      const part = each.part ?? 0
      if (part < 0.2 || each.orgnr === subject || group.has(each.orgnr)) continue
      const eid = { ...each.eid, ledd }
      if (part <= 0.5) associates.push({ ...eid, orgnr: each.orgnr })
      else if (group.size >= companies) isCut = true
      else {
        group.set(each.orgnr, eid)
        next.push(each.orgnr)
      }
    }
    if (isPublic) break
    owners = next
  }
  // A company may be found as an associate before another in the group turns out to have more than half of it.
  const tilknyttede = associates.filter(({ orgnr }) => !group.has(orgnr)).map(({ orgnr: _, ...eid }) => eid)
  return {
    nedover: {
      datterselskap: [...group.values()],
      tilknyttede: tilknyttede.slice(0, limits.holdingsMax),
      avkortet: isCut || tilknyttede.length > limits.holdingsMax,
    },
    eierI,
    isCircular: groupsInOrder([subject], (orgnr) => inGroup.get(orgnr) ?? []).some(
      ({ length }) => length > 1,
    ),
    isUndetermined,
    isAdjusted,
  }
}

type Stake = {
  orgnr: number
  by: number
  aksjer: number
  part: number | null
  isAdjusted: boolean
  eid: Omit<Eid, 'ledd'>
}

function stake({ eier, eid, aksjer, navn, aksjerTotalt, aksjerSum }: Edge): Stake {
  const whole = wholeOf(aksjerTotalt, Math.max(aksjer, aksjerSum ?? 0))
  const part = whole === null ? null : aksjer / whole.shares
  return {
    orgnr: eid,
    by: eier,
    aksjer,
    part,
    isAdjusted: whole?.isAdjusted ?? false,
    eid: {
      organisasjonsnummer: nineDigits(eid),
      navn,
      eier: nineDigits(eier),
      aksjer,
      prosent: part === null ? null : inPercent(part),
    },
  }
}

function holdings(stakes: readonly Stake[], holdingsMax: number): EierI {
  return {
    antall: stakes.length,
    andeler: stakes.slice(0, holdingsMax).map(({ eid: { eier: _, ...andel } }) => andel),
  }
}

import { groupsInOrder, solveCircle } from './circles.ts'

/** A company whose share book is open: of how many shares, and which companies hold some. Its own shares are not among them. */
export type OpenCompany = { whole: number; holders: readonly { orgnr: number; aksjer: number }[] }

export type EffectiveShares = {
  /**
   * How much of the subject each company holds in all, directly and through others, between 0 and 1. For a company within a
   * circle the same share is counted once, not once for every round. Companies of a circle without an outside are left out.
   */
  held: Map<number, number>
  /** How often each open company is passed on all ways upwards: times its holder's part, what comes to the holder. */
  passed: Map<number, number>
  /** Companies that hold each other, round or across. */
  circles: number[][]
  /** Companies of circles that nobody outside holds a share in: what each of them holds can not be told. */
  undetermined: Set<number>
  /** How much of the subject ends in such circles. */
  undeterminedPart: number
}

/**
 * Effective shares of one subject: over all ways upwards the sum of the products of the parts, X = A + A X, exact also where
 * the ways are without end because companies hold each other. Only such circles need equations: the rest is passed once, from
 * the subject upwards. A circle larger than `circleMax` is left undetermined.
 */
export function effectiveShares(
  subject: number,
  open: ReadonlyMap<number, OpenCompany>,
  { circleMax }: { circleMax: number },
): EffectiveShares {
  const held = new Map<number, number>()
  const passed = new Map<number, number>()
  const undetermined = new Set<number>()
  const circles: number[][] = []
  let undeterminedPart = 0
  const incoming = new Map<number, number>([[subject, 1]])
  const take = (orgnr: number) => incoming.get(orgnr) ?? 0

  const openHolders = new Map(
    [...open].map(([orgnr, { holders }]) => [
      orgnr,
      holders.filter((holder) => open.has(holder.orgnr)).map((holder) => holder.orgnr),
    ]),
  )
  const groups = groupsInOrder([subject], (orgnr) => openHolders.get(orgnr) ?? [])

  for (const group of groups) {
    const start = group.map(take)
    if (group.length > 1) circles.push(group)
    const solved = group.length > 1 ? solve(group, open, circleMax) : single
    if (solved === null) {
      for (const each of group) undetermined.add(each)
      undeterminedPart += start.reduce((sum, part) => sum + part, 0)
      continue
    }
    const through = solved.passed(start)
    group.forEach((orgnr, index) => {
      const times = through[index] ?? 0
      passed.set(orgnr, times)
      held.set(orgnr, times / (solved.rounds[index] ?? 1))
      const { whole, holders } = open.get(orgnr) ?? { whole: 1, holders: [] }
      for (const holder of holders) {
        incoming.set(holder.orgnr, take(holder.orgnr) + (times * holder.aksjer) / whole)
      }
    })
  }
  for (const [orgnr, part] of incoming) if (!open.has(orgnr)) held.set(orgnr, part)
  return { held, passed, circles, undetermined, undeterminedPart }
}

type Solved = { passed: (incoming: readonly number[]) => readonly number[]; rounds: readonly number[] }

const single: Solved = { passed: (incoming) => incoming, rounds: [1] }

function solve(
  group: readonly number[],
  open: ReadonlyMap<number, OpenCompany>,
  circleMax: number,
): Solved | null {
  if (group.length > circleMax) return null
  const place = new Map(group.map((orgnr, index) => [orgnr, index]))
  const outside: number[] = []
  const part = group.map((orgnr) => {
    const row = new Array<number>(group.length).fill(0)
    const { whole, holders } = open.get(orgnr) ?? { whole: 1, holders: [] }
    // Counted in shares, not in fractions: whether anything is outside is then exact.
    let left = whole
    for (const holder of holders) {
      const column = place.get(holder.orgnr)
      if (column === undefined) continue
      left -= holder.aksjer
      row[column] = (row[column] ?? 0) + holder.aksjer / whole
    }
    outside.push(Math.max(0, left) / whole)
    return row
  })
  const solution = solveCircle(part, outside)
  if (solution === null) return null
  // How often one who stands at a member comes back to it, the first time included.
  const rounds = group.map((_, index) => {
    const alone = group.map((_each, other) => (other === index ? 1 : 0))
    return solution(alone)[index] ?? 1
  })
  return { passed: solution, rounds }
}

/**
 * The strongly connected groups of what can be reached from `roots` (Tarjan 1972), in an order in which every arrow runs within
 * a group or to a later one.
 */
export function groupsInOrder(
  roots: readonly number[],
  next: (node: number) => readonly number[],
): number[][] {
  const number = new Map<number, number>()
  const lowest = new Map<number, number>()
  const open: number[] = []
  const isOpen = new Set<number>()
  const groups: number[][] = []

  // As deep as the longest chain of companies whose books were read: some hundred at most.
  function visit(node: number): number {
    let low = number.size
    number.set(node, low)
    open.push(node)
    isOpen.add(node)
    const own = low
    for (const to of next(node)) {
      if (!number.has(to)) low = Math.min(low, visit(to))
      else if (isOpen.has(to)) low = Math.min(low, lowest.get(to) ?? number.get(to) ?? low)
    }
    lowest.set(node, low)
    if (low === own) {
      const group = open.splice(open.lastIndexOf(node))
      for (const each of group) isOpen.delete(each)
      groups.push(group)
    }
    return low
  }

  for (const root of roots) if (!number.has(root)) visit(root)
  return groups.reverse()
}

/**
 * Solves one circle of owners exactly. `part[i][j]` is how much of i is held by j (nothing of itself), `outside[i]` how much is
 * held by others than the circle; each row and its outside make 1.
 *
 * Answers with a function: for what comes into the circle at each member, how often each member is passed on all ways upwards,
 * v = b (I − A)⁻¹; null when nothing leaves the circle, where I − A is singular and no amount has a meaning.
 *
 * The elimination is that of Grassmann, Taksar and Heyman (1985): the diagonal is added up from what leaves, never subtracted
 * from 1. So the answer is right to the last digits also where a circle holds all but one share in a thousand million of itself.
 */
export function solveCircle(
  part: readonly (readonly number[])[],
  outside: readonly number[],
): ((incoming: readonly number[]) => number[]) | null {
  const size = part.length
  const at = part.map((row) => Float64Array.from(row))
  const leaving = Float64Array.from(outside)
  const pivots = new Float64Array(size)
  for (let k = size - 1; k >= 0; k--) {
    const row = at[k] as Float64Array
    let pivot = leaving[k] as number
    for (let j = 0; j < k; j++) pivot += row[j] as number
    if (!(pivot > 0)) return null
    pivots[k] = pivot
    for (let i = 0; i < k; i++) {
      const above = at[i] as Float64Array
      const factor = (above[k] as number) / pivot
      above[k] = factor
      if (factor === 0) continue
      for (let j = 0; j < k; j++) above[j] = (above[j] as number) + factor * (row[j] as number)
      leaving[i] = (leaving[i] as number) + factor * (leaving[k] as number)
    }
    for (let j = 0; j < k; j++) row[j] = (row[j] as number) / pivot
  }
  const cell = (i: number, j: number) => (at[i] as Float64Array)[j] as number

  return (incoming) => {
    const through = Float64Array.from(incoming)
    for (let j = size - 1; j >= 0; j--) {
      for (let i = j + 1; i < size; i++)
        through[j] = (through[j] as number) + (through[i] as number) * cell(i, j)
    }
    for (let k = 0; k < size; k++) {
      let passed = (through[k] as number) / (pivots[k] as number)
      for (let i = 0; i < k; i++) passed += (through[i] as number) * cell(i, k)
      through[k] = passed
    }
    return Array.from(through)
  }
}

/** The most letters that may be wrong in whatever name a word stands for: two of eight may have been left out of six. */
export function typosThinkable(typed: string): 0 | 1 | 2 {
  if (typed.length < 3 || NUMERAL.test(typed)) return 0
  return typed.length < 6 ? 1 : 2
}

/** Letters that are wrong: 0 when they are the same, and when more is wrong than may be. */
export function typosIn(typed: string, name: string): number {
  const most = typosAllowed(typed, name)
  const typos = most === 0 ? 0 : typosBetween(typed, name, most)
  return typos > most ? 0 : typos
}

/**
 * None in a word below four letters, and in numbers; one from four; two from eight. The longer of the two counts: what was left
 * out is not among the letters that were typed.
 */
function typosAllowed(typed: string, name: string): 0 | 1 | 2 {
  const letters = Math.max(typed.length, name.length)
  if (letters < 4 || NUMERAL.test(typed) || NUMERAL.test(name)) return 0
  return letters < 8 ? 1 : 2
}

const NUMERAL = /\p{N}/u

/**
 * Letters left out, put in, changed or swapped with their neighbour between two words; `most + 1` when there are more.
 * (Optimal string alignment.)
 */
function typosBetween(a: string, b: string, most: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1]
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      row.push(cost)
      if (cost < least) least = cost
    }
    if (least > most) return most + 1
    before = last
    last = row
  }
  return Math.min(last[b.length] ?? 0, most + 1)
}

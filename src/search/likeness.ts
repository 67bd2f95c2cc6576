/** The most letters that may be wrong in whatever name a word stands for: two of eight may have been left out of six. */
export function typosThinkable(typed: string): 0 | 1 | 2 {
  if (typed.length < 3 || NUMERAL.test(typed)) return 0
  return typed.length < 6 ? 1 : 2
}

/**
 * Letters that are wrong: 0 when they are the same, and when more is wrong than may be. None may in a word below four letters, and in
 * numbers; one from four; two from eight. The longer of the two counts: what was left out is not among the letters that were typed.
 */
export function typosIn(typed: string, name: string): number {
  const letters = Math.max(typed.length, name.length)
  const most = letters < 4 ? 0 : letters < 8 ? 1 : 2
  // Nearly all end here, or by their letters: numbers are looked for last.
  if (most === 0 || Math.abs(typed.length - name.length) > most) return 0
  const typos = typosBetween(typed, name, most)
  return typos > most || NUMERAL.test(typed) || NUMERAL.test(name) ? 0 : typos
}

const NUMERAL = /\p{N}/u

/**
 * Letters left out, put in, changed or swapped with their neighbour between two words; `most + 1` when there are more.
 * (Optimal string alignment.) A search compares a hundred thousand pairs of words: what begins and ends alike is left out, and of the
 * rest only what lies within `most` of the same place is looked at, in rows that are used again.
 */
function typosBetween(a: string, b: string, most: number): number {
  let from = 0
  let aEnd = a.length
  let bEnd = b.length
  while (from < aEnd && from < bEnd && a[from] === b[from]) from += 1
  while (aEnd > from && bEnd > from && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd -= 1
    bEnd -= 1
  }
  const rowsOfA = aEnd - from
  const columns = bEnd - from
  if (rowsOfA === 0 || columns === 0) return Math.min(Math.max(rowsOfA, columns), most + 1)
  let [before, last, row] = rows
  for (let j = 0; j <= Math.min(columns, most); j += 1) last[j] = j
  for (let i = 1; i <= rowsOfA; i += 1) {
    const first = Math.max(1, i - most)
    const end = Math.min(columns, i + most)
    row[first - 1] = first === 1 ? i : most + 1
    let least = row[first - 1] as number
    for (let j = first; j <= end; j += 1) {
      const letter = a[from + i - 1]
      const other = b[from + j - 1]
      // One place beyond those of the row above nothing was written.
      const above = j === i + most ? most + 1 : (last[j] as number)
      let cost = Math.min(
        above + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (letter === other ? 0 : 1),
      )
      if (i > 1 && j > 1 && letter === b[from + j - 2] && a[from + i - 2] === other)
        cost = Math.min(cost, (before[j - 2] as number) + 1)
      row[j] = cost
      if (cost < least) least = cost
    }
    if (least > most) return most + 1
    ;[before, last, row] = [last, row, before]
  }
  return Math.min(last[columns] as number, most + 1)
}

const rows: [number[], number[], number[]] = [[], [], []]

/** An answer as it is shown: lists have their first, and what is left out is said to be. */
export function shortened(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) {
    const first = value.slice(0, ITEMS_MAX).map((each) => shortened(each, depth + 1))
    return value.length > ITEMS_MAX ? [...first, `… (${value.length - ITEMS_MAX})`] : first
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEPTH_MAX) return '…'
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each, depth + 1)]))
}

const ITEMS_MAX = 2
const DEPTH_MAX = 6

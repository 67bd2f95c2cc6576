const REMEMBERED_MAX = 200
const remembered = new Map<string, boolean>()

export const JSON_ALONE = ['application/json'] as const

/**
 * Whether one of the types is among those a client takes (RFC 9110, 12.5.1): the most telling of its ranges decides for each.
 * Without a list it takes anything, and so it does with one nobody can read.
 */
export function accepts(accept: string | undefined, types: readonly string[]): boolean {
  if (accept === undefined || accept === '*/*') return true
  const name = `${types.join()} ${accept}`
  const known = remembered.get(name)
  if (known !== undefined) return known
  const ranges = readRanges(accept)
  const isTaken = ranges.size === 0 || types.some((type) => qualityOf(type, ranges) > 0)
  // Somebody who sends one list after another costs the others' to be read again, now and then.
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  if (name.length < 300) remembered.set(name, isTaken)
  return isTaken
}

function readRanges(accept: string): Map<string, number> {
  const ranges = new Map<string, number>()
  for (const range of accept.slice(0, 500).toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim())
    const quality = Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1)
    if (/^[^/\s]+\/[^/\s]+$/.test(name)) ranges.set(name, quality >= 0 && quality <= 1 ? quality : 1)
  }
  return ranges
}

function qualityOf(type: string, ranges: ReadonlyMap<string, number>): number {
  return ranges.get(type) ?? ranges.get(`${type.split('/')[0]}/*`) ?? ranges.get('*/*') ?? 0
}

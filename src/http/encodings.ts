import type { Encoding } from '#src/core/packed.ts'

/** Best first, where the client likes them the same. */
const ENCODINGS: readonly Encoding[] = ['br', 'zstd', 'gzip']
const REMEMBERED_MAX = 200
const remembered = new Map<string, Encoding | null>()

/** RFC 9110, 12.5.3. Clients send one of a handful of lists, so each is read once. @returns null for as it is */
export function preferredEncoding(acceptEncoding: string): Encoding | null {
  const known = remembered.get(acceptEncoding)
  if (known !== undefined) return known
  const read = readEncodings(acceptEncoding)
  // Somebody who sends one list after another costs the others' to be read again, now and then.
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  if (acceptEncoding.length < 100) remembered.set(acceptEncoding, read)
  return read
}

function readEncodings(acceptEncoding: string): Encoding | null {
  const liked = new Map<string, number>()
  for (const part of acceptEncoding.slice(0, 500).toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim())
    const quality = Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1)
    if (quality >= 0 && quality <= 1) liked.set(name, quality)
  }
  const like = (name: string) => liked.get(name) ?? liked.get('*') ?? 0
  const best = ENCODINGS.toSorted((a, b) => like(b) - like(a))[0] ?? null
  // Unencoded is liked unless it was said that it is not, so an encoding must be liked as well to be chosen.
  return best !== null && like(best) > 0 && like(best) >= (liked.get('identity') ?? 0) ? best : null
}

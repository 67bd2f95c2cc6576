import { tooMuchJson } from './json-bounds.ts'

/** It was not parsed: it would have cost more than an answer may. */
export class TooMuchJsonError extends Error {
  override readonly name = 'TooMuchJsonError'
}

/** Real answers have eight levels. */
const DEPTH_MAX = 64

/** To make one costs as much as to read a kilobyte; none remembers anything of what it has read. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The bytes of an answer as JSON.
 *
 * @param valuesMax the largest real answer, a search of a hundred units, has some ten thousand; a page of a feed some thirty
 * @throws TooMuchJsonError; TypeError for bytes that are not UTF-8; SyntaxError, whose message repeats what it could not read
 */
export function readJson(bytes: Uint8Array, valuesMax = 50_000): unknown {
  const tooMuch = tooMuchJson(bytes, { depthMax: DEPTH_MAX, valuesMax })
  if (tooMuch !== null) throw new TooMuchJsonError(tooMuch)
  return JSON.parse(UTF_8.decode(bytes))
}

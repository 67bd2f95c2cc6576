import { escaped, stepsOf, valueAt } from './leaves.ts'

/**
 * One thing that is otherwise in a register's answer than when it was recorded.
 *
 * - `removed`, `null`: the register does not state it. `unknown field`, `unknown code`: something new of the register.
 * - `unreadable`: it is of another type. `number as text`: the same, and plainly that number.
 * - `long`: a text of 10,000 letters.
 */
export type Drift = {
  pointer: string
  kind: 'removed' | 'null' | 'unreadable' | 'number as text' | 'unknown field' | 'unknown code' | 'long'
  /** What stands there now; undefined when nothing does. */
  now: unknown
}

const ROWS_MAX = 25
const NEW_CODE = 'NYKODEÆØ'
const LONG_TEXT = 'Lang tekst med æøå. '.repeat(500)

/** Every drift of one field of an answer, in the order the answer is written. */
export function* driftsOf(answer: unknown, pointer = ''): Generator<Drift> {
  if (pointer !== '') yield* ofOne(answer, pointer)
  if (typeof answer !== 'object' || answer === null) return
  if (!Array.isArray(answer))
    yield { pointer: `${pointer}/nyttFelt2027`, kind: 'unknown field', now: 'noe nytt' }
  // In a long list the first stand for all.
  const parts = Object.entries(answer).slice(0, Array.isArray(answer) ? ROWS_MAX : undefined)
  for (const [key, value] of parts) yield* driftsOf(value, `${pointer}/${escaped(key)}`)
}

function* ofOne(value: unknown, pointer: string): Generator<Drift> {
  const isItem = /\/\d+$/.test(pointer)
  if (!isItem) yield { pointer, kind: 'removed', now: undefined }
  // A line of a text may be null; something that has fields may not.
  yield { pointer, kind: isItem && typeof value === 'object' ? 'unreadable' : 'null', now: null }
  for (const now of ofOtherTypes(value)) yield { pointer, kind: 'unreadable', now }
  if (typeof value === 'number') yield { pointer, kind: 'number as text', now: String(value) }
  if (typeof value === 'string') {
    yield { pointer, kind: 'long', now: LONG_TEXT }
    if (/\/(?:kode|infotype|type)$/.test(pointer)) yield { pointer, kind: 'unknown code', now: NEW_CODE }
  }
}

function ofOtherTypes(value: unknown): unknown[] {
  // Of what is null it is not known what it would have been.
  if (value === null) return []
  if (Array.isArray(value)) return ['tekst', {}, 7]
  switch (typeof value) {
    case 'string':
      return [7, true, {}, []]
    case 'number':
      return ['mange', true, [], {}]
    case 'boolean':
      return [String(value), value ? 1 : 0, {}, []]
    default:
      return ['tekst', 7, []]
  }
}

/** The answer as it is with a drift. What does not change is shared. */
export function drifted(answer: unknown, { pointer, now }: Drift): unknown {
  return changed(answer, stepsOf(pointer), now)
}

function changed(value: unknown, [step, ...rest]: string[], now: unknown): unknown {
  if (step === undefined) return now
  const inner = changed(valueAt(value, `/${escaped(step)}`), rest, now)
  if (Array.isArray(value)) return value.with(Number(step), inner)
  const copy: Record<string, unknown> = { ...(value as object) }
  if (inner === undefined) delete copy[step]
  else copy[step] = inner
  return copy
}

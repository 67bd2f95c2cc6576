import { mayHoldIdentityNumber } from '#src/sources/aksjonaerregisteret/identity-number.ts'
import { readFilings } from '#src/sources/regnskap/accounts.ts'
import { FIGURE_SECTIONS, type RegisterRegnskap } from '#src/sources/regnskap/schema.ts'
import { SourceError } from '#src/sources/source.ts'
import { RefusedLineError } from './refused-line.ts'

/**
 * The filings of one line in the register's own shape: one filing, or the list the register answers with for one company. A
 * line is taken whole or not at all.
 *
 * @throws RefusedLineError
 */
export function readJsonLine(text: string): RegisterRegnskap[] {
  const body = parse(text)
  const filings = Array.isArray(body) ? body : [body]
  for (const filing of filings) refuseIdentityNumbers(filing, null, DEPTH_MAX)
  const { value, avvik } = believed(filings)
  const whole = value.filter((filing) => filing !== null)
  if (avvik.length > 0 || whole.length === 0) throw new RefusedLineError('feil_form', avvik[0] ?? null)
  return whole
}

/** Deeper than any filing, and far from what a stack can carry. */
const DEPTH_MAX = 64
/** Numbers outside the figures: the register's ids have seven digits. */
const NUMBER_MAX = 999_999_999

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RefusedLineError('ikke_json')
  }
}

function believed(filings: unknown[]): ReturnType<typeof readFilings> {
  try {
    return readFilings(filings)
  } catch (error) {
    if (error instanceof SourceError) throw new RefusedLineError('feil_form')
    throw error
  }
}

/** Also in what is not kept: a file with persons in it is not the register's, and the operator is to know. */
function refuseIdentityNumbers(value: unknown, section: string | null, depth: number): void {
  if (depth === 0) throw new RefusedLineError('feil_form')
  if (typeof value === 'string' && mayHoldIdentityNumber(value))
    throw new RefusedLineError('identitetsnummer')
  if (typeof value === 'number' && !isFigure(section) && Math.abs(value) > NUMBER_MAX) {
    throw new RefusedLineError('identitetsnummer')
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) {
    if (mayHoldIdentityNumber(name)) throw new RefusedLineError('identitetsnummer')
    refuseIdentityNumbers(part, section ?? name, depth - 1)
  }
}

function isFigure(section: string | null): boolean {
  return FIGURE_SECTIONS.some((name) => name === section)
}

import type { WholeAnswer } from '#src/cache/answers.ts'
import type { InputError } from '#src/core/errors.ts'
import type { Language } from '#src/core/language.ts'
import type { CompanyReading } from '#src/record/company-reading.ts'
import type { PartOfRecord } from '#src/record/fields.ts'
import type { ManyReader } from '#src/record/many.ts'
import { inEnglish } from '#src/record/own-words.ts'
import { Problem } from '../../http/problem.ts'
import { askAgainSeconds, problemOf } from '../routes/bedrift.ts'
import type { AskedNumber } from './numbers.ts'

/** One number's fate: a company as it would be answered alone, or the problem that would. */
export type Line = {
  number: number
  asked: AskedNumber
  /** The record's JSON. */
  record: Buffer | null
  problem: Problem | null
  /** What is missing, or all of it, may be there then. */
  againSeconds: number | null
}

/** Of what is no number, at once. */
const RUN_MAX = 100

/** What the last line tells. Pure sums over the lines before it. */
type Summary = {
  linjer: number
  foretak: number
  feil: number
  ufullstendige: number
  dubletter: number
  provIgjenEtter: number | null
}

/**
 * Those together whose companies come together, and of what is no number as many.
 *
 * @param first the number of the first line
 */
export async function* linesOf(
  asked: readonly AskedNumber[],
  many: Pick<ManyReader, 'read' | 'turn'>,
  wish: Parameters<ManyReader['read']>[1],
  first = 1,
): AsyncGenerator<Line[]> {
  const orgnrs = asked.flatMap(({ orgnr }) => orgnr ?? [])
  const readings = many.read(orgnrs, wish)
  const problemWith = createProblems()
  let run: readonly CompanyReading<WholeAnswer>[] = []
  let taken = 0
  let lines: Line[] = []
  let number = first - 1
  try {
    for (const each of asked) {
      number += 1
      if (each.orgnr === null) {
        if (lines.length >= RUN_MAX) {
          yield lines
          lines = []
        }
        if (lines.length === 0) await many.turn(wish.caller)
        lines.push({ number, asked: each, record: null, problem: problemWith(each), againSeconds: null })
        continue
      }
      if (taken === run.length) {
        if (lines.length > 0) yield lines
        lines = []
        const { value, done } = await readings.next()
        if (done) throw new Error('there are fewer readings than numbers')
        run = value
        taken = 0
      }
      const reading = run[taken]
      taken += 1
      if (reading !== undefined) lines.push(lineOf(number, each, reading))
    }
    if (lines.length > 0) yield lines
  } finally {
    await readings.return(undefined)
  }
}

/** Of lines that say the same is wrong: to make an error takes many times as long as to tell it. */
function createProblems(): (asked: Extract<AskedNumber, { orgnr: null }>) => Problem {
  const made = new Map<InputError | null, Problem>()
  return ({ wrong }) => {
    const problem = made.get(wrong) ?? problemOfNumber(wrong)
    made.set(wrong, problem)
    return problem
  }
}

/** @param wrong null: its company was removed */
export function problemOfNumber(wrong: InputError | null): Problem {
  if (wrong === null) return new Problem('fjernet')
  const { norsk, english, parameter } = wrong
  return new Problem('ugyldig_organisasjonsnummer', {
    detail: { nb: norsk, en: english },
    extra: { parameter },
  })
}

function lineOf(number: number, asked: AskedNumber, reading: CompanyReading<WholeAnswer>): Line {
  if (reading.outcome === 'record') {
    const againSeconds = askAgainSeconds(reading.lacking)
    return { number, asked, record: reading.answer.bytes, problem: null, againSeconds }
  }
  const problem = problemOf(reading)
  const retryAfter = problem.headers['retry-after']
  const againSeconds = retryAfter === undefined ? null : Number(retryAfter)
  return { number, asked, record: null, problem, againSeconds }
}

export function createSummary(dubletter: number) {
  const sum: Summary = {
    linjer: 0,
    foretak: 0,
    feil: 0,
    ufullstendige: 0,
    dubletter,
    provIgjenEtter: null,
  }
  return {
    sum,
    add({ record, againSeconds }: Line): void {
      sum.linjer += 1
      if (record === null) sum.feil += 1
      else sum.foretak += 1
      if (record !== null && againSeconds !== null) sum.ufullstendige += 1
      if (againSeconds !== null) sum.provIgjenEtter = Math.max(sum.provIgjenEtter ?? 0, againSeconds)
    },
  }
}

/**
 * @param body of a problem, as it would be answered alone
 * @returns the pieces they are made of: a record is tens of kilobytes, and held as it is
 */
export function asNdjson(
  lines: readonly Line[],
  language: Language,
  body: (problem: Problem) => object,
): Buffer[] {
  const pieces: Buffer[] = []
  /** Between two records. */
  let text = ''
  for (const { number, asked, record, problem, againSeconds } of lines) {
    text += `{"linje":${number},"organisasjonsnummer":${asked.orgnr === null ? 'null' : `"${asked.orgnr}"`}`
    if (asked.given !== null) text += `,"oppgitt":${JSON.stringify(asked.given)}`
    if (againSeconds !== null) text += `,"provIgjenEtter":${againSeconds}`
    if (record === null) {
      const said = JSON.stringify(problem && body(problem))
      text += `,"feil":${language === 'nb' ? said : inEnglish(said)}`
    } else {
      text += ',"foretak":'
      pieces.push(Buffer.from(text), language === 'nb' ? record : Buffer.from(inEnglish(record.toString())))
      text = ''
    }
    text += '}\n'
  }
  pieces.push(Buffer.from(text))
  return pieces
}

export function asTableLine({ asked, record, problem }: Line): {
  orgnr: string
  company: PartOfRecord | null
  feil: string | null
} {
  return {
    orgnr: asked.orgnr ?? asked.given ?? '',
    company: record === null ? null : (JSON.parse(record.toString()) as PartOfRecord),
    feil: problem?.kode ?? null,
  }
}

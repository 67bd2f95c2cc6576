import type { WholeAnswer } from '#src/cache/answers.ts'
import type { Language } from '#src/core/language.ts'
import type { CompanyReading } from '#src/record/company-reading.ts'
import type { PartOfRecord } from '#src/record/fields.ts'
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
 * Those together whose companies come together.
 *
 * @param readings of the numbers among those asked that are numbers, in their order
 * @param first the number of the first line
 */
export async function* linesOf(
  asked: readonly AskedNumber[],
  readings: AsyncGenerator<CompanyReading<WholeAnswer>[]>,
  first = 1,
): AsyncGenerator<Line[]> {
  let run: CompanyReading<WholeAnswer>[] = []
  let lines: Line[] = []
  try {
    for (const [index, each] of asked.entries()) {
      const number = index + first
      if (each.orgnr === null && each.given === null) {
        lines.push({ number, asked: each, record: null, problem: new Problem('fjernet'), againSeconds: null })
        continue
      }
      if (each.orgnr === null) {
        const { norsk, english, parameter } = each.wrong
        const problem = new Problem('ugyldig_organisasjonsnummer', {
          detail: { nb: norsk, en: english },
          extra: { parameter },
        })
        lines.push({ number, asked: each, record: null, problem, againSeconds: null })
        continue
      }
      if (run.length === 0) {
        if (lines.length > 0) yield lines
        lines = []
        const { value, done } = await readings.next()
        if (done) throw new Error('there are fewer readings than numbers')
        run = value.toReversed()
      }
      const reading = run.pop()
      if (reading !== undefined) lines.push({ number, asked: each, ...toldOf(reading) })
    }
    if (lines.length > 0) yield lines
  } finally {
    await readings.return(undefined)
  }
}

function toldOf(reading: CompanyReading<WholeAnswer>): Pick<Line, 'record' | 'problem' | 'againSeconds'> {
  if (reading.outcome === 'record') {
    return { record: reading.answer.bytes, problem: null, againSeconds: askAgainSeconds(reading.lacking) }
  }
  const problem = problemOf(reading)
  const retryAfter = problem.headers['retry-after']
  return { record: null, problem, againSeconds: retryAfter === undefined ? null : Number(retryAfter) }
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

import type { AnswersCatalogue, CompanyAnswers } from './answers.ts'
import { asOf } from './as-of.ts'
import { companies } from './companies.ts'
import { sampleKlass } from './klass.ts'

/**
 * The sample registers on a day: invented companies, shaped like the real answers and full of their traps. The pages show
 * them, the demo runs on them, and so do the tests that need a whole company. `SAMPLE` says which number shows what.
 */
export function samplesAt(now: Date): AnswersCatalogue {
  const answers = Object.entries(companies).map(([orgnr, answer]): [string, CompanyAnswers] => [
    orgnr,
    asOf(answer, now),
  ])
  // The classifications are those of the world: they stay where they are.
  return { companies: new Map(answers), klass: sampleKlass }
}

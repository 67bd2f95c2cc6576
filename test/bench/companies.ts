import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import type { AnswersCatalogue, CompanyAnswers, StandInAnswer } from '../support/register-stand-in/answers.ts'

/** So many invented companies, each the healthy sample under a number of its own. */
export function manyCompanies(count: number): { numbers: string[]; answers: AnswersCatalogue } {
  const samples = sampleAnswers()
  const healthy = samples.companies.get(SAMPLE.healthy)
  if (healthy === undefined) throw new Error('the healthy sample is missing')
  const numbers = validNumbers(count)
  const companies = new Map(numbers.map((orgnr) => [orgnr, renumbered(healthy, orgnr)]))
  const parent = samples.companies.get(SAMPLE.holding)
  if (parent !== undefined) companies.set(SAMPLE.holding, parent)
  return { numbers, answers: { companies, klass: samples.klass } }
}

/** Numbers from a series that is not given out, with right check digits. */
function validNumbers(count: number): string[] {
  const numbers: string[] = []
  for (let base = 20_000_000; numbers.length < count; base++) {
    for (let digit = 0; digit < 10; digit++) {
      if (isOrganisasjonsnummer(`${base}${digit}`)) numbers.push(`${base}${digit}`)
    }
  }
  return numbers.slice(0, count)
}

function renumbered(answers: CompanyAnswers, orgnr: string): CompanyAnswers {
  return Object.fromEntries(
    Object.entries(answers).map(([source, answer]: [string, StandInAnswer]) => [
      source,
      JSON.parse(JSON.stringify(answer).replaceAll(SAMPLE.healthy, orgnr)),
    ]),
  )
}

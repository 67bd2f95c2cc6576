import { isOrganisasjonsnummer, type Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { AnswersCatalogue, CompanyAnswers, RegisterAnswer } from '#src/samples/answers.ts'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'

/** So many numbers with a right check digit, none of them a sample's. */
export function inventNumbers(count: number): Organisasjonsnummer[] {
  const numbers: Organisasjonsnummer[] = []
  for (let candidate = 907_000_000; numbers.length < count; candidate++) {
    const text = String(candidate)
    if (isOrganisasjonsnummer(text)) numbers.push(text)
  }
  return numbers
}

/** The sample register, with its healthy company under these numbers as well. */
export function answersWithCopies(numbers: readonly Organisasjonsnummer[]): AnswersCatalogue {
  const { companies, klass } = sampleAnswers()
  const sample = companies.get(SAMPLE.healthy) ?? {}
  const copies = numbers.map((orgnr) => [orgnr, copyOf(sample, SAMPLE.healthy, orgnr)] as const)
  return { companies: new Map([...companies, ...copies]), klass }
}

/** The same company under another number, and with other words where `words` says so. */
export function copyOf(
  company: CompanyAnswers,
  from: string,
  to: string,
  words: Readonly<Record<string, string>> = {},
): CompanyAnswers {
  const changes = Object.entries({ [from]: to, ...words })
  const changed = (text: string) =>
    changes.reduce((result, [before, after]) => result.replaceAll(before, after), text)
  const copied = Object.entries(company).map(([source, answer]: [string, RegisterAnswer]) => [
    source,
    'html' in answer
      ? { ...answer, html: changed(answer.html) }
      : { ...answer, json: JSON.parse(changed(JSON.stringify(answer.json))) },
  ])
  return Object.fromEntries(copied)
}

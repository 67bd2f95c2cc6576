import { isOrganisasjonsnummer, type Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { CompanyAnswers, StandInAnswer } from './register-stand-in/answers.ts'

/** So many numbers with a right check digit, none of them a sample's. */
export function inventNumbers(count: number): Organisasjonsnummer[] {
  const numbers: Organisasjonsnummer[] = []
  for (let candidate = 907_000_000; numbers.length < count; candidate++) {
    const text = String(candidate)
    if (isOrganisasjonsnummer(text)) numbers.push(text)
  }
  return numbers
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
  const copied = Object.entries(company).map(([source, answer]: [string, StandInAnswer]) => [
    source,
    'html' in answer
      ? { ...answer, html: changed(answer.html) }
      : { ...answer, json: JSON.parse(changed(JSON.stringify(answer.json))) },
  ])
  return Object.fromEntries(copied)
}

import type { CompanyAnswers } from '#src/samples/answers.ts'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { copyOf } from './invented-companies.ts'

/** A company whose own name and whose chairman's name stand nowhere else. */
export function doomed(orgnr: string, word: string): CompanyAnswers {
  const words = { 'TINDEVÅG SJØMAT AS': `${word} AS`, Øvrebø: `${word}sund` }
  return copyOf(sampleAnswers().companies.get(SAMPLE.healthy) ?? {}, SAMPLE.healthy, orgnr, words)
}

/** What the register says of it once it is removed on legal grounds. */
export const gone = (organisasjonsnummer: string) => ({
  status: 410,
  json: { respons_klasse: 'FjernetEnhet', organisasjonsnummer, slettedato: '2026-11-01' },
})

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

/** What the register says of the roles in a company whose auditor it is. */
export function auditedBy(orgnr: string, word: string, company: string) {
  const type = { kode: 'REVI', beskrivelse: 'Revisor' }
  const enhet = { organisasjonsnummer: orgnr, organisasjonsform: { kode: 'AS' }, navn: [`${word} AS`] }
  const href = `https://data.brreg.no/enhetsregisteret/api/enheter/${company}`
  const json = {
    rollegrupper: [{ type, roller: [{ type, enhet, avregistrert: false }] }],
    _links: { self: { href: `${href}/roller` }, enhet: { href } },
  }
  return { status: 200, json }
}

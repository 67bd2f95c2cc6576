import type { CompanySource } from '#src/core/source-names.ts'
import { urlOf } from './register-client.ts'

/** What is asked of a register: path and query, without the host, which the environment decides. */
export type Question = { path: string; query?: Record<string, string> }

/** Where each source is asked about a company; `klass` is the table of how the two sets of industry codes correspond. */
export const questions = {
  enhet: (orgnr) => ({ path: `/enhetsregisteret/api/enheter/${orgnr}` }),
  underenhet: (orgnr) => ({ path: `/enhetsregisteret/api/underenheter/${orgnr}` }),
  roller: (orgnr) => ({ path: `/enhetsregisteret/api/enheter/${orgnr}/roller` }),
  signatur: (orgnr) => ({ path: `/fullmakt/enheter/${orgnr}/signatur` }),
  prokura: (orgnr) => ({ path: `/fullmakt/enheter/${orgnr}/prokura` }),
  regnskap: (orgnr) => ({ path: `/regnskapsregisteret/regnskap/${orgnr}` }),
  kunngjoringer: (orgnr) => ({
    path: '/kunngjoring/hent_nr.jsp',
    query: { orgnr, deleted: 'true', spraak: 'nb' },
  }),
  // KLASS names the table from SN2025 to SN2007 by this number.
  klass: () => ({ path: '/api/klass/v1/correspondencetables/2919' }),
} as const satisfies Record<CompanySource | 'klass', (orgnr: string) => Question>

/** The whole address of a question, as it is shown in the record. */
export type Addresses = (source: keyof typeof questions, orgnr: string) => string

export function addressesAt(hosts: {
  registerUrl: string
  kunngjoringUrl: string
  klassUrl: string
}): Addresses {
  const register = new URL(hosts.registerUrl)
  const bases = { kunngjoringer: new URL(hosts.kunngjoringUrl), klass: new URL(hosts.klassUrl) }
  return (source, orgnr) => {
    const { path, query }: Question = questions[source](orgnr)
    const base = source === 'kunngjoringer' || source === 'klass' ? bases[source] : register
    return base.origin + urlOf(base, path, query)
  }
}

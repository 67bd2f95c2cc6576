import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { type Believed, createBelief, isRecord, pointer } from '../believe.ts'
import { questions } from '../questions.ts'
import type { RegisterClient, RegisterResponse } from '../register-client.ts'
import { assertSameCompany, found, isEmpty, isJson, parseJson, refusedStatus } from '../response.ts'
import { type Answer, type Call, SourceError } from '../source.ts'
import { Feilsvar, FIGURE_SECTIONS, type Regnskap, Regnskapssvar } from './schema.ts'

export type AccountsSource = ReturnType<typeof createAccountsSource>

/** Key figures from the annual accounts. */
export function createAccountsSource(client: RegisterClient) {
  return {
    /**
     * Every filing the register gives, in its order, which means nothing: one filing before October 2026, since then up to
     * three years of company and group accounts. `unsupported` for banks, insurers and the other plans it does not serve.
     *
     * @throws SourceError when the register could not be heard or believed
     */
    async fetchRegnskap(orgnr: Organisasjonsnummer, call: Call): Promise<Answer<Regnskap[]>> {
      const response = await client.get('regnskap', questions.regnskap(orgnr).path, {
        // Six types are negotiated, RDF among them.
        accept: 'application/json',
        signal: call.signal,
      })
      const { status, fetchedAt } = response
      if (status === 404 && (isEmpty(response) || isJson(response))) return { outcome: 'absent', fetchedAt }
      if (status === 500) return unsupported(response)
      if (status !== 200) throw refusedStatus('regnskap', response)
      const { value, avvik } = readFilings(parseJson('regnskap', response))
      for (const { virksomhet } of value) assertSameCompany('regnskap', orgnr, virksomhet.organisasjonsnummer)
      if (value.length === 0) return { outcome: 'absent', fetchedAt }
      return found(value, avvik, fetchedAt)
    },
  }
}

/**
 * Filings in the register's own shape, wherever they come from. What was not of that shape is left out and named.
 *
 * @throws SourceError `ugyldig_svar`
 */
export function readFilings(body: unknown): Believed<Regnskap[]> {
  const { value, avvik } = believe('regnskap', body)
  return { value, avvik: [...avvik, ...leaveOutNonFigures(value)] }
}

const believe = createBelief(Regnskapssvar)
const believeFailure = createBelief(Feilsvar)

/**
 * Plans the register does not serve answer 500 every time: until 2025 and again since October 2026 with their name in the
 * text, in between with the general text alone, which an outage may have as well.
 */
function unsupported(response: RegisterResponse): Answer<never> {
  const { fetchedAt } = response
  const message = failureMessage(response)
  if (/oppstillingsplan/i.test(message)) return { outcome: 'unsupported', certain: true, fetchedAt }
  if (/^An error occurred while processing the request/i.test(message)) {
    return { outcome: 'unsupported', certain: false, fetchedAt }
  }
  throw refusedStatus('regnskap', response)
}

function failureMessage(response: RegisterResponse): string {
  try {
    return believeFailure('regnskap', parseJson('regnskap', response)).value.message
  } catch (error) {
    if (error instanceof SourceError) throw refusedStatus('regnskap', response)
    throw error
  }
}

/** Listed figures are checked by the schema; here the others, so that no text or list passes for a figure. */
function leaveOutNonFigures(filings: Regnskap[]): string[] {
  const avvik: string[] = []
  for (const [index, filing] of filings.entries()) {
    for (const section of FIGURE_SECTIONS) {
      const figures = filing[section]
      if (figures !== undefined) onlyFigures(figures, pointer(pointer('', index), section), avvik)
    }
  }
  return avvik
}

function onlyFigures(group: Record<string, unknown>, path: string, avvik: string[]): void {
  for (const [name, value] of Object.entries(group)) {
    if (Number.isFinite(value)) continue
    if (isRecord(value)) onlyFigures(value, pointer(path, name), avvik)
    else {
      delete group[name]
      if (value !== null) avvik.push(pointer(path, name))
    }
  }
}

import { type TSchema, Type } from 'typebox'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { type Believed, createBelief, isRecord, pointer, stated } from '../believe.ts'
import { questions } from '../questions.ts'
import type { RegisterClient, RegisterResponse } from '../register-client.ts'
import { removed } from '../removed.ts'
import {
  assertSameCompany,
  found,
  isEmpty,
  isJson,
  parseJson,
  refusedStatus,
  refuseUnread,
} from '../response.ts'
import { type Answer, type Call, SourceError } from '../source.ts'
import { Feilsvar, FIGURE_SECTIONS, Filing, type Regnskap, Regnskapssvar } from './schema.ts'

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
        ...call,
      })
      const { status, fetchedAt } = response
      if (status === 404 && (isEmpty(response) || isJson(response))) return { outcome: 'absent', fetchedAt }
      if (status === 410) return removed('regnskap', orgnr, response)
      if (status === 500) return unsupported(response)
      if (status !== 200) throw refusedStatus('regnskap', response)
      const { value: list, avvik } = readFilings(parseJson('regnskap', response))
      refuseUnread('regnskap', response, { list, avvik })
      const value = list.filter((filing) => filing !== null)
      for (const { virksomhet } of value) assertSameCompany('regnskap', orgnr, virksomhet.organisasjonsnummer)
      if (value.length === 0) return { outcome: 'absent', fetchedAt }
      return found(value, [...avvik, ...unplaced(list)], fetchedAt)
    },
  }
}

/**
 * Filings in the register's own shape, wherever they come from; null in the place of one that can not be read. What was not of
 * that shape is null and named.
 *
 * @throws SourceError `ugyldig_svar`
 */
export function readFilings(body: unknown): Believed<(Regnskap | null)[]> {
  const { value, avvik } = believe('regnskap', body)
  return { value, avvik: [...avvik, ...onlyFiguresIn(value)] }
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
function onlyFiguresIn(filings: readonly (Regnskap | null)[]): string[] {
  const avvik: string[] = []
  for (const [index, filing] of filings.entries()) {
    for (const section of FIGURE_SECTIONS) {
      const figures = filing?.[section]
      if (figures)
        onlyFigures(figures, {
          path: pointer(pointer('', index), section),
          avvik,
          known: FIGURES_OF[section],
        })
    }
  }
  return avvik
}

/** Filings that are neither a company's nor a group's: where they belong is not known. */
function unplaced(filings: readonly (Regnskap | null)[]): string[] {
  return filings.flatMap((filing, index) => {
    // What could not be read is named already.
    if (filing === null || filing.regnskapstype === null) return []
    const isPlaced = filing.regnskapstype === 'SELSKAP' || filing.regnskapstype === 'KONSERN'
    return isPlaced ? [] : [pointer(pointer('', index), 'regnskapstype')]
  })
}

type Known = { [name: string]: Known }
const FIGURES_OF = known(Filing) as Record<(typeof FIGURE_SECTIONS)[number], Known>

function known(schema: TSchema): Known {
  if (!Type.IsObject(schema)) return {}
  return Object.fromEntries(
    Object.entries(schema.properties).map(([name, part]) => [name, known(stated(part))]),
  )
}

/** A listed figure that is null here could not be read, and is named; any other null was sent, and is no figure. */
function onlyFigures(
  group: Record<string, unknown>,
  { path, avvik, known }: { path: string; avvik: string[]; known: Known },
): void {
  for (const [name, value] of Object.entries(group)) {
    if (Number.isFinite(value)) continue
    const isListed = Object.hasOwn(known, name)
    if (isRecord(value)) onlyFigures(value, { path: pointer(path, name), avvik, known: known[name] ?? {} })
    else if (value === null && !isListed) delete group[name]
    else if (value !== null) {
      group[name] = null
      avvik.push(pointer(path, name))
    }
  }
}

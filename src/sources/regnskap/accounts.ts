import { type TSchema, Type } from 'typebox'
import { policy } from '#config/policy.ts'
import { isJsonObject } from '#src/core/json-object.ts'
import { DAY_MS, HOUR_MS } from '#src/core/units.ts'
import { type Believed, createBelief, pointer, stated } from '../believe.ts'
import { provenance, type Source, shapeOf } from '../descriptor.ts'
import { ABSENT, type NamedLifetime, PARTIAL } from '../lifetime.ts'
import type { RegisterResponse } from '../register-client.ts'
import {
  assertSameCompany,
  found,
  isEmpty,
  isJson,
  parseJson,
  refusedStatus,
  refuseUnread,
} from '../response.ts'
import { type Answer, SourceError } from '../source.ts'
import { regnskapsregisteret } from './register.ts'
import { Feilsvar, FIGURE_SECTIONS, Filing, type RegisterRegnskap, Regnskapssvar } from './schema.ts'

/** No feed; the unit's feed tells when a new year was filed. Most are filed in the summer. */
const lifetime: NamedLifetime = {
  name: 'regnskap',
  about: 'Regnskap',
  freshMs: 7 * DAY_MS,
  staleMs: 90 * DAY_MS,
  keepMs: DAY_MS,
}

/** The deadline for last year's accounts is 31 July, and the register loads them in the weeks after. */
const inSummer = {
  lifetime: {
    name: 'regnskap_sommer',
    about: 'Regnskap, juli til september',
    freshMs: DAY_MS,
    staleMs: 90 * DAY_MS,
    keepMs: DAY_MS,
  },
  isOn: (now: Date) => now.getUTCMonth() >= 6 && now.getUTCMonth() <= 8,
}

/** A plan the register does not support today it may support after its next release. */
const withoutPlan: NamedLifetime = {
  name: 'regnskap_ikke_stottet',
  about: null,
  freshMs: 6 * HOUR_MS,
  staleMs: DAY_MS,
  keepMs: HOUR_MS,
}

/**
 * Key figures from the annual accounts: every filing the register gives, in its order, which means nothing: one filing before
 * October 2026, since then up to three years of company and group accounts. `unsupported` for banks, insurers and the other
 * plans it does not serve.
 */
export const regnskap: Source<'regnskap', RegisterRegnskap[]> = {
  name: 'regnskap',
  title: { nb: 'Regnskap', en: 'Accounts' },
  register: regnskapsregisteret,
  provenance: provenance('brreg-regnskapsregisteret', regnskapsregisteret),
  request: (orgnr) => ({ path: `/regnskapsregisteret/regnskap/${orgnr}` }),
  askedWhen: null,
  next: null,
  // Six types are negotiated, RDF among them.
  accept: 'application/json',
  schemaOf: () => Regnskapssvar,
  shape: shapeOf(Type.Array(Filing)),
  isAbsence: (response) => isEmpty(response) || isJson(response),
  unsupported: withoutItsPlan,
  believe(response, orgnr) {
    const { fetchedAt } = response
    const { value: list, avvik } = readFilings(parseJson('regnskap', response))
    refuseUnread('regnskap', response, { list, avvik })
    const value = list.filter((filing) => filing !== null)
    for (const { virksomhet } of value)
      assertSameCompany(
        'regnskap',
        orgnr,
        virksomhet.organisasjonsnummer,
        '/*/virksomhet/organisasjonsnummer',
      )
    if (value.length === 0) return { outcome: 'absent', fetchedAt }
    return found(value, [...avvik, ...unplaced(list)], fetchedAt)
  },
  lifetimes: {
    found: lifetime,
    season: inSummer,
    unsupported: withoutPlan,
    absent: ABSENT,
    partial: PARTIAL,
  },
  guard: policy.guard,
  removes: 'answer',
  touchedBy: { enheter: ['/sisteInnsendteAarsregnskap'], underenheter: false, roller: false },
  withoutErased: null,
  ownBudget: null,
  sparing: null,
}

/**
 * Filings in the register's own shape, wherever they come from; null in the place of one that can not be read. What was not of
 * that shape is null and named.
 *
 * @throws SourceError `ugyldig_svar`
 */
export function readFilings(body: unknown): Believed<(RegisterRegnskap | null)[]> {
  const { value, avvik } = believe('regnskap', body)
  return { value, avvik: [...avvik, ...onlyFiguresIn(value)] }
}

const believe = createBelief(Regnskapssvar)
const believeFailure = createBelief(Feilsvar)

/**
 * Plans the register does not serve answer 500 every time: until 2025 and again since October 2026 with their name in the
 * text, in between with the general text alone, which an outage may have as well.
 */
function withoutItsPlan(response: RegisterResponse): Answer<never> {
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
function onlyFiguresIn(filings: readonly (RegisterRegnskap | null)[]): string[] {
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
function unplaced(filings: readonly (RegisterRegnskap | null)[]): string[] {
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
    if (isJsonObject(value))
      onlyFigures(value, { path: pointer(path, name), avvik, known: known[name] ?? {} })
    else if (value === null && !isListed) delete group[name]
    else if (value !== null) {
      group[name] = null
      avvik.push(pointer(path, name))
    }
  }
}

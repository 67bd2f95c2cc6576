import { nineDigits, type Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { SearchSources } from '#src/record/read.ts'
import type { Unit } from '#src/record/sections/foretak.ts'
import type { RegisterSearch, SearchHits } from '#src/sources/enhetsregisteret/search.ts'
import { type Answer, type SourceCall, SourceError } from '#src/sources/source.ts'
import type { Filters } from '#src/storage/search/candidates.ts'
import type { CompanyRow, UnitRows } from '#src/storage/search/rows.ts'
import { bandOf } from './band.ts'
import type { AnyFound } from './find-any.ts'
import { indexRowsOf } from './index-rows.ts'
import { asTyped } from './match.ts'
import { createMatching } from './matching.ts'
import { readName, type SearchName } from './name.ts'
import { labelOf, type TypedQuestion } from './question.ts'
import { type Candidate, hitByNumber, rank } from './rank.ts'
import { calledSo } from './short-names.ts'

/** What was found at the register, with the companies themselves: there is nowhere else to look them up. */
export type FoundInRegister = AnyFound & { companies: Map<number, CompanyRow>; fetchedAt: Date }

/**
 * The same questions asked of the register while there is no index: its own search of names, ordered anew over its first
 * hundred. It folds no letters, so the ways to write Norwegian ones are asked for when nothing bears them as typed.
 *
 * @throws SourceError when the register could not be heard within the deadline
 */
export async function findInRegister(
  question: TypedQuestion,
  filters: Filters,
  register: { sources: SearchSources; deadlineMs: number; candidatesMax: number; now: () => Date },
): Promise<FoundInRegister> {
  const call = { signal: AbortSignal.timeout(register.deadlineMs) }
  const nothing = {
    hits: [],
    isAll: true,
    isCut: false,
    band: 'ingen' as const,
    companies: new Map(),
    fetchedAt: register.now(),
  }
  switch (question.kind) {
    case 'no_number':
    case 'phone':
      return nothing
    case 'number': {
      const { unit, fetchedAt } = await unitOf(question.orgnr, register.sources, call)
      return unit === null ? { ...nothing, fetchedAt } : ofNumber(unit, fetchedAt)
    }
    case 'site': {
      const name = readName(labelOf(question.host))
      const found = await byName(name, labelOf(question.host), filters, register, call)
      return { ...found, band: found.band === 'sikker' ? 'velg' : found.band }
    }
    case 'name':
      return byName(question.name, question.text, filters, register, call)
  }
}

/** A unit, or the sub-unit of that number; null when the register knows neither, or may no longer tell. */
export async function unitOf(
  orgnr: Organisasjonsnummer,
  sources: Pick<SearchSources, 'enhet' | 'underenhet'>,
  call: SourceCall,
): Promise<{ unit: Unit | null; fetchedAt: Date }> {
  const main = await sources.enhet(orgnr, call)
  const answer: Answer<Unit> = main.outcome === 'absent' ? await sources.underenhet(orgnr, call) : main
  return { unit: answer.outcome === 'found' ? answer.value : null, fetchedAt: answer.fetchedAt }
}

/** One unit, asked for by its number, in the form all hits have. */
function ofNumber(unit: Unit, fetchedAt: Date): FoundInRegister {
  const { company } = indexRowsOf(unit, 0)
  return {
    hits: [hitByNumber(company)],
    isAll: true,
    isCut: false,
    band: 'sikker',
    companies: new Map([[company.orgnr, company]]),
    fetchedAt,
  }
}

async function byName(
  name: SearchName,
  text: string,
  filters: Filters,
  { sources, candidatesMax }: { sources: SearchSources; candidatesMax: number },
  call: SourceCall,
): Promise<FoundInRegister> {
  const ask = (navn: string, metode: RegisterSearch['metode']) =>
    sources.sok({ navn, metode, size: candidatesMax }, call)
  const [running, scored] = await Promise.all([ask(text, 'FORTLOEPENDE'), ask(text, null)])
  const heard = [listed(running), listed(scored)]
  if (heard[0]?.totalt === 0) {
    const others = await Promise.all(lettersOf(text).map((variant) => ask(variant, 'FORTLOEPENDE')))
    heard.push(...others.map(listed))
  }
  const short = await Promise.all(
    calledSo(text).map(
      async (orgnr) => (await unitOf(nineDigits(orgnr) as Organisasjonsnummer, sources, call)).unit,
    ),
  )
  const units = [...heard.flatMap(({ treff }) => treff), ...short.filter((unit) => unit !== null)]
  const rows = units.map(rowsOf).filter(({ company }) => passes(company, filters))
  const candidates = rows.flatMap(({ names }) =>
    names
      .filter(({ kind }) => kind !== 'initialer')
      .map(
        (row): Candidate => ({
          ...row,
          kind: row.kind as Candidate['kind'],
          from: row.from,
          until: row.until,
        }),
      ),
  )
  const matching = createMatching({ name, telling: new Map(), typed: asTyped(text) })
  const hits = rank(await matching.of(candidates))
  const isAll = heard.every(({ treff, totalt }) => totalt !== null && treff.length >= totalt)
  return {
    hits,
    isAll,
    isCut: false,
    band: bandOf(hits, { typed: name.key, isCut: false }),
    companies: new Map(rows.map(({ company }) => [company.orgnr, company])),
    fetchedAt: running.fetchedAt,
  }
}

/** Those that are at hand are asked for each line of a list anew, and would be read anew for each. */
function rowsOf(unit: Unit): UnitRows {
  const known = rowsOfUnits.get(unit)
  if (known !== undefined) return known
  const rows = indexRowsOf(unit, 0)
  rowsOfUnits.set(unit, rows)
  return rows
}

const rowsOfUnits = new WeakMap<Unit, UnitRows>()

function listed(answer: Answer<SearchHits>): SearchHits {
  if (answer.outcome === 'found') return answer.value
  throw new SourceError(
    'sok',
    'ugyldig_svar',
    `a search is always answered with a list, found ${answer.outcome}`,
  )
}

/** The ways a text may have been meant by whoever has other keys: two letters for one, or one without its sign. */
function lettersOf(text: string): string[] {
  const typed = text.toLowerCase()
  const own = typed.replaceAll('ä', 'æ').replaceAll('ö', 'ø')
  const variants = [
    own.replaceAll('ae', 'æ').replaceAll('oe', 'ø').replaceAll('aa', 'å'),
    own.replaceAll('o', 'ø'),
    own.replaceAll('a', 'å'),
    typed.replaceAll('å', 'aa').replaceAll('ø', 'oe').replaceAll('æ', 'ae'),
  ]
  return [...new Set(variants)]
    .filter((variant) => variant !== typed && variant.length <= NAME_LETTERS_MAX)
    .slice(0, VARIANTS_MAX)
}

const VARIANTS_MAX = 4
/** A longer one is a 400 of the register, and that would be the end of the whole search. */
const NAME_LETTERS_MAX = 180

/** The filters as the index has them, over what the register answered. */
function passes(company: CompanyRow, filters: Filters): boolean {
  const { employees, employeesTold } = company
  const range =
    employeesTold === 'oppgitt' ? [employees ?? 0, employees ?? 0] : (RANGES[employeesTold] ?? null)
  const is = <T>(wanted: T | null, test: (wanted: T) => boolean) => wanted === null || test(wanted)
  return (
    is(filters.organisasjonsform, (wanted) => company.form === wanted) &&
    is(filters.kommune, (wanted) => company.municipality === wanted) &&
    is(filters.fylke, (wanted) => company.municipality?.startsWith(wanted) === true) &&
    is(filters.naeringskoder, (wanted) =>
      company.industries.some((code) => wanted.some((prefix) => code.startsWith(prefix))),
    ) &&
    is(filters.ansatteFra, (wanted) => range !== null && (range[1] ?? 0) >= wanted) &&
    is(filters.ansatteTil, (wanted) => range !== null && (range[0] ?? 0) <= wanted) &&
    is(filters.foretakstilstand, (wanted) => company.state === wanted) &&
    is(filters.registrertFra, (wanted) => company.registered !== null && company.registered >= wanted) &&
    is(filters.registrertTil, (wanted) => company.registered !== null && company.registered <= wanted) &&
    is(filters.type, (wanted) => company.isSubUnit === (wanted === 'underenhet'))
  )
}

const RANGES: Record<string, readonly [number, number]> = {
  tilbakeholdt_1_til_4: [1, 4],
  ingen_registrert: [0, 0],
}

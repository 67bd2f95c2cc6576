import type { Unit } from '#src/record/sections/foretak.ts'
import { antallAnsatteOf } from '#src/record/sections/foretak.ts'
import { statusOf } from '#src/record/sections/status.ts'
import { readable } from '#src/sources/believe.ts'
import type { CompanyRow, ContactRow, NameRow, UnitRows } from '#src/storage/search/rows.ts'
import { initialsOf, readName, type SearchName } from './name.ts'
import { hostOf, phoneOf } from './question.ts'
import { shortNamesOf } from './short-names.ts'
import { orderOfName, weightOf } from './static-weight.ts'

/**
 * What the index holds of one unit. Pure: the same unit always gives the same rows, whether it came in a bulk file or by a
 * feed. Nothing of persons but what stands in a company's own name.
 *
 * @param subUnits how many sub-units it has
 */
export function indexRowsOf(unit: Unit, subUnits: number): UnitRows {
  const orgnr = Number(unit.organisasjonsnummer)
  const isSubUnit = unit.respons_klasse === 'Underenhet'
  const live = unit.respons_klasse === 'SlettetEnhet' ? null : unit
  const parent = isSubUnit && unit.overordnetEnhet ? Number(unit.overordnetEnhet) : null
  const state = unit.respons_klasse === 'Underenhet' ? null : statusOf(unit).foretakstilstand
  const employees = antallAnsatteOf(unit)
  const hasCeased = live === null || (isSubUnit && typeof unit.nedleggelsesdato === 'string')
  const facts = {
    form: unit.organisasjonsform?.kode ?? '',
    employees: employees.antall,
    subUnits,
    isSubUnit,
    hasCeased,
    isEnding: state !== null && !['aktiv', 'ukjent', 'slettet'].includes(state),
  }
  const named = { ...unit, navn: textOf(unit.navn) }
  const name = readName(named.navn ?? '')
  const weight = clamp(weightOf(facts, name))
  const place = live?.respons_klasse === 'Underenhet' ? live.beliggenhetsadresse : live?.forretningsadresse
  const codes = [live?.naeringskode1, live?.naeringskode2, live?.naeringskode3].flatMap((code) => code ?? [])
  const company: CompanyRow = {
    orgnr,
    parent,
    isSubUnit,
    name: named.navn,
    form: textOf(unit.organisasjonsform?.kode),
    formText: textOf(unit.organisasjonsform?.beskrivelse),
    municipality: textOf(place?.kommunenummer),
    municipalityName: textOf(place?.kommune),
    town: textOf(place?.poststed),
    industries: codes.map(({ kode }) => textOf(kode) ?? ''),
    industryText: textOf(codes[0]?.beskrivelse),
    employees: employees.antall === null ? null : Math.min(employees.antall, INTEGER_MAX),
    employeesTold: employees.opplysning,
    state,
    registered: dateOf(live?.registreringsdatoEnhetsregisteret),
    subUnits,
    weight,
  }
  const base = { orgnr, parent, hasCeased }
  return {
    company,
    names: namesOf(named, name, { weight, facts }).map((row) => ({ ...base, ...row })),
    contacts: contactsOf(live).map((contact) => ({ ...contact, orgnr, root: parent ?? orgnr })),
  }
}

type Named = Omit<NameRow, 'orgnr' | 'parent' | 'hasCeased'>

function namesOf(
  unit: Unit,
  name: SearchName,
  { weight, facts }: { weight: number; facts: { form: string; isSubUnit: boolean } },
): Named[] {
  const row = (
    kind: NameRow['kind'],
    text: string,
    { words, key }: SearchName,
    dates: [string | null, string | null],
  ): Named => ({
    kind,
    name: text,
    key: cut(key, KEY_LETTERS_MAX),
    words: [...new Set(words)].slice(0, WORDS_MAX).map((word) => cut(word, KEY_LETTERS_MAX)),
    weight,
    order: clamp(orderOfName(weight, { words, key, core: '', form: null })),
    from: dates[0],
    until: dates[1],
  })
  const own = unit.navn ?? ''
  if (name.key === '') return []
  const rows = [row('navn', own, name, [null, null])]
  const keys = new Set([name.key])
  for (const { navn: said, fraDato, tilDato } of (readable(unit.historiskeNavn) ?? []).slice(0, FORMER_MAX)) {
    const navn = cut(said, TEXT_LETTERS_MAX)
    const former = readName(navn)
    if (former.key === '' || keys.has(former.key)) continue
    keys.add(former.key)
    rows.push(row('tidligere', navn, former, [dateOf(fraDato), dateOf(tilDato)]))
  }
  for (const short of shortNamesOf(Number(unit.organisasjonsnummer))) {
    const name = readName(short)
    if (!keys.has(name.key)) rows.push(row('kortnavn', short, name, [null, null]))
  }
  // A person's initials are nobody's short name.
  const initials = facts.isSubUnit || NOT_BY_INITIALS.has(facts.form) ? '' : initialsOf(name)
  if (initials.length >= 2 && initials.length <= 5 && !keys.has(initials)) {
    rows.push({ ...row('initialer', own, name, [null, null]), key: initials, words: [] })
  }
  return rows
}

function contactsOf(
  unit: Exclude<Unit, { respons_klasse: 'SlettetEnhet' }> | null,
): Omit<ContactRow, 'orgnr' | 'root'>[] {
  if (unit === null) return []
  const found: Omit<ContactRow, 'orgnr' | 'root'>[] = []
  const add = (kind: ContactRow['kind'], key: string | null) => {
    if (key !== null && !found.some((each) => each.key === key)) found.push({ kind, key })
  }
  add('nettsted', unit.hjemmeside ? hostOf(unit.hjemmeside) : null)
  const mail = unit.epostadresse
  add('epost', mail?.includes('@') ? hostOf(mail) : null)
  for (const number of [unit.telefon, unit.mobil]) add('telefon', number ? phoneOf(number) : null)
  return found
}

/**
 * What PostgreSQL can not keep is no unit's alone: the others that are written together with it would not be kept either, and the same
 * ones come first the next time.
 */
function textOf(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : cut(text, TEXT_LETTERS_MAX)
}

function cut(text: string, lettersMax: number): string {
  return text.slice(0, lettersMax).toWellFormed()
}

/** The register's times have no zone and are not ISO 8601: the day is what can be said. */
function dateOf(text: string | null | undefined): string | null {
  const day = text?.slice(0, 10) ?? ''
  return /^(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$/.test(day) &&
    !Number.isNaN(Date.parse(day))
    ? day
    : null
}

function clamp(order: number): number {
  return Math.max(-32_000, Math.min(32_000, order))
}

/** The longest name of a company has 180 letters; keys are cut to what an index page holds many of. */
const KEY_LETTERS_MAX = 120
const TEXT_LETTERS_MAX = 300
const INTEGER_MAX = 2 ** 31 - 1
const WORDS_MAX = 24
/** One company has had 28 names. */
const FORMER_MAX = 60
const NOT_BY_INITIALS = new Set(['ENK', 'BRL', 'ESEK', 'KBO', 'ANS', 'DA', 'TVAM', 'PRE'])

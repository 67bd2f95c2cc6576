import type { CompanyRow, ContactRow, NameRow, UnitRows } from './rows.ts'
import type { SearchTable } from './tables.ts'

type Value = string | number | boolean | null | readonly string[]
type Columns = Record<string, Value>
export type LoadedTable = Exclude<SearchTable, 'sok_ord'>

/** Rows under the names of their columns, the way both COPY and the changes of single companies write them. */
export function columnsOf({ company, names, contacts }: UnitRows): Record<LoadedTable, Columns[]> {
  return {
    sok_foretak: [ofCompany(company)],
    sok_navn: names.map(ofName),
    sok_kontakt: contacts.map(ofContact),
  }
}

function ofCompany(row: CompanyRow): Columns {
  return {
    orgnr: row.orgnr,
    overordnet: row.parent,
    er_underenhet: row.isSubUnit,
    navn: row.name,
    form: row.form,
    kommunenummer: row.municipality,
    kommune: row.municipalityName,
    poststed: row.town,
    naeringskoder: row.industries,
    ansatte: row.employees,
    ansatte_opplysning: row.employeesTold,
    foretakstilstand: row.state,
    registrert: row.registered,
    underenheter: row.subUnits,
    tyngde: row.weight,
  }
}

function ofName(row: NameRow): Columns {
  return {
    orgnr: row.orgnr,
    overordnet: row.parent,
    art: row.kind,
    navn: row.name,
    nokkel: row.key,
    ord: row.words,
    tyngde: row.weight,
    rang: row.order,
    opphort: row.hasCeased,
    fra: row.from,
    til: row.until,
  }
}

function ofContact({ orgnr, root, kind, key }: ContactRow): Columns {
  return { orgnr, rot: root, art: kind, nokkel: key }
}

/** One line of COPY's text format. */
export function copyLine(columns: Columns): string {
  return `${Object.values(columns).map(copyValue).join('\t')}\n`
}

function copyValue(value: Value): string {
  if (value === null) return '\\N'
  if (typeof value === 'object')
    return escaped(`{${value.map((each) => `"${each.replace(/["\\]/g, '\\$&')}"`).join(',')}}`)
  return typeof value === 'string' ? escaped(value) : String(value)
}

/** PostgreSQL's text holds everything but NUL. */
function escaped(text: string): string {
  return PLAIN.test(text) ? text : text.toWellFormed().replace(ESCAPED, (sign) => ESCAPES[sign] ?? '')
}

const PLAIN = /^[^\\\t\n\r\0\ud800-\udfff]*$/
const ESCAPED = /[\\\t\n\r\0]/g
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '' }

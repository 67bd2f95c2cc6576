import { OppslagError } from '#src/core/errors.ts'
import { maskIdentityNumbers } from './identity-number.ts'

type ColumnName =
  | 'orgnr'
  | 'selskap'
  | 'aksjeklasse'
  | 'navn'
  | 'ident'
  | 'sted'
  | 'landkode'
  | 'antall'
  | 'totalt'

/** Where each column stands, from 0; -1 for one the file does not have. */
export type Columns = Readonly<Record<ColumnName, number>> & { readonly count: number }

/** The first line is not the register's. `found` is that line, without anything that could be an identity number. */
export class UnknownHeaderError extends OppslagError {
  readonly found: string

  constructor(why: string, header: string) {
    const found = maskIdentityNumbers(header.slice(0, SHOWN_MAX))
    super('ukjent_overskrift', `Overskriften er ikke aksjonærregisterets: ${why}. Funnet: «${found}»`)
    this.found = found
  }
}

/**
 * Finds the columns by the names in the header, whatever their case, accents and punctuation. The wording changes between
 * years, so several names are known for each; `Landkode` and `Aksjeklasse` may be missing, nothing else may, and a name that
 * is not known is refused: what it holds could be anything.
 *
 * @param header the first line, without byte order mark and line end
 * @throws UnknownHeaderError
 */
export function readHeader(header: string): Columns {
  const names = header.split(';').map((text) => nameOf(text, header))
  const missing = REQUIRED.filter((name) => !names.includes(name))
  if (missing.length > 0) throw new UnknownHeaderError(`mangler ${missing.map(titleOf).join(', ')}`, header)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new UnknownHeaderError(`${titleOf(twice)} står der to ganger`, header)
  const columns = Object.fromEntries(ALL.map((name) => [name, names.indexOf(name)])) as Record<
    ColumnName,
    number
  >
  // The company's number is read before the rest of the row, and a surplus `;` belongs to the address.
  if (columns.orgnr > columns.sted) throw new UnknownHeaderError('Orgnr står etter Postnr/sted', header)
  return { ...columns, count: names.length }
}

const SHOWN_MAX = 300

/** Letters and digits only, lower case. The first is the one in use since 2019 at least. */
const KNOWN: Record<ColumnName, readonly string[]> = {
  orgnr: ['orgnr', 'organisasjonsnummer', 'organisasjonsnr', 'orgnummer'],
  selskap: ['selskap', 'selskapsnavn', 'navnselskap', 'navnpaselskap'],
  aksjeklasse: ['aksjeklasse', 'aksjeklasseellerisin', 'aksjeklasseisin'],
  navn: ['navnaksjonaer', 'aksjonaer', 'aksjonaernavn', 'navnpaaksjonaer', 'aksjonaersnavn'],
  ident: [
    'fodselsarorgnr',
    'fodselsarorganisasjonsnummer',
    'fodselsarellerorgnr',
    'fodselsarellerorganisasjonsnummer',
  ],
  sted: ['postnrsted', 'postnummersted', 'postnrogsted', 'postnummerogsted'],
  landkode: ['landkode', 'land'],
  antall: ['antallaksjer', 'antallaksjeraksjonaer'],
  totalt: ['antallaksjerselskap', 'antallaksjeriselskapet', 'antallaksjeriselskap', 'totaltantallaksjer'],
}
const ALL = Object.keys(KNOWN) as ColumnName[]
const REQUIRED = ALL.filter((name) => name !== 'landkode' && name !== 'aksjeklasse')

function nameOf(text: string, header: string): ColumnName {
  const folded = text
    .toLowerCase()
    .replaceAll('æ', 'ae')
    .replaceAll('ø', 'o')
    .replaceAll('aa', 'a')
    .normalize('NFD')
    .replace(/[^a-z0-9]/g, '')
  const name = ALL.find((known) => KNOWN[known].includes(folded))
  if (name === undefined) throw new UnknownHeaderError(`ukjent kolonne «${shown(text)}»`, header)
  return name
}

function shown(text: string): string {
  return maskIdentityNumbers(text.trim().slice(0, 40))
}

function titleOf(name: ColumnName): string {
  return TITLES[name]
}

const TITLES: Record<ColumnName, string> = {
  orgnr: 'Orgnr',
  selskap: 'Selskap',
  aksjeklasse: 'Aksjeklasse',
  navn: 'Navn aksjonær',
  ident: 'Fødselsår/orgnr',
  sted: 'Postnr/sted',
  landkode: 'Landkode',
  antall: 'Antall aksjer',
  totalt: 'Antall aksjer selskap',
}

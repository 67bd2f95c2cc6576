import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { DAY_MS } from '#src/core/units.ts'
import { isIdentityNumber, mayHoldIdentityNumber } from '#src/sources/aksjonaerregisteret/identity-number.ts'
import { figuresOf } from '#src/sources/regnskap/figures.ts'
import { takeApartFiling } from '#src/sources/regnskap/kept-filing.ts'
import type { RegisterRegnskap } from '#src/sources/regnskap/schema.ts'
import type { KeptFiling } from '#src/storage/accounts-archive.ts'
import { RefusedLineError } from './refused-line.ts'

/**
 * A filing from outside as it is to be kept. Words that come from a file are held against what they may be: no free text
 * gets into the archive with them.
 *
 * @param felt the figures the file has columns for; null when it is the register's own shape
 * @throws RefusedLineError
 */
export function acceptFiling(
  filing: RegisterRegnskap,
  { felt, at }: { felt: readonly string[] | null; at: Date },
): KeptFiling {
  const { organisasjonsnummer: orgnr } = filing.virksomhet
  if (mayHoldIdentityNumber(orgnr)) throw new RefusedLineError('identitetsnummer', 'organisasjonsnummer')
  if (!isOrganisasjonsnummer(orgnr)) throw new RefusedLineError('ugyldig_organisasjonsnummer')
  const { regnskapstype } = filing
  if (regnskapstype !== 'SELSKAP' && regnskapstype !== 'KONSERN') {
    throw new RefusedLineError('ugyldig_regnskapstype')
  }
  if (!isPeriod(filing.regnskapsperiode, at)) throw new RefusedLineError('ugyldig_periode')
  if (!/^[A-Z]{3}$/.test(filing.valuta)) throw new RefusedLineError('ugyldig_valuta')
  const kept: KeptFiling = { orgnr, ...takeApartFiling(filing), kilde: 'import', hentet: at, felt }
  refuseWords({ id: kept.id, journalnr: kept.journalnr, ...kept.opplysninger })
  refuseFigures(figuresOf(filing))
  return kept
}

/** It has ended, and is about a year: anything else is a typing error. A first year, or a changed one, may be longer. */
function isPeriod({ fraDato, tilDato }: RegisterRegnskap['regnskapsperiode'], at: Date): boolean {
  const days = (Date.parse(tilDato) - Date.parse(fraDato)) / DAY_MS
  return (
    fraDato >= '1980-01-01' && days >= 0 && days < DAYS_MAX && Date.parse(tilDato) <= at.getTime() + DAY_MS
  )
}

const DAYS_MAX = 3 * 366

function refuseWords(words: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(words)) {
    if (value === null || typeof value === 'boolean') continue
    if (mayHoldIdentityNumber(String(value))) throw new RefusedLineError('identitetsnummer', name)
    const isFit =
      typeof value === 'number' ? Number.isSafeInteger(value) && value >= 0 : WORD.test(String(value))
    if (!isFit) throw new RefusedLineError('ugyldig_felt', name)
  }
}

const WORD = /^[\p{L}\d_/-]{1,40}$/u

function refuseFigures(figures: ReadonlyMap<string, number | null>): void {
  if (figures.size === 0) throw new RefusedLineError('ingen_tall')
  for (const [name, figure] of figures) {
    if (mayHoldIdentityNumber(name)) throw new RefusedLineError('identitetsnummer')
    if (!FIGURE_NAME.test(name)) throw new RefusedLineError('ugyldig_felt', name)
    if (figure !== null && isPersonsNumber(figure)) throw new RefusedLineError('identitetsnummer', name)
  }
}

const FIGURE_NAME = /^[\p{L}\d_.]{1,200}$/u

/** Its check digits are right and it begins with a date, as it stands or as temporary and test numbers shift it. */
function isPersonsNumber(figure: number): boolean {
  const text = String(figure)
  if (!isIdentityNumber(text)) return false
  const day = Number(text.slice(0, 2)) % 40
  const month = Number(text.slice(2, 4)) % 20
  return day >= 1 && day <= 31 && month >= 1 && month <= 12
}

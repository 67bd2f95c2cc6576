import { type Static, type TObject, Type } from 'typebox'
import type { Field, PartOfRecord } from '#src/record/fields.ts'
import { exactly, orNull, Tekst } from '#src/record/shape.ts'
import type { Change } from '#src/storage/changes/change-log.ts'

/** One question agents ask of a company: which fields it takes, and what of them is told, in one or two kilobytes. */
export type CompanyTool<S extends TObject = TObject> = {
  name: string
  title: string
  description: string
  fields: readonly Field[]
  output: S
  /** So many of the last changes the service has seen in the company come along. */
  changes?: number
  tell(company: PartOfRecord, changes: readonly SeenChange[]): Static<S>
}

type SeenChange = Pick<Change, 'type' | 'forrige' | 'sett'>

export function companyTool<S extends TObject>(made: CompanyTool<S>): CompanyTool {
  return made as unknown as CompanyTool
}

/** What every answer ends with: where it comes from, as of when, and why something is not there. */
const Kildelinje = exactly({
  hva: Tekst,
  kilde: Tekst,
  gjelderPer: orNull(Tekst),
  hentet: orNull(Tekst),
  tilstand: Tekst,
  arsak: orNull(Tekst),
})

/** What every answer has. */
export const Foretaket = { organisasjonsnummer: Tekst, navn: orNull(Tekst), kilder: Type.Array(Kildelinje) }

export function foretaketOf(company: PartOfRecord): Static<ReturnType<typeof exactly<typeof Foretaket>>> {
  const told = Object.entries(company.kilder)
    // The unit's own line stands for what is cut from it.
    .filter(([name, { tilstand }]) => !FROM_UNIT.has(name) || tilstand === 'utilgjengelig')
    .map(([name, { kilde, gjelderPer, hentet, tilstand, arsak }]) => ({
      hva: name,
      kilde,
      gjelderPer,
      hentet,
      tilstand,
      arsak: arsak?.beskrivelse ?? null,
    }))
  return { organisasjonsnummer: company.organisasjonsnummer, navn: company.navn ?? null, kilder: told }
}

const FROM_UNIT: ReadonlySet<string> = new Set(['adresser', 'status', 'naering', 'sn2007'])

/** The first of a list, and how many there are besides. */
export function capped<Name extends string, T>(name: Name, all: readonly T[], most: number) {
  return { [name]: all.slice(0, most), flere: Math.max(0, all.length - most) } as Record<Name, T[]> & {
    flere: number
  }
}

/** Somebody's own words, letter for letter, as far as there is room. */
export function quotedWords(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : inShort(text, QUOTED_LETTERS_MAX)
}

const QUOTED_LETTERS_MAX = 350

export function inShort(text: string, most = 160): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}

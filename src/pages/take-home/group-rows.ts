import type { Language } from '#src/core/language.ts'
import type { Konsern, Konsernforetak, Konsernledd } from '#src/record/sections/konsern.ts'
import type { Cell } from '../../http/sheets/sheet.ts'

export const groupColumns: Record<Language, readonly string[]> = {
  nb: ['Navn', 'Org.nr.', 'Plass i konsernet', 'Grunnlag'],
  en: ['Name', 'Org. no.', 'Place in the group', 'Basis'],
}

/** The top of the group, the way down to the company, and what is directly under it: as on the page. */
export function groupRows({ konsernspiss, sti, under }: Konsern, language: Language): Cell[][] {
  const t = places[language]
  const row = (each: Konsernforetak, place: string, basis: string | null): Cell[] => [
    each.navn ?? t.unknown,
    each.organisasjonsnummer,
    place,
    basis,
  ]
  const tied = (place: string) => (each: Konsernledd) => row(each, place, each.grunnlag?.tekst ?? null)
  return [
    row(konsernspiss, t.top, null),
    ...(sti ?? []).map(tied(t.path)),
    ...(under ?? []).map(tied(t.below)),
  ]
}

const places: Record<Language, Record<'top' | 'path' | 'below' | 'unknown', string>> = {
  nb: { top: 'konsernspiss', path: 'på veien ned til foretaket', below: 'direkte under', unknown: 'Ukjent' },
  en: {
    top: 'top parent',
    path: 'on the way down to the company',
    below: 'directly below',
    unknown: 'Unknown',
  },
}

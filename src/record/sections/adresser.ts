import { type Static, Type } from 'typebox'
import { readable } from '#src/sources/believe.ts'
import type { RegisterAdresse } from '#src/sources/enhetsregisteret/schema.ts'
import { exactly, orNull, Tekst } from '../shape.ts'

export const Adresse = exactly({
  adresse: orNull(
    Type.Array(Tekst, {
      description: 'Adresselinjer uten de blanke; kan være tom selv om poststed er kjent.',
    }),
  ),
  postnummer: orNull(Tekst),
  poststed: orNull(Tekst),
  kommune: orNull(exactly({ nummer: orNull(Tekst), navn: orNull(Tekst) })),
  land: orNull(Tekst),
  landkode: orNull(Tekst),
})
export type Adresse = Static<typeof Adresse>

export const Adresser = exactly({
  forretningsadresse: orNull(Adresse),
  postadresse: orNull(Adresse),
  beliggenhetsadresse: orNull(Adresse),
  utenlandskRegisterAdresse: orNull(Adresse),
})
export type Adresser = Static<typeof Adresser>

type WithAddresses = { [Kind in keyof Adresser]?: RegisterAdresse | null }

/** Main units have a business address, sub-units a location; either may lack everything below the country. */
export function adresserOf(unit: WithAddresses): Adresser {
  return {
    forretningsadresse: adresseOf(unit.forretningsadresse),
    postadresse: adresseOf(unit.postadresse),
    beliggenhetsadresse: adresseOf(unit.beliggenhetsadresse),
    utenlandskRegisterAdresse: adresseOf(unit.utenlandskRegisterAdresse),
  }
}

export function hasAdresse(unit: WithAddresses): boolean {
  return KINDS.some((kind) => unit[kind] !== undefined)
}

const KINDS = [
  'forretningsadresse',
  'postadresse',
  'beliggenhetsadresse',
  'utenlandskRegisterAdresse',
] as const satisfies (keyof Adresser)[]

export function adresseOf(from: RegisterAdresse | null | undefined): Adresse | null {
  if (from === undefined || from === null) return null
  return {
    adresse: linjer(from.adresse),
    postnummer: from.postnummer ?? null,
    poststed: from.poststed ?? null,
    kommune: kommune(from),
    land: from.land ?? null,
    landkode: from.landkode ?? null,
  }
}

/** Numbers stay text: Oslo is 0301. */
function kommune(
  from: Pick<RegisterAdresse, 'kommune' | 'kommunenummer'> | null | undefined,
): Adresse['kommune'] {
  const nummer = from?.kommunenummer ?? null
  const navn = from?.kommune ?? null
  return nummer === null && navn === null ? null : { nummer, navn }
}

export function linjer(from: readonly (string | null)[] | null | undefined): string[] | null {
  // Blank lines are none, and do not stand for one that can not be read.
  return readable(from?.filter((linje) => linje === null || linje.trim() !== ''))
}

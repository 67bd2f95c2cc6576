import { type Static, Type } from 'typebox'
import type { Adresse as RegisterAdresse } from '#src/sources/enhetsregisteret/schema.ts'
import { exactly, orNull, Tekst } from '../shape.ts'

export const Adresse = exactly({
  adresse: Type.Array(Tekst, { description: 'Adresselinjer; kan være tom selv om poststed er kjent.' }),
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

type WithAddresses = {
  forretningsadresse?: RegisterAdresse
  postadresse?: RegisterAdresse
  beliggenhetsadresse?: RegisterAdresse
  utenlandskRegisterAdresse?: RegisterAdresse
}

/** Main units have a business address, sub-units a location; either may lack everything below the country. */
export function adresser(unit: WithAddresses): Adresser {
  return {
    forretningsadresse: adresse(unit.forretningsadresse),
    postadresse: adresse(unit.postadresse),
    beliggenhetsadresse: adresse(unit.beliggenhetsadresse),
    utenlandskRegisterAdresse: adresse(unit.utenlandskRegisterAdresse),
  }
}

export function adresse(from: RegisterAdresse | undefined): Adresse | null {
  if (from === undefined) return null
  const hasKommune = from.kommune !== undefined || from.kommunenummer !== undefined
  return {
    adresse: from.adresse ?? [],
    postnummer: from.postnummer ?? null,
    poststed: from.poststed ?? null,
    // Numbers stay text: Oslo is 0301.
    kommune: hasKommune ? { nummer: from.kommunenummer ?? null, navn: from.kommune ?? null } : null,
    land: from.land ?? null,
    landkode: from.landkode ?? null,
  }
}

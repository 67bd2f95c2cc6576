import { type Static, Type } from 'typebox'
import { always, listOf, optional } from '../believe.ts'

/**
 * The shapes of the Fullmakt service's look-up answers. No recorded answer exists, so the schema follows the documented
 * names and asks for little. Booleans come as text ("false") and dates as dd.MM.yyyy; both are kept as they stand.
 * Code lists are open: rutineStatus OK | NA, regelStatus RF | RI | RT, kombinasjonStatus OK | IK, grunnlag SF | SI.
 */

const Tekst = Type.String()

const Forklart = { kode: Type.String({ minLength: 1 }), tekstforklaring: optional(Tekst) }

/** This service alone writes dd.MM.yyyy. */
const NorskDato = Type.Refine(Type.String(), (text) => isoDate(text) !== null)

const Person = Type.Object({
  navn: optional(Tekst),
  fodselsdato: optional(NorskDato),
  rolle: optional(Type.Object(Forklart)),
  rolleFritekst: optional(Tekst),
})
export type FullmaktPerson = Static<typeof Person>

/** Of a combination with one person that can not be read, the others alone are no combination: whoever reads it decides. */
const Kombinasjon = Type.Object({
  kode: optional(Tekst),
  tekstforklaring: optional(Tekst),
  kombinasjonsId: optional(Tekst),
  personRolleKombinasjon: optional(listOf(Person)),
})
export type FullmaktKombinasjon = Static<typeof Kombinasjon>

export const RegisterFullmakt = Type.Object({
  oppslagsData: optional(Type.Object({ oppslagsTidspunkt: optional(Tekst) })),
  status: Type.Object({
    rutineStatus: always(Type.Object(Forklart)),
    kombinasjonStatus: optional(Type.Object(Forklart)),
    regelStatus: optional(Type.Object({ ...Forklart, regelIdent: optional(Tekst) })),
  }),
  enhet: optional(Type.Object({ organisasjonsnummer: optional(Tekst) })),
  signeringsGrunnlag: optional(
    Type.Object({
      ...Forklart,
      signaturProkuraRoller: optional(
        Type.Object({
          signaturProkuraFritekst: optional(Tekst),
          personRolleGrunnlag: optional(listOf(Person)),
        }),
      ),
      muligeSigneringsRoller: optional(Type.Object({ personRolleGrunnlag: optional(listOf(Person)) })),
    }),
  ),
  signeringsKombinasjon: optional(Type.Object({ kombinasjon: optional(listOf(Kombinasjon)) })),
})
export type RegisterFullmakt = Static<typeof RegisterFullmakt>

export const Fullmaktsvar = Type.Object({
  ...RegisterFullmakt.properties,
  _links: optional(Type.Object({ self: optional(Type.Object({ href: optional(Tekst) })) })),
})

/** dd.MM.yyyy as yyyy-MM-dd; null when it is no such day. */
export function isoDate(text: string): string | null {
  const [, day, month, year] = /^(\d{2})\.(\d{2})\.(\d{4})$/.exec(text) ?? []
  const iso = `${year}-${month}-${day}`
  const date = new Date(`${iso}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : null
}

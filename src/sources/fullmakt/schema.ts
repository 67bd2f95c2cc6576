import { type Static, Type } from 'typebox'

/**
 * The shapes of the Fullmakt service's look-up answers. No recorded answer exists, so the schema follows the documented
 * names and asks for little. Booleans come as text ("false") and dates as dd.MM.yyyy; both are kept as they stand.
 * Code lists are open: rutineStatus OK | NA, regelStatus RF | RI | RT, kombinasjonStatus OK | IK, grunnlag SF | SI.
 */

const Tekst = Type.String()
const optional = Type.Optional

const Forklart = { kode: Tekst, tekstforklaring: optional(Tekst) }

const Person = Type.Object({
  navn: optional(Tekst),
  fodselsdato: optional(Tekst),
  rolle: optional(Type.Object(Forklart)),
  rolleFritekst: optional(Tekst),
})
export type FullmaktPerson = Static<typeof Person>

const JaNei = Type.Union([Type.String(), Type.Boolean()])

const Fullmakt = Type.Object({
  oppslagsData: optional(Type.Object({ oppslagsTidspunkt: optional(Tekst), oppslagsIdent: optional(Tekst) })),
  status: Type.Object({
    rutineStatus: Type.Object(Forklart),
    kombinasjonStatus: optional(Type.Object(Forklart)),
    regelStatus: optional(Type.Object({ ...Forklart, regelIdent: optional(Tekst) })),
  }),
  enhet: optional(
    Type.Object({
      organisasjonsnummer: optional(Tekst),
      navn: optional(Tekst),
      konkurs: optional(JaNei),
      underAvvikling: optional(JaNei),
      underTvangsavviklingEllerTvangsopplosning: optional(JaNei),
    }),
  ),
  signeringsGrunnlag: optional(
    Type.Object({
      ...Forklart,
      signaturProkuraRoller: optional(
        Type.Object({
          signaturProkuraFritekst: optional(Tekst),
          personRolleGrunnlag: optional(Type.Array(Person)),
        }),
      ),
      muligeSigneringsRoller: optional(Type.Object({ personRolleGrunnlag: optional(Type.Array(Person)) })),
    }),
  ),
  signeringsKombinasjon: optional(
    Type.Object({
      kombinasjon: optional(
        Type.Array(
          Type.Object({
            kode: optional(Tekst),
            tekstforklaring: optional(Tekst),
            kombinasjonsId: optional(Tekst),
            personRolleKombinasjon: optional(Type.Array(Person)),
          }),
        ),
      ),
    }),
  ),
})
export type Fullmakt = Static<typeof Fullmakt>

export const Fullmaktsvar = Type.Object({
  ...Fullmakt.properties,
  _links: optional(Type.Object({ self: optional(Type.Object({ href: optional(Tekst) })) })),
})

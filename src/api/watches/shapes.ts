import { Type } from 'typebox'
import { policy } from '#config/policy.ts'
import { exactly, orNull, Tekst, Tidspunkt } from '#src/record/shape.ts'
import { ProblemSchema } from '../schemas.ts'

/** What is watched, and how, as it is documented. */
const Epost = Type.Enum(['straks', 'daglig'])
const Navn = Type.String({
  maxLength: policy.watches.nameLettersMax,
  description: 'Det du kaller foretaket.',
})
const Typer = Type.Array(Type.String({ maxLength: 100 }), {
  maxItems: policy.watches.typesMax,
  description: 'Typene du vil ha, hele eller bare begynnelsen. null: alle.',
})

export const Overvakingskilde = exactly({
  kilde: Tekst,
  fra: orNull(Tidspunkt),
  ventes: orNull(Tidspunkt),
})

export const Overvaking = exactly({
  organisasjonsnummer: Tekst,
  navn: orNull(Navn),
  typer: orNull(Typer),
  epost: orNull(Epost),
  opprettet: Tidspunkt,
  kilder: Type.Optional(Type.Array(Overvakingskilde)),
})

export const Overvakingsonske = Type.Object({
  navn: Type.Optional(orNull(Navn)),
  typer: Type.Optional(orNull(Typer)),
  epost: Type.Optional(orNull(Epost)),
})

export const Overvakinger = exactly({
  antall: Type.Integer({ minimum: 0, description: 'Foretak som overvåkes, i alt.' }),
  overvakinger: Type.Array(Overvaking),
  neste: orNull(Type.String({ description: 'Verdien av etter for neste side; null på den siste.' })),
})

const place = { linje: Type.Integer({ minimum: 1 }) }
export const Overvakingslinje = Type.Union([
  exactly({
    ...place,
    organisasjonsnummer: Tekst,
    utfall: Type.Enum(['ny', 'endret', 'sluttet', 'ikke_overvaket']),
  }),
  exactly({
    ...place,
    organisasjonsnummer: orNull(Tekst),
    oppgitt: Type.Optional(Type.String({ description: 'Det som sto der, når det ikke er et nummer.' })),
    feil: ProblemSchema,
  }),
  exactly({
    oppsummering: exactly({
      linjer: Type.Integer(),
      nye: Type.Integer(),
      endret: Type.Integer(),
      sluttet: Type.Integer(),
      feil: Type.Integer(),
      dubletter: Type.Integer(),
      settInnen: orNull(Tidspunkt),
    }),
  }),
])

import { type Static, type TSchema, Type } from 'typebox'
import { DatoEllerTidspunkt, exactly, oneOf, orNull, Tekst, Tidspunkt } from './shape.ts'

const tilstander = [
  'fersk',
  'utdatert',
  'utilgjengelig',
  'ikke_funnet',
  'ikke_relevant',
  'ikke_importert',
] as const

export const Tilstand = oneOf(
  tilstander,
  [
    'fersk: hentet innenfor ferskhetstiden.',
    'utdatert: en eldre kopi, vist fordi kilden ikke svarte, ikke har den lenger eller fornyes akkurat nå.',
    'utilgjengelig: vi vet det ikke; arsak sier hvorfor.',
    'ikke_funnet: kilden svarte at den ikke har noe om dette foretaket.',
    'ikke_relevant: gjelder ikke dette foretaket; arsak sier hvorfor.',
    'ikke_importert: arkivet er ikke levert inn i tjenesten.',
  ].join(' '),
)
export type Tilstand = Static<typeof Tilstand>

export const Arsak = exactly({ kode: Tekst, beskrivelse: Tekst })
export type Arsak = Static<typeof Arsak>

/** A section's data beside its state. `data` is there exactly when the state is `fersk` or `utdatert`. */
export const section = <S extends TSchema>(data: S, description: string) =>
  exactly({ tilstand: Tilstand, data: orNull(data) }, { description })

/** The name of a source for programs: it stays when the words for people change. */
const kildeIder = [
  'brreg-enhetsregisteret',
  'brreg-roller',
  'brreg-signatur',
  'brreg-prokura',
  'brreg-regnskapsregisteret',
  'brreg-kunngjoringer',
  'ssb-klass',
  'skatteetaten-aksjonaerregisteret',
  'skatteetaten-aksjonaerregisteret-beregnet',
] as const
export type KildeId = (typeof kildeIder)[number]
export const KildeId = oneOf(kildeIder, 'Kilden, for programmer: endres ikke. Nye kan komme til.')

export const Avvik = Type.Array(Tekst, {
  description:
    'Det i kildens svar som hadde uventet form (JSON-peker): ukjent, ikke tomt. Det er null der det skulle stått, eller utelatt av listen ' +
    'det sto i. For en kilde som er utilgjengelig: det som gjorde at svaret ikke kunne brukes.',
})

/** Where a section comes from, as of when, when it was fetched, and why it is not there when it is not. */
export const Kilde = exactly({
  kildeId: KildeId,
  kilde: Tekst,
  lisens: Tekst,
  adresse: orNull(
    Type.String({
      format: 'uri',
      description:
        'Adressen kilden er spurt på om dette foretaket. null: ingen er spurt, eller opplysningene er fra en fil.',
    }),
  ),
  gjelderPer: orNull(DatoEllerTidspunkt),
  hentet: orNull(Tidspunkt),
  tilstand: Tilstand,
  arsak: orNull(Arsak),
  avvik: Avvik,
})
export type Kilde = Static<typeof Kilde>

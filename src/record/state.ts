import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { keptOf, keptSources } from '#src/sources/index.ts'
import { correspondences } from '#src/sources/klass/industry-codes.ts'
import { DatoEllerTidspunkt, exactly, oneOf, orNull, Tekst, Tidspunkt } from './shape.ts'

const medData = ['fersk', 'utdatert'] as const
const utenData = ['utilgjengelig', 'ikke_funnet', 'ikke_relevant', 'ikke_importert'] as const
const tilstander = [...medData, ...utenData] as const

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

/** The states that say that there are data, and those that say why there are none. */
const TilstandMedData = oneOf(medData)
const TilstandUtenData = oneOf(utenData)

/** A section is one of two shapes, which its state tells apart: whoever looks at that need not look whether `data` is null. */
export const section = <S extends TSchema, P extends TProperties = Record<never, never>>(
  data: S,
  description: string,
  besides: P = {} as P,
) => Type.Union([sectionWith(data, besides), sectionWithout(besides)], { description })

const sectionWith = <S extends TSchema, P extends TProperties>(data: S, besides: P) =>
  exactly({ ...besides, tilstand: TilstandMedData, data })

const sectionWithout = <P extends TProperties>(besides: P) =>
  exactly({ ...besides, tilstand: TilstandUtenData, data: Type.Null() })

export type Section<D> =
  | { tilstand: Static<typeof TilstandMedData>; data: D }
  | { tilstand: Static<typeof TilstandUtenData>; data: null }

/** The name of a source for programs: it stays when the words for people change. */
export const KildeId = oneOf(
  [
    ...new Set([
      ...keptSources.map((name) => keptOf(name).provenance.kildeId),
      correspondences.provenance.kildeId,
    ]),
  ],
  'Kilden, for programmer: endres ikke. Nye kan komme til.',
)

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

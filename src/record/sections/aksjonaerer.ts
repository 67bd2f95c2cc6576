import { type Static, Type } from 'typebox'
import { exactly, oneOf, orNull, Tekst } from '../shape.ts'
import { SHOWN_NEWEST, type ShareHistory } from '../share-history.ts'
import { Aksjeboktall, Aksjonaer, holderForbehold } from './aksjonaer.ts'
import { Aar, historikkOf, Leveranse } from './aksjonaerhistorikk.ts'

export const Aksjonaerer = exactly({
  aar: Type.Integer({ description: 'Det nyeste året som er importert.' }),
  gjelderPer: Type.String({ format: 'date', description: 'Beholdningen er den per 31. desember.' }),
  leveranse: orNull(Leveranse),
  foretaket: oneOf(
    ['funnet', 'ikke_funnet'],
    'ikke_funnet: foretaket står ikke i filen for dette året; historikken sier hvilke år det gjør.',
  ),
  aksjerTotalt: Aksjeboktall.aksjerTotalt,
  aksjerSum: orNull(Aksjeboktall.aksjerSum),
  innehavere: orNull(Aksjeboktall.innehavere),
  avvik: Aksjeboktall.avvik,
  storste: orNull(
    Type.Array(Aksjonaer, {
      maxItems: SHOWN_NEWEST,
      description:
        'De 20 største. Alle, for hvert år: /api/bedrift/{orgnr}/aksjonaerer. null: foretaket står ikke i filen.',
    }),
  ),
  forbehold: Tekst,
  historikk: Type.Array(Aar, {
    description: 'Hvert år fra det nyeste som er importert tilbake til 2002, også de som ikke er importert.',
  }),
})
export type Aksjonaerer = Static<typeof Aksjonaerer>

/** @param deliveryOf which file a delivery is; null when it is not known any more */
export function aksjonaererOf(
  history: ShareHistory,
  deliveryOf: (id: number) => Leveranse | null,
): Aksjonaerer {
  const { leveranser, nyeste } = history
  const [aar = 0] = leveranser.aar
  const [delivery = 0] = leveranser.id
  return {
    aar,
    gjelderPer: `${aar}-12-31`,
    leveranse: deliveryOf(delivery),
    foretaket: nyeste === null ? 'ikke_funnet' : 'funnet',
    aksjerTotalt: nyeste?.aksjerTotalt ?? null,
    aksjerSum: nyeste?.aksjerSum ?? null,
    innehavere: nyeste?.innehavere ?? null,
    avvik: nyeste?.avvik ?? [],
    storste: nyeste?.storste ?? null,
    forbehold: holderForbehold,
    historikk: historikkOf(history, deliveryOf),
  }
}

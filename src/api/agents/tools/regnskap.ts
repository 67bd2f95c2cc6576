import { Type } from 'typebox'
import { Antall, exactly, orNull, Tekst } from '#src/record/shape.ts'
import { capped, companyTool, Foretaket, foretaketOf } from '../company-tool.ts'

export const regnskapTool = companyTool({
  name: 'regnskap',
  title: 'Regnskap / accounts',
  description:
    'Nøkkeltall for de tre siste regnskapsårene, i valutaen regnskapet er ført i. null betyr at tallet ikke er oppgitt, aldri 0. ' +
    'Key figures of the three newest years, in the currency of the accounts. null is not stated, never zero.',
  fields: ['navn', 'regnskap'],
  output: exactly({
    ...Foretaket,
    aar: Type.Array(
      exactly({
        tilDato: Tekst,
        type: Type.Enum(['selskap', 'konsern']),
        valuta: Tekst,
        sumDriftsinntekter: orNull(Type.Number()),
        driftsresultat: orNull(Type.Number()),
        aarsresultat: orNull(Type.Number()),
        sumEiendeler: orNull(Type.Number()),
        sumEgenkapital: orNull(Type.Number()),
        sumGjeld: orNull(Type.Number()),
      }),
    ),
    flere: Antall,
  }),
  tell: (company) => {
    const years = (company.regnskap?.data?.aar ?? []).flatMap(({ periode, selskap, konsern }) => {
      const accounts = selskap ?? konsern
      if (accounts === null) return []
      const { nokkeltall: tall, valuta } = accounts
      return {
        tilDato: periode.tilDato,
        type: selskap === null ? ('konsern' as const) : ('selskap' as const),
        valuta,
        sumDriftsinntekter: tall.sumDriftsinntekter.belop,
        driftsresultat: tall.driftsresultat.belop,
        aarsresultat: tall.aarsresultat.belop,
        sumEiendeler: tall.sumEiendeler.belop,
        sumEgenkapital: tall.sumEgenkapital.belop,
        sumGjeld: tall.sumGjeld.belop,
      }
    })
    return { ...foretaketOf(company), ...capped('aar', years, 3) }
  },
})

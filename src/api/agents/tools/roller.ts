import { Type } from 'typebox'
import type { PartOfRecord } from '#src/record/fields.ts'
import type { Rolle } from '#src/record/sections/roller.ts'
import { Antall, exactly, orNull, Tekst } from '#src/record/shape.ts'
import { capped, companyTool, Foretaket, foretaketOf } from '../company-tool.ts'

export const rollerTool = companyTool({
  name: 'roller',
  title: 'Ledelse og styre / management and board',
  description:
    'Daglig leder, styre, revisor og regnskapsfører nå. The managing director, board, auditor and accountant now.',
  fields: ['navn', 'roller'],
  output: exactly({
    ...Foretaket,
    roller: Type.Array(exactly({ rolle: Tekst, navn: orNull(Tekst), organisasjonsnummer: orNull(Tekst) })),
    flere: Antall,
  }),
  tell: (company) => {
    const data = company.roller?.data ?? null
    const lists = data === null ? [] : rolesIn(data)
    return {
      ...foretaketOf(company),
      ...capped(
        'roller',
        lists.map(({ rolle, rolleinnehaver: who }) => ({
          rolle: rolle?.beskrivelse ?? rolle?.kode ?? 'ukjent',
          navn: who.navn,
          organisasjonsnummer: who.type === 'enhet' ? who.organisasjonsnummer : null,
        })),
        16,
      ),
    }
  },
})

function rolesIn({ styre, tidligere: _, uavklart: __, ...others }: NonNullable<RolesData>): Rolle[] {
  return [others.dagligLeder, ...Object.values(styre), ...Object.values({ ...others, dagligLeder: null })]
    .flat()
    .filter((role) => role !== null)
}
type RolesData = NonNullable<PartOfRecord['roller']>['data']

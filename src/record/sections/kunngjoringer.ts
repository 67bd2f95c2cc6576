import { type Static, Type } from 'typebox'
import type { Kunngjoring as RegisterKunngjoring } from '#src/sources/kunngjoringer/announcements.ts'
import { Dato, exactly, orNull, Tekst } from '../shape.ts'

export const Kunngjoringer = exactly({
  kunngjoringer: Type.Array(
    exactly({
      dato: orNull(Dato),
      tittel: Tekst,
      type: Type.String({ description: 'Vår gjenkjenning av tittelen; annet når den ikke gjenkjennes.' }),
      gjelderInsolvens: Type.Boolean(),
      lenke: Tekst,
    }),
    { description: 'Nyeste først; de uten lesbar dato til slutt.' },
  ),
})
export type Kunngjoringer = Static<typeof Kunngjoringer>

export function kunngjoringerOf(from: RegisterKunngjoring[]): Kunngjoringer {
  return {
    kunngjoringer: from.map(({ dato, tittel, type, gjelderInsolvens, lenke }) => ({
      dato,
      tittel,
      type,
      gjelderInsolvens,
      lenke,
    })),
  }
}

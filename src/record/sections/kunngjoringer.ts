import { type Static, Type } from 'typebox'
import type { Kunngjoring as RegisterKunngjoring } from '#src/sources/kunngjoringer/announcements.ts'
import { Dato, exactly, Tekst } from '../shape.ts'

export const Kunngjoringer = exactly({
  kunngjoringer: Type.Array(
    exactly({
      dato: Dato,
      tittel: Tekst,
      type: Type.String({ description: 'Vår gjenkjenning av tittelen; annet når den ikke gjenkjennes.' }),
      gjelderInsolvens: Type.Boolean(),
      lenke: Tekst,
    }),
    { description: 'Nyeste først.' },
  ),
})
export type Kunngjoringer = Static<typeof Kunngjoringer>

export function kunngjoringer(from: RegisterKunngjoring[]): Kunngjoringer {
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

import { Type } from 'typebox'
import { titleOf } from '#src/changes/mails/change-words.ts'
import { Antall, exactly, orNull, Tekst } from '#src/record/shape.ts'
import { capped, companyTool, Foretaket, foretaketOf } from '../company-tool.ts'

export const kunngjoringerTool = companyTool({
  name: 'kunngjoringer',
  title: 'Kunngjøringer og endringer / announcements and changes',
  description:
    'De nyeste kunngjøringene om foretaket, nyeste først: konkurs, fusjon, kapital, styre, regnskap; og det tjenesten selv har sett endre seg. ' +
    'The newest public announcements, newest first, and what the service itself has seen change.',
  changes: 8,
  fields: ['navn', 'kunngjoringer'],
  output: exactly({
    ...Foretaket,
    kunngjoringer: Type.Array(
      exactly({ dato: orNull(Tekst), tittel: Tekst, gjelderInsolvens: Type.Boolean() }),
    ),
    flere: Antall,
    endringer: Type.Array(exactly({ type: Tekst, hva: Tekst, settEtter: Tekst, settInnen: Tekst })),
  }),
  tell: (company, changes) => ({
    ...foretaketOf(company),
    endringer: changes.map(({ type, forrige, sett }) => ({
      type,
      hva: titleOf(type).nb,
      settEtter: forrige.toISOString(),
      settInnen: sett.toISOString(),
    })),
    ...capped(
      'kunngjoringer',
      (company.kunngjoringer?.data?.kunngjoringer ?? []).map(({ dato, tittel, gjelderInsolvens }) => ({
        dato,
        tittel,
        gjelderInsolvens,
      })),
      12,
    ),
  }),
})

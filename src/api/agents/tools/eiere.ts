import { Type } from 'typebox'
import { Antall, exactly, orNull, Tekst } from '#src/record/shape.ts'
import { capped, companyTool, Foretaket, foretaketOf } from '../company-tool.ts'

export const eiereTool = companyTool({
  name: 'eiere',
  title: 'Eiere / owners',
  description:
    'De største aksjonærene per 31. desember i det nyeste året tjenesten har. Aksjer, ikke stemmer. ' +
    'The largest shareholders as of 31 December of the newest year there is. Shares, not votes.',
  fields: ['navn', 'aksjonaerer'],
  output: exactly({
    ...Foretaket,
    gjelderPer: orNull(Tekst),
    innehavere: orNull(Antall),
    eiere: Type.Array(
      exactly({
        navn: orNull(Tekst),
        type: Tekst,
        organisasjonsnummer: orNull(Tekst),
        aksjer: Antall,
        prosent: orNull(Type.Number()),
      }),
    ),
    flere: Antall,
  }),
  tell: (company) => {
    const data = company.aksjonaerer?.data ?? null
    const holders = (data?.storste ?? []).map(({ navn, type, organisasjonsnummer, aksjer, prosent }) => ({
      navn,
      type,
      organisasjonsnummer,
      aksjer,
      prosent,
    }))
    return {
      ...foretaketOf(company),
      gjelderPer: data?.gjelderPer ?? null,
      innehavere: data?.innehavere ?? null,
      ...capped('eiere', holders, 10),
    }
  },
})

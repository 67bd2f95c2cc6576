import { Type } from 'typebox'
import type { PartOfRecord } from '#src/record/fields.ts'
import { Antall, exactly, orNull, Tekst } from '#src/record/shape.ts'
import { capped, companyTool, Foretaket, foretaketOf, inShort, quotedWords } from '../company-tool.ts'

export const signeringTool = companyTool({
  name: 'hvem_kan_signere',
  title: 'Hvem kan signere / who may sign',
  description:
    'Hvem som kan forplikte foretaket (signatur) og handle for det i driften (prokura), i registerets ord og som kombinasjoner av personer. ' +
    'Who may bind the company and act for it, in the register’s words and as combinations of persons.',
  fields: ['navn', 'signatur', 'prokura'],
  output: exactly({
    ...Foretaket,
    signatur: orNull(exactly({ regel: orNull(Tekst), kombinasjoner: Type.Array(Tekst), flere: Antall })),
    prokura: orNull(exactly({ regel: orNull(Tekst), kombinasjoner: Type.Array(Tekst), flere: Antall })),
  }),
  tell: (company) => ({
    ...foretaketOf(company),
    signatur: mandate(company.signatur?.data),
    prokura: mandate(company.prokura?.data),
  }),
})

type Mandate = NonNullable<PartOfRecord['signatur']>['data']

function mandate(data: Mandate | undefined) {
  if (data === null || data === undefined) return null
  const { kombinasjoner, lovensUtgangspunkt, kombinasjonerUtenKjentRegel } = data
  const all = [
    ...(kombinasjoner ?? []),
    ...(lovensUtgangspunkt ?? []),
    ...(kombinasjonerUtenKjentRegel ?? []),
  ]
  const told = all.map(({ kombinasjon, personer }) => {
    const names = (personer ?? []).map(({ navn }) => navn ?? 'ukjent').join(' + ')
    return inShort(`${kombinasjon?.beskrivelse ?? kombinasjon?.kode ?? ''}: ${names}`)
  })
  return { regel: quotedWords(data.fritekst), ...capped('kombinasjoner', told, 4) }
}

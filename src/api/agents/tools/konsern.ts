import { type Static, Type } from 'typebox'
import type { Konsernforetak } from '#src/record/sections/konsern.ts'
import { Antall, exactly, orNull, Tekst } from '#src/record/shape.ts'
import { capped, companyTool, Foretaket, foretaketOf, inShort } from '../company-tool.ts'

const Konsernplass = exactly({ organisasjonsnummer: orNull(Tekst), navn: orNull(Tekst) })
const PLACES_MAX = 10

function placeOf({ organisasjonsnummer, navn }: Static<typeof Konsernforetak>): Static<typeof Konsernplass> {
  return { organisasjonsnummer, navn: navn === null ? null : inShort(navn, 80) }
}

export const konsernTool = companyTool({
  name: 'konsern',
  title: 'Konsern / the group',
  description:
    'Konsernet foretaket står i: konsernspissen, veien ned til foretaket, og hva som er direkte under, slik Enhetsregisteret har det. ' +
    'The group of a company: its top, the way down to the company, and what is directly below.',
  fields: ['navn', 'konsern'],
  output: exactly({
    ...Foretaket,
    konsernspiss: orNull(Konsernplass),
    plasser: orNull(Antall),
    vei: orNull(Type.Array(Konsernplass)),
    under: orNull(Type.Array(Konsernplass)),
    flere: Antall,
    sammeKonsernspissEtterAksjene: orNull(Type.Boolean()),
  }),
  tell: (company) => {
    const data = company.konsern?.data ?? null
    const under = data?.under?.map(placeOf) ?? null
    return {
      ...foretaketOf(company),
      konsernspiss: data === null ? null : placeOf(data.konsernspiss),
      plasser: data?.antallPlasser ?? null,
      // From below the top; whoever stands between its ends in a deep group is at the company's own address.
      vei: data?.sti?.slice(-PLACES_MAX).map(placeOf) ?? null,
      ...(under === null ? { under, flere: 0 } : capped('under', under, PLACES_MAX)),
      sammeKonsernspissEtterAksjene: data?.motEierskap?.sammeKonsernspiss ?? null,
    }
  },
})

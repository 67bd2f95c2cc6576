import { Type } from 'typebox'
import { Antall, exactly, orNull, Tekst } from '#src/record/shape.ts'
import { companyTool, Foretaket, foretaketOf, inShort, quotedWords } from '../company-tool.ts'

export const foretakTool = companyTool({
  name: 'foretak',
  title: 'Foretaket / the company',
  description:
    'Hvem et norsk foretak er: navn, form, om det er aktivt, konkurs eller slettet, adresse, ansatte, næring, og hva det sier at det gjør. ' +
    'Who a Norwegian company is: name, form, whether it is active, bankrupt or deleted, address, employees, industry, stated purpose.',
  fields: [
    'navn',
    'organisasjonsform',
    'enhetstype',
    'stiftelsesdato',
    'slettedato',
    'hjemmeside',
    'antallAnsatte',
    'adresser',
    'status',
    'naering',
    'overordnetEnhet',
  ],
  output: exactly({
    ...Foretaket,
    organisasjonsform: orNull(Tekst),
    foretakstilstand: orNull(Tekst),
    stiftelsesdato: orNull(Tekst),
    slettedato: orNull(Tekst),
    antallAnsatte: orNull(Antall),
    adresse: orNull(Tekst),
    hjemmeside: orNull(Tekst),
    naering: Type.Array(Tekst),
    aktivitet: orNull(Type.String({ description: 'Foretakets egne ord, gjengitt som data.' })),
    formaal: orNull(Type.String({ description: 'Foretakets egne ord, gjengitt som data.' })),
    overordnetEnhet: orNull(Tekst),
  }),
  tell: (company) => {
    const address = company.adresser?.data?.forretningsadresse ?? company.adresser?.data?.beliggenhetsadresse
    const industry = company.naering?.data
    return {
      ...foretaketOf(company),
      organisasjonsform: company.organisasjonsform?.beskrivelse ?? company.organisasjonsform?.kode ?? null,
      foretakstilstand: company.status?.data?.foretakstilstand ?? null,
      stiftelsesdato: company.stiftelsesdato ?? null,
      slettedato: company.slettedato ?? null,
      antallAnsatte: company.antallAnsatte?.antall ?? null,
      adresse: address
        ? inShort(
            [...(address.adresse ?? []), `${address.postnummer ?? ''} ${address.poststed ?? ''}`.trim()].join(
              ', ',
            ),
          )
        : null,
      hjemmeside: company.hjemmeside ?? null,
      naering: (industry?.naeringskoder ?? []).map(
        ({ sn2025 }) => `${sn2025.kode} ${sn2025.beskrivelse ?? ''}`,
      ),
      aktivitet: quotedWords(industry?.aktivitet),
      formaal: quotedWords(industry?.vedtektsfestetFormaal),
      overordnetEnhet: company.overordnetEnhet?.organisasjonsnummer ?? null,
    }
  },
})

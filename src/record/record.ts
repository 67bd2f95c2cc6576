import { type Static, Type } from 'typebox'
import { Eierskap } from './eierskap/eierskap.ts'
import { MuligSammePerson } from './same-person.ts'
import { Adresse, Adresser } from './sections/adresser.ts'
import { Aksjonaerer } from './sections/aksjonaerer.ts'
import { foretakProperties } from './sections/foretak.ts'
import { Fullmakt } from './sections/fullmakt.ts'
import { Kunngjoringer } from './sections/kunngjoringer.ts'
import { Naering } from './sections/naering.ts'
import { Regnskap } from './sections/regnskap.ts'
import { Roller } from './sections/roller.ts'
import { Foretakstilstand, Status } from './sections/status.ts'
import { Dato, exactly, Kode, orNull, Tekst } from './shape.ts'
import { Kilde, section, Tilstand } from './state.ts'

const OverordnetEnhet = exactly({
  organisasjonsnummer: Tekst,
  navn: orNull(Tekst),
  organisasjonsform: orNull(Kode),
  slettedato: orNull(Dato),
  foretakstilstand: Foretakstilstand,
  forretningsadresse: orNull(Adresse),
})

/** Each has an entry in `kilder`. `enhet` is the record's top; `sn2007` is the second source of `naering`. */
export const sectionNames = [
  'enhet',
  'overordnetEnhet',
  'adresser',
  'status',
  'roller',
  'signatur',
  'prokura',
  'naering',
  'sn2007',
  'regnskap',
  'kunngjoringer',
  'aksjonaerer',
  'eierskap',
] as const
export type SectionName = (typeof sectionNames)[number]

/**
 * The promised shape of one company, and the only place it is written: types, the validation in tests and the OpenAPI
 * document all derive from it.
 */
export const Bedrift = exactly(
  {
    ...foretakProperties,
    komplett: Type.Boolean({ description: 'false når minst én seksjon er utilgjengelig i dette svaret.' }),
    overordnetEnhet: exactly({
      organisasjonsnummer: orNull(Tekst),
      tilstand: Tilstand,
      data: orNull(OverordnetEnhet),
    }),
    adresser: section(Adresser, 'Adresser slik Enhetsregisteret har dem.'),
    status: section(Status, 'Konkurs, avvikling og annet som er satt i gang, hver med sin dato.'),
    roller: section(Roller, 'Hvem som har roller i foretaket.'),
    signatur: section(Fullmakt, 'Hvem som kan forplikte foretaket.'),
    prokura: section(Fullmakt, 'Hvem som kan handle for foretaket i driften.'),
    naering: section(Naering, 'Næringskoder i SN2025 og SN2007, aktivitet og formål.'),
    regnskap: section(
      Regnskap,
      'Årsregnskap fra Regnskapsregisteret, også de årene bare tjenestens arkiv har.',
    ),
    kunngjoringer: section(Kunngjoringer, 'Kunngjøringer fra Brønnøysundregistrene.'),
    aksjonaerer: section(
      Aksjonaerer,
      'Aksjonærer per 31. desember i det nyeste året, og historikk. Aksjer, ikke stemmer.',
    ),
    eierskap: section(
      Eierskap,
      'Eiere og eierandeler i flere ledd per 31. desember i det nyeste året. Aksjer, ikke stemmer.',
    ),
    muligSammePerson: orNull(MuligSammePerson),
    kilder: exactly(
      Object.fromEntries(sectionNames.map((name) => [name, Kilde])) as Record<SectionName, typeof Kilde>,
    ),
  },
  { description: 'Ett foretak, samlet. data i en seksjon finnes bare når tilstand er fersk eller utdatert.' },
)
export type Bedrift = Static<typeof Bedrift>

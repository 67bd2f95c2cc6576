import { origins, reason } from '#src/record/provenance.ts'
import { type Bedrift, sectionNames } from '#src/record/record.ts'
import type { Arsak, Tilstand } from '#src/record/state.ts'
import { sampleAccounts } from './sample-accounts.ts'
import { SAMPLE_NAME, SAMPLE_NUMBER, sampleOwnership } from './sample-ownership.ts'
import { sampleProkura, sampleRoles, sampleSignature } from './sample-people.ts'
import { sampleShareholders } from './sample-shareholders.ts'

const FETCHED = '2026-11-20T08:15:04.000Z'
const address = {
  adresse: ['Fiskerikaia 3'],
  postnummer: '9990',
  poststed: 'BÅTSFJORD',
  kommune: { nummer: '5632', navn: 'BÅTSFJORD' },
  land: 'Norge',
  landkode: 'NO',
}
const no = { gjelder: false, dato: null }

/**
 * A company to show what a record is. All of it is invented: company, people and figures, and nobody has its number. One
 * section is unavailable, since that is what an honest record looks like on some days.
 */
export const sampleRecord: Bedrift = {
  organisasjonsnummer: SAMPLE_NUMBER,
  navn: SAMPLE_NAME,
  enhetstype: 'enhet',
  organisasjonsform: { kode: 'AS', beskrivelse: 'Aksjeselskap', utgaatt: null },
  slettedato: null,
  stiftelsesdato: '1998-03-16',
  registreringsdatoEnhetsregisteret: '1998-04-02',
  registreringsdatoForetaksregisteret: '1998-04-02',
  registreringsdatoMerverdiavgiftsregisteret: '1998-07-01',
  vedtektsdato: '2024-06-11',
  oppstartsdato: null,
  datoEierskifte: null,
  nedleggelsesdato: null,
  historiskeNavn: [
    { navn: 'BÅTSFJORD FISKEMOTTAK AS', fraDato: '1998-04-02 10:11:12', tilDato: '2011-05-09 07:30:00' },
  ],
  hjemmeside: 'www.tindevaag-sjomat.example',
  telefon: '00 00 00 01',
  mobil: null,
  epostadresse: 'post@tindevaag-sjomat.example',
  maalform: 'Bokmål',
  antallAnsatte: { antall: 87, tilstand: 'oppgitt' },
  kapital: {
    belop: 2_400_000,
    antallAksjer: 24_000,
    type: 'Aksjekapital',
    valuta: 'NOK',
    innfortDato: '2014-02-03',
    innbetalt: null,
    fulltInnbetalt: null,
    bundet: null,
  },
  institusjonellSektorkode: { kode: '2100', beskrivelse: 'Private aksjeselskaper mv.' },
  registrertIMvaregisteret: true,
  registrertIForetaksregisteret: true,
  registrertIStiftelsesregisteret: false,
  registrertIFrivillighetsregisteret: false,
  registrertIPartiregisteret: false,
  frivilligMvaRegistrertBeskrivelser: ['Utleier av bygg eller anlegg'],
  erIKonsern: true,
  sisteInnsendteAarsregnskap: '2025',
  fravalgRevisjonDato: null,
  fravalgRevisjonBeslutningsDato: null,
  registreringsnummerIHjemlandet: null,
  utenlandskRegisterNavn: null,
  underlagtLovgivningLandkode: null,
  foretaksformIHjemlandet: null,
  komplett: false,
  overordnetEnhet: { organisasjonsnummer: null, tilstand: 'ikke_relevant', data: null },
  adresser: {
    tilstand: 'fersk',
    data: {
      forretningsadresse: address,
      postadresse: { ...address, adresse: ['Postboks 12'] },
      beliggenhetsadresse: null,
      utenlandskRegisterAdresse: null,
    },
  },
  status: {
    tilstand: 'fersk',
    data: {
      tilstand: 'aktiv',
      slettet: no,
      konkurs: no,
      tvangsavviklingEllerTvangsopplosning: { gjelder: false, grunner: [] },
      underAvvikling: no,
      rekonstruksjon: no,
      utenlandskInsolvens: no,
      paategninger: null,
    },
  },
  roller: { tilstand: 'fersk', data: sampleRoles },
  signatur: { tilstand: 'fersk', data: sampleSignature },
  prokura: { tilstand: 'fersk', data: sampleProkura },
  naering: {
    tilstand: 'fersk',
    data: {
      naeringskoder: [
        {
          rangering: 1,
          sn2025: { kode: '10.202', beskrivelse: 'Slakting av fisk, skalldyr og bløtdyr' },
          sn2007: {
            art: 'en_til_en',
            koder: [{ kode: '10.209', navn: 'Slakting, bearbeiding og konservering av fisk ellers' }],
            fullstendig: true,
          },
        },
        {
          rangering: 2,
          sn2025: { kode: '33.150', beskrivelse: 'Reparasjon og vedlikehold av sivile skip og båter' },
          sn2007: {
            art: 'samme',
            koder: [{ kode: '33.150', navn: 'Reparasjon og vedlikehold av skip og båter' }],
            fullstendig: true,
          },
        },
      ],
      hjelpeenhetskode: null,
      aktivitet: 'Mottak, foredling og salg av fisk og skalldyr. Utleie av kai og fryselager.',
      vedtektsfestetFormaal:
        'Mottak, foredling og salg av fisk og skalldyr, utleie av kai og fryselager, samt deltakelse i andre selskaper med lignende virksomhet når det tjener formålet.',
    },
  },
  regnskap: { tilstand: 'fersk', data: sampleAccounts },
  kunngjoringer: { tilstand: 'utilgjengelig', data: null },
  aksjonaerer: { tilstand: 'fersk', data: sampleShareholders },
  eierskap: { tilstand: 'fersk', data: sampleOwnership },
  kilder: Object.fromEntries(
    sectionNames.map((name) => [name, { ...origins[name], ...provenance(name) }]),
  ) as Bedrift['kilder'],
}

function provenance(name: (typeof sectionNames)[number]): {
  gjelderPer: string | null
  hentet: string | null
  tilstand: Tilstand
  arsak: Arsak | null
  avvik: string[]
} {
  const fresh = { gjelderPer: FETCHED, hentet: FETCHED, tilstand: 'fersk' as const, arsak: null, avvik: [] }
  switch (name) {
    case 'kunngjoringer':
      return {
        ...fresh,
        gjelderPer: null,
        hentet: null,
        tilstand: 'utilgjengelig',
        arsak: { kode: 'tidsfrist', tekst: 'Kilden svarte ikke innen fristen.' },
      }
    case 'overordnetEnhet':
      return { ...fresh, tilstand: 'ikke_relevant', arsak: reason('ingen_overordnet_enhet') }
    case 'aksjonaerer':
    case 'eierskap':
      return { ...fresh, gjelderPer: '2025-12-31', hentet: '2026-05-20T00:00:00.000Z' }
    case 'regnskap':
      return { ...fresh, gjelderPer: '2025-12-31' }
    default:
      return fresh
  }
}

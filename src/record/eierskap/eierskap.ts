import { type Static, Type } from 'typebox'
import { hvem } from '../sections/aksjonaer.ts'
import { Antall, Dato, exactly, oneOf, orNull, Tekst } from '../shape.ts'
import { holderKinds } from './holder-kind.ts'

const Prosent = (description: string) => orNull(Type.Number({ minimum: 0, maximum: 100, description }))

export const Part = exactly({
  id: Type.String({ description: 'Samme part har samme id i hele svaret; gjelder bare i dette svaret.' }),
  type: oneOf(
    holderKinds,
    'forvalter: eier i eget navn for andre. offentlig: staten, departement, kommune, fylkeskommune. ' +
      'ukjent: registeret oppgir verken fødselsår, organisasjonsnummer eller land.',
  ),
  navn: orNull(Tekst),
  organisasjonsnummer: orNull(Tekst),
  fodselsaar: orNull(Type.Integer()),
  landkode: orNull(Tekst),
  skjult: Type.Boolean({ description: 'true: personen vises ikke etter eget ønske.' }),
  aksjonaerId: hvem.aksjonaerId,
})
export type Part = Static<typeof Part>

const Foretaksreferanse = exactly({ organisasjonsnummer: Tekst, navn: orNull(Tekst) })

const endepunkter = [
  'endelig',
  'offentlig',
  'forvalter',
  'uten_aksjebok',
  'andel_ukjent',
  'sirkel',
  'avkortet',
] as const

const Ende = oneOf(
  endepunkter,
  [
    'endelig: person, eller innehaver uten organisasjonsnummer.',
    'offentlig: staten, departement, kommune eller fylkeskommune; kjeden følges ikke lenger.',
    'forvalter: eier i eget navn for andre; hvem er ikke kjent.',
    'uten_aksjebok: organisasjonen har ikke aksjonærer i registeret dette året.',
    'andel_ukjent: aksjeboken innehaveren står i, er uten brukbart totaltall.',
    'sirkel: foretakene eier hverandre helt ut; andelen lar seg ikke bestemme.',
    'avkortet: eierne er ikke hentet, fordi grensen for ledd eller foretak er nådd.',
  ].join(' '),
)
export type Ende = Static<typeof Ende>

export const Eier = exactly({
  eier: Part,
  direkteProsent: Prosent('Andel eid direkte. null: eier ikke direkte, eller andelen lar seg ikke bestemme.'),
  effektivProsent: Prosent(
    'Direkte og gjennom andre til sammen, så langt det lar seg regne ut. null: lar seg ikke bestemme, aldri 0.',
  ),
  ledd: Type.Integer({ minimum: 1, description: '1 er direkte eier; korteste vei når det er flere.' }),
  ende: Ende,
})
export type Eier = Static<typeof Eier>

export const Mellomledd = exactly({
  foretak: Part,
  direkteProsent: Eier.properties.direkteProsent,
  effektivProsent: Prosent('I en sirkel telles den samme andelen én gang, ikke én gang for hver runde.'),
  ledd: Type.Integer({ minimum: 1 }),
})
export type Mellomledd = Static<typeof Mellomledd>

export const Eierforhold = exactly({
  eier: Part,
  eid: Foretaksreferanse,
  aksjer: Type.Integer({ minimum: 0 }),
  prosent: Prosent('Av alle aksjene i det eide foretaket, egne aksjer medregnet.'),
})
export type Eierforhold = Static<typeof Eierforhold>

export const Oppover = exactly({
  aksjebok: exactly({ aksjerTotalt: orNull(Antall), aksjerSum: Antall, innehavere: Antall }),
  eiere: Type.Array(Eier, { description: 'Der kjedene ender, størst effektiv andel først.' }),
  mellomledd: Type.Array(Mellomledd, { description: 'Foretakene kjedene går gjennom.' }),
  ovrige: exactly(
    { prosent: Prosent('Effektiv andel hos eiere som er for små til å nevnes.'), antall: Antall },
    {
      description: 'antall er innehavere i de aksjebøkene som er lest; den samme kan være talt flere ganger.',
    },
  ),
  egneProsent: Prosent('Ender i aksjer foretak i kjeden eier i seg selv.'),
  uoppgittProsent: Prosent('Aksjer det ikke er oppgitt noen innehaver til.'),
  ubestemtProsent: Prosent(
    'Ender i aksjebøker uten brukbart totaltall, eller i sirkler ingen utenfor eier noe av.',
  ),
  ledd: Type.Array(exactly({ ledd: Type.Integer({ minimum: 1 }), forhold: Type.Array(Eierforhold) }), {
    description: 'Eierforholdene ledd for ledd: ledd 1 er foretakets egne eiere, ledd 2 deres eiere.',
  }),
  kontrollkjede: exactly(
    {
      ledd: Type.Array(Eierforhold),
      konsernspiss: orNull(Foretaksreferanse),
      ende: oneOf([...endepunkter, 'ingen_over_halvparten'], 'Hvorfor kjeden ender der den gjør.'),
    },
    {
      description:
        'Fra foretaket og oppover så lenge én eier har mer enn halvparten. konsernspiss: det øverste foretaket, offentlige eiere unntatt.',
    },
  ),
  avkortet: Type.Boolean(),
})
export type Oppover = Static<typeof Oppover>

export const Eid = exactly({
  organisasjonsnummer: Tekst,
  navn: orNull(Tekst),
  eier: Type.String({ description: 'Organisasjonsnummeret til det foretaket i gruppen som eier andelen.' }),
  aksjer: Type.Integer({ minimum: 0 }),
  prosent: Prosent('Andelen eier har direkte.'),
  ledd: Type.Integer({ minimum: 1 }),
})
export type Eid = Static<typeof Eid>

export const Nedover = exactly({
  datterselskap: Type.Array(Eid, { description: 'Mer enn halvparten av aksjene, ledd for ledd.' }),
  tilknyttede: Type.Array(Eid, {
    description: '20 til og med 50 prosent hos foretaket eller et datterselskap; følges ikke videre.',
  }),
  avkortet: Type.Boolean(),
})
export type Nedover = Static<typeof Nedover>

export const EierI = exactly(
  {
    antall: Type.Integer({ minimum: 0, description: 'Alle, også de som ikke er vist.' }),
    andeler: Type.Array(
      exactly({
        organisasjonsnummer: Tekst,
        navn: orNull(Tekst),
        aksjer: Type.Integer({ minimum: 0 }),
        prosent: Prosent('null: foretakets aksjebok er uten brukbart totaltall.'),
      }),
    ),
  },
  { description: 'Det foretaket selv eier aksjer i, størst andel først.' },
)
export type EierI = Static<typeof EierI>

export const Eierskap = exactly({
  organisasjonsnummer: Tekst,
  navn: orNull(Tekst),
  aar: Type.Integer(),
  gjelderPer: Dato,
  harAksjebok: Type.Boolean({
    description:
      'false: foretaket står ikke som aksjeselskap i registeret dette året. Hvem som eier det, er da ikke kjent, og oppover er null.',
  }),
  oppover: orNull(Oppover),
  nedover: orNull(Nedover),
  eierI: orNull(EierI),
  flagg: exactly({
    avkortet: Type.Boolean({ description: 'En grense stanset letingen: det kan være mer.' }),
    sirkulaer: Type.Boolean({ description: 'Foretak i svaret eier hverandre, rundt eller på kryss.' }),
    ubestemt: Type.Boolean({ description: 'Minst én andel lar seg ikke bestemme og står som null.' }),
    justert: Type.Boolean({
      description: 'Minst én aksjebok har 100–150 % av aksjene fordelt; andelene er skalert til 100 %.',
    }),
  }),
  regel: exactly({ effektiv: Tekst, kontroll: Tekst, konsern: Tekst, terskelProsent: Type.Number() }),
  forbehold: Tekst,
})
export type Eierskap = Static<typeof Eierskap>

export const regler = {
  effektiv:
    'Effektiv andel er summen over alle kjeder av produktet av andelene i hvert ledd. Egne aksjer teller med i totalen, men gir ingen eier noe.',
  kontroll: 'Mer enn 50 % av aksjene hos én eier i hvert ledd; produktet av andelene brukes ikke.',
  konsern:
    'Datterselskap: mer enn 50 % hos ett foretak i gruppen. Tilknyttet: 20 til og med 50 %. Offentlige eiere regnes ikke som konsernspiss.',
}

export const ownershipForbehold =
  'Andelene gjelder aksjer, ikke stemmer: registeret viser ikke stemmerett, aksjonæravtaler eller reelle rettighetshavere. ' +
  'Beholdningen er den selskapene selv oppga per 31. desember. Personer kjennes igjen på navn og fødselsår, og to personer kan ha samme.'

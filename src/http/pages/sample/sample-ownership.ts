import { type Eierskap, forbehold, type Part, regler } from '#src/record/eierskap/eierskap.ts'

export const SAMPLE_NUMBER = '901012121'
export const SAMPLE_NAME = 'TINDEVÅG SJØMAT AS'

const holding = company('901001014', 'TINDEVÅG HOLDING AS')
const capital = company('901212120', 'KYSTKAPITAL NORD AS')
const leader = person('p1', 'Åshild Øvrebø', 1968)
const deputy = person('p2', 'Bjørn Sæther', 1971)
const member = person('p3', 'Ánte Máhtte Gaup', 1980)
const investor = person('p4', 'Ingeborg Viken', 1963)
const municipality: Part = {
  ...person('k1', 'TINDEVÅG KOMMUNE', 0),
  type: 'offentlig',
  fodselsaar: null,
  organisasjonsnummer: '901223238',
}

const self = { organisasjonsnummer: SAMPLE_NUMBER, navn: SAMPLE_NAME }
const held = (part: Part) => ({ organisasjonsnummer: part.organisasjonsnummer ?? '', navn: part.navn })

/** An invented group: a family behind a holding company, an investor who is in at two levels, and three companies below. */
export const sampleOwnership: Eierskap = {
  organisasjonsnummer: SAMPLE_NUMBER,
  navn: SAMPLE_NAME,
  aar: 2025,
  gjelderPer: '2025-12-31',
  oppover: {
    aksjebok: { aksjerTotalt: 24_000, aksjerSum: 24_000, innehavere: 17 },
    eiere: [
      { eier: leader, direkteProsent: null, effektivProsent: 36.3, ledd: 2, ende: 'endelig' },
      { eier: member, direkteProsent: null, effektivProsent: 18.72, ledd: 2, ende: 'endelig' },
      { eier: deputy, direkteProsent: null, effektivProsent: 16.5, ledd: 2, ende: 'endelig' },
      { eier: investor, direkteProsent: null, effektivProsent: 12.48, ledd: 2, ende: 'endelig' },
      { eier: municipality, direkteProsent: 10, effektivProsent: 10, ledd: 1, ende: 'offentlig' },
    ],
    mellomledd: [
      { foretak: holding, direkteProsent: 66, effektivProsent: 66, ledd: 1 },
      { foretak: capital, direkteProsent: 18, effektivProsent: 31.2, ledd: 1 },
    ],
    ovrige: { prosent: 6, antall: 14 },
    egneProsent: 0,
    uoppgittProsent: 0,
    ubestemtProsent: 0,
    ledd: [
      {
        ledd: 1,
        forhold: [
          { eier: holding, eid: self, aksjer: 15_840, prosent: 66 },
          { eier: capital, eid: self, aksjer: 4_320, prosent: 18 },
          { eier: municipality, eid: self, aksjer: 2_400, prosent: 10 },
        ],
      },
      {
        ledd: 2,
        forhold: [
          { eier: leader, eid: held(holding), aksjer: 550, prosent: 55 },
          { eier: deputy, eid: held(holding), aksjer: 250, prosent: 25 },
          { eier: capital, eid: held(holding), aksjer: 200, prosent: 20 },
          { eier: member, eid: held(capital), aksjer: 6_000, prosent: 60 },
          { eier: investor, eid: held(capital), aksjer: 4_000, prosent: 40 },
        ],
      },
    ],
    kontrollkjede: {
      ledd: [
        { eier: holding, eid: self, aksjer: 15_840, prosent: 66 },
        { eier: leader, eid: held(holding), aksjer: 550, prosent: 55 },
      ],
      konsernspiss: held(holding),
      ende: 'endelig',
    },
    avkortet: false,
  },
  nedover: {
    datterselskap: [
      owned('901234345', 'TINDEVÅG FRYSERI AS', 1_000, 100),
      owned('901245452', 'NORDHAVN LOGISTIKK AS', 5_100, 51),
    ],
    tilknyttede: [owned('901256578', 'HAVGAP BRØNNBÅT AS', 3_400, 34)],
    avkortet: false,
  },
  eierI: {
    antall: 3,
    andeler: [
      owned('901234345', 'TINDEVÅG FRYSERI AS', 1_000, 100),
      owned('901245452', 'NORDHAVN LOGISTIKK AS', 5_100, 51),
      owned('901256578', 'HAVGAP BRØNNBÅT AS', 3_400, 34),
    ].map(({ eier: _eier, ledd: _ledd, ...andel }) => andel),
  },
  flagg: { avkortet: false, sirkulaer: false, ubestemt: false, justert: false },
  regel: { ...regler, terskelProsent: 0.5 },
  forbehold,
}

function company(organisasjonsnummer: string, navn: string): Part {
  return {
    id: organisasjonsnummer,
    type: 'foretak',
    navn,
    organisasjonsnummer,
    fodselsaar: null,
    landkode: 'NO',
    skjult: false,
  }
}

function person(id: string, navn: string, fodselsaar: number): Part {
  return {
    id,
    type: 'person',
    navn,
    organisasjonsnummer: null,
    fodselsaar,
    landkode: 'NO',
    skjult: false,
  }
}

function owned(organisasjonsnummer: string, navn: string, aksjer: number, prosent: number) {
  return { organisasjonsnummer, navn, eier: SAMPLE_NUMBER, aksjer, prosent, ledd: 1 }
}

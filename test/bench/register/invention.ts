import { adresseJson } from '#src/samples/shapes/enhet.ts'
import { randomFrom } from '../../support/random.ts'

export type Invention = ReturnType<typeof createInvention>

export type Person = { fornavn: string; etternavn: string; fodselsdato: string }

/** Invented words and numbers, the same ones each time for the same seed (`randomFrom`). */
export function createInvention(seed: number) {
  const chance = randomFrom(seed)

  const whole = (least: number, most: number) => least + Math.floor(chance() * (most - least + 1))
  const one = <T>(of: readonly T[]): T => {
    const chosen = of[whole(0, of.length - 1)]
    if (chosen === undefined) throw new Error('nothing to choose from')
    return chosen
  }
  const two = (number: number) => String(number).padStart(2, '0')
  const date = (fromYear: number, toYear: number) =>
    `${whole(fromYear, toYear)}-${two(whole(1, 12))}-${two(whole(1, 28))}`
  const surname = () => one(FIRST_HALVES) + one(SECOND_HALVES)

  return {
    chance,
    whole,
    date,
    surname,

    person(): Person {
      const isDouble = chance() < 0.3
      const fornavn = isDouble ? `${one(GIVEN)} ${one(GIVEN)}` : one(GIVEN)
      return { fornavn, etternavn: surname(), fodselsdato: date(1944, 2004) }
    },

    companyName: () => `${surname()} ${one(TRADES)}`.toUpperCase(),

    address() {
      const [poststed, kommune, nummer] = one(PLACES)
      const street = `${one(FIRST_HALVES)}${one(STREETS)} ${whole(1, 180)}`
      return adresseJson(String(whole(1000, 9990)), poststed, [nummer, kommune], street)
    },

    /** Lines of about 70 characters, as the register breaks them. */
    purpose(sentences: number): string[] {
      const text = Array.from(
        { length: sentences },
        () => `${one(DOINGS)} ${one(THINGS)} ${one(WAYS)}.`,
      ).join(' ')
      return text.match(/.{1,70}(?:\s|$)/g)?.map((line) => line.trim()) ?? [text]
    },

    industry: () => one(INDUSTRIES),
    announcement: () => one(ANNOUNCEMENTS),
    /** Spread over five orders of magnitude, as turnovers are. */
    amount: () => Math.round(10 ** (4 + chance() * 5)),
  }
}

const GIVEN = (
  'Anne Bjørn Cecilie Dag Eirik Frøydis Geir Hilde Ingrid Jon Kari Lars Marit Nils Oddvar Per Ragnhild Siri Terje Unni ' +
  'Vidar Wenche Yngve Åse Øystein Emma Jakob Mohammed Olivia Piotr Sunniva Tuva Aksel Birgit Elin Fatima Gunnar Håkon'
).split(' ')
const FIRST_HALVES = (
  'Ask Berg Bjørk Dal Eik Fjell Foss Furu Grind Gull Hau Hegg Høy Kirke Klepp Kvern Lang Lund Lyng Mo Nord Osp Rogn ' +
  'Sand Selje Skog Sol Stor Sund Vik'
).split(' ')
const SECOND_HALVES =
  'aas bakken berg bø dal eide engen gård haug heim land lien moen nes rud set stad sveen vold øy'.split(' ')
const STREETS = 'veien gata svingen bakken stien kroken åsen vegen'.split(' ')
const TRADES =
  'Eiendom Invest Bygg Transport Konsult Regnskap Holding Elektro Rør Maskin Catering Fisk Data Design Helse Auto'.split(
    ' ',
  )
const PLACES: [poststed: string, kommune: string, kommunenummer: string][] = [
  ['OSLO', 'OSLO', '0301'],
  ['BERGEN', 'BERGEN', '4601'],
  ['TRONDHEIM', 'TRONDHEIM', '5001'],
  ['SANDNES', 'SANDNES', '1108'],
  ['RAUFOSS', 'VESTRE TOTEN', '3443'],
  ['ØRSTA', 'ØRSTA', '1520'],
  ['SORTLAND', 'SORTLAND', '1870'],
  ['KONGSVINGER', 'KONGSVINGER', '3401'],
  ['GRIMSTAD', 'GRIMSTAD', '4202'],
  ['HORTEN', 'HORTEN', '3901'],
  ['STEINKJER', 'STEINKJER', '5006'],
  ['VADSØ', 'VADSØ', '5607'],
  ['NOTODDEN', 'NOTODDEN', '4005'],
  ['SANDVIKA', 'BÆRUM', '3201'],
]
const DOINGS = ['Kjøp og salg av', 'Utleie av', 'Produksjon av', 'Rådgivning om', 'Drift av', 'Utvikling av']
const THINGS = [
  'fast eiendom',
  'anleggsmaskiner',
  'dataprogrammer',
  'sjømat',
  'trelast',
  'klær og sko',
  'serveringssteder',
  'treningssentre',
  'landbruksutstyr',
  'fritidsbåter',
]
const WAYS = [
  'og alt som naturlig hører sammen med dette',
  'i egen regi eller gjennom deltakelse i andre selskaper',
  'i Norge og i utlandet',
  'for bedrifter og privatpersoner',
  'samt investering i verdipapirer',
]
const INDUSTRIES = [
  { kode: '68.200', beskrivelse: 'Utleie og drift av egen eller leid fast eiendom' },
  { kode: '41.000', beskrivelse: 'Oppføring av bygninger' },
  { kode: '64.210', beskrivelse: 'Aktiviteten til holdingselskaper' },
  { kode: '70.200', beskrivelse: 'Bedriftsrådgivning og annen administrativ rådgivning' },
  { kode: '49.410', beskrivelse: 'Godstransport på vei' },
  { kode: '62.100', beskrivelse: 'Programmeringstjenester' },
  { kode: '43.210', beskrivelse: 'Elektrisk installasjonsarbeid' },
  { kode: '56.110', beskrivelse: 'Restaurantvirksomhet' },
  { kode: '03.111', beskrivelse: 'Hav- og kystfiske' },
  { kode: '86.950', beskrivelse: 'Fysioterapitjenester' },
  { kode: '96.210', beskrivelse: 'Frisørtjenester' },
  { kode: '01.410', beskrivelse: 'Melkeproduksjon på storfe' },
  { kode: '94.991', beskrivelse: 'Aktiviteter i andre interesseorganisasjoner' },
  { kode: '93.120', beskrivelse: 'Idrettslag og -klubber' },
]
const ANNOUNCEMENTS = [
  'Endring av styre',
  'Endring av revisor',
  'Endring av forretningsadresse',
  'Godkjente årsregnskap',
  'Endring av daglig leder',
  'Kapitalforhøyelse',
]

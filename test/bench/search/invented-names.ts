import { type Random, randomFrom } from '../../support/random.ts'

/** Invented names with the register's own habits: forms, common words, surnames from farms, names that many share. */

const of = (text: string) => text.split(' ')
export const places = of(
  'OSLO BERGEN TRONDHEIM STAVANGER TROMSØ DRAMMEN FREDRIKSTAD KRISTIANSAND SANDNES SARPSBORG BODØ ÅLESUND ARENDAL HAUGESUND TØNSBERG MOSS SANDEFJORD HAMAR LILLEHAMMER MOLDE HARSTAD NARVIK ALTA GJØVIK HALDEN KONGSBERG HORTEN LARVIK SKIEN PORSGRUNN LEVANGER STEINKJER NAMSOS VOSS ODDA STORD FØRDE FLORØ ÅNDALSNES KRISTIANSUND RØROS ELVERUM KONGSVINGER JESSHEIM LILLESTRØM SKI ÅS DRØBAK ASKER SANDVIKA LIER RINGERIKE GRIMSTAD MANDAL FARSUND FLEKKEFJORD EGERSUND BRYNE JÆREN RANDABERG SOLA KARMØY SVOLVÆR LEKNES FINNSNES HAMMERFEST VADSØ KIRKENES MAJORSTUEN ULLEVÅL FROGNER',
)
const givenNames = of(
  'OLA KARI PER ANNE LARS INGRID JAN BERIT ERIK TINE KNUT SOLVEIG ODD BJØRN LIV ARNE MARIT SVEIN HILDE TOR NINA GEIR RANDI TERJE UNNI HANS ASTRID MORTEN TONE KJELL ELSE TROND GRETHE RUNE SIV ØYVIND MONA ANDERS HEIDI THOMAS LENE MARTIN CAMILLA JONAS IDA EMIL NORA LUKAS SARA MOHAMMED AISHA KRZYSZTOF AGNIESZKA TOMASZ ANNA',
)
const heads = of(
  'NORD SØR ØST VEST HAUG BERG DAL LUND MO SAND STEN STOR LITLE BREI HØG LANG KVER NES VIK FAGER GRØN SOL MYR SKOG FOSS ELVE BEKKE TVEIT RØD SVART HVIT KLOKKER PREST BISP KONG DRONNING ROS EIK BJØRKE FURU GRAN OSP RAUDE TJØNN VATNE SJØ FJELL ÅS HOLM ØY STRAND HAMMAR SKJER GULL SØLV JARN KVIT ULV BJØRN REV HJORTE ELG HEST SAU GEIT LAM FUGL ØRN FALK HAUK RAVN',
)
const tails = of(
  'LAND STAD VIK NES BAKKEN RUD SETH HEIM DAL LIEN MOEN HAUGEN BERG BERGET BØ GÅRD GÅRDEN VOLL VOLLEN ÅS ÅSEN SUND FJORD ELV HOLM HOLMEN ENG ENGEN MARK HAGEN TVEIT RØD STØL LØKKEN NESET STRAND SKOG SLETTEN TORP ERUD ERSEN STRØM HUS BU SKAR EIDE',
)
const patronyms = of(
  'HANSEN JOHANSEN OLSEN LARSEN ANDERSEN PEDERSEN NILSEN KRISTIANSEN JENSEN KARLSEN JOHNSEN PETTERSEN ERIKSEN BERG HAUGEN HAGEN JOHANNESSEN ANDREASSEN JACOBSEN DAHL JØRGENSEN HALVORSEN HENRIKSEN LUND SØRENSEN JAKOBSEN MOEN GUNDERSEN IVERSEN STRAND SOLBERG MARTINSEN SVENDSEN EIDE BAKKEN HOLM SOLHEIM LIE NGUYEN',
)
const trades = of(
  'EIENDOM HOLDING INVEST BYGG TRANSPORT CONSULTING SERVICE RØRLEGGERSERVICE ELEKTRO REGNSKAP RENHOLD TAXI FRISØR RESTAURANT KAFE BILVERKSTED MASKIN ENTREPRENØR ARKITEKTER ADVOKATFIRMA TANNLEGE FYSIOTERAPI BARNEHAGE GÅRD SAG FISK SJØMAT LAKS HAVBRUK REKLAME DATA SOFTWARE TEKNOLOGI DESIGN FOTO FORLAG MUSIKK TEATER HOTELL CAMPING REISER SPORT KLÆR SKO OPTIKK APOTEK HELSE MØBLER INTERIØR BLOMSTER HAGE MALER TØMRER SNEKKER TAK VARME SOLENERGI KRAFT VIND SHIPPING REDERI OFFSHORE MARINE INDUSTRI MEKANISKE VERKSTED PRODUKSJON HANDEL IMPORT AGENTUR ENGROS DAGLIGVARE BAKERI KJØTT UTLEIE UTVIKLING PROSJEKT FORVALTNING KAPITAL FINANS FORSIKRING BEMANNING REKRUTTERING KURS SKOLE MEDIA TV VENTURES PARTNERS NÆRING NÆRINGSBYGG TOMT BOLIG BOLIGUTVIKLING TRAFIKKSKOLE GRAVESERVICE',
)
const onsets = of('b br d dr f fl fr g gr h j k kl kr l m n p pl pr r s sk sl sn sp st str t tr v x z')
const vowels = of('a e i o u y ø å ei au ia io')
const codas = ['', '', '', 'n', 'r', 's', 'l', 'm', 't', 'x', 'nd', 'rt', 'ks']

function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T
}

/** A few are in many names and most in few, as words are. */
function skewed<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(list.length * random() ** 2.6)] as T
}

export function surname(random: Random): string {
  return random() < 0.4 ? skewed(random, patronyms) : pick(random, heads) + pick(random, tails)
}

export function brandWord(random: Random): string {
  let word = ''
  const syllables = 2 + Math.floor(random() * 2)
  for (let index = 0; index < syllables; index += 1)
    word += pick(random, onsets) + pick(random, vowels) + (index + 1 === syllables ? pick(random, codas) : '')
  return word.toUpperCase()
}

export const place = (random: Random) => skewed(random, places)
const trade = (random: Random) => skewed(random, trades)

/** The register's forms, each with its share of the units. */
const forms: readonly [string, number][] = [
  ['ENK', 0.4],
  ['AS', 0.365],
  ['FLI', 0.1],
  ['NUF', 0.025],
  ['ORGL', 0.025],
  ['ESEK', 0.022],
  ['BRL', 0.012],
  ['DA', 0.012],
  ['ANS', 0.01],
  ['KBO', 0.007],
  ['STI', 0.007],
  ['SA', 0.004],
  ['IKS', 0.0003],
  ['KF', 0.0003],
  ['ASA', 0.0002],
]

export function form(random: Random): string {
  let left = random()
  for (const [code, share] of forms) {
    left -= share
    if (left < 0) return code
  }
  return 'AS'
}

export function nameOf(random: Random, code: string): string {
  const kind = random()
  switch (code) {
    case 'ENK':
      if (kind < 0.45) return `${pick(random, givenNames)} ${surname(random)}`
      if (kind < 0.6) return `${surname(random)} ${trade(random)}`
      if (kind < 0.8) return `${brandWord(random)} ${pick(random, givenNames)} ${surname(random)}`
      return `${trade(random)} ${pick(random, givenNames)} ${surname(random)}`
    case 'FLI':
      return `${kind < 0.5 ? place(random) : surname(random)} ${pick(random, of('IDRETTSLAG VELFORENING SANITETSFORENING KORPS SPORTSKLUBB HISTORIELAG VENNELAG KLUBB PENSJONISTFORENING BÅTFORENING'))}`
    case 'BRL':
    case 'ESEK':
      return `${surname(random)} ${code === 'BRL' ? 'BORETTSLAG' : 'SAMEIE'} ${1 + Math.floor(random() * 40)}`
    case 'ORGL':
      return `${place(random)} KOMMUNE ${pick(random, of('HELSE SKOLE BARNEHAGER TEKNISK KULTUR OMSORG BARNEVERN EIENDOM RENHOLD OPPVEKST'))} ${surname(random)}`
    case 'KBO':
      return `${surname(random)} ${trade(random)} AS KONKURSBO`
    case 'STI':
      return `STIFTELSEN ${surname(random)}`
    default:
      return `${company(random, kind)} ${code}`
  }
}

function company(random: Random, kind: number): string {
  if (kind < 0.25) return `${surname(random)} ${trade(random)}`
  if (kind < 0.35) return `${place(random)} ${trade(random)}`
  if (kind < 0.42) return `${trade(random)} ${place(random)}`
  if (kind < 0.6) return brandWord(random)
  if (kind < 0.75) return `${brandWord(random)} ${trade(random)}`
  if (kind < 0.8) return `${surname(random)} & ${surname(random)}`
  if (kind < 0.85) return `NORSK ${trade(random)} ${brandWord(random)}`
  if (kind < 0.89) return `${brandWord(random)} NORGE`
  if (kind < 0.93)
    return `${pick(random, heads)}VEIEN ${1 + Math.floor(random() * 200)} ${pick(random, of('EIENDOM HOLDING NÆRING'))}`
  if (kind < 0.96) return `${String.fromCharCode(65 + random() * 26, 65 + random() * 26)} ${trade(random)}`
  return `${brandWord(random)} ${brandWord(random)}`
}

const chains = Array.from({ length: 400 }, (_, index) => brandWord(randomFrom(9000 + index)))

/** The sign over a door: mostly the company's own name, now and then a chain's. */
export function signOf(random: Random, parent: string): string {
  const kind = random()
  if (kind < 0.72) return parent
  if (kind < 0.88) return `${parent} AVD ${place(random)}`
  return kind < 0.94 ? `${skewed(random, chains)} ${place(random)}` : `${brandWord(random)} ${place(random)}`
}

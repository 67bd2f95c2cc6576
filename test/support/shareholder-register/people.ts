import type { Chance } from './chance.ts'

const FIRST =
  'ANNE INGER KARI MARIT INGRID LIV EVA BERIT ASTRID BJØRG HILDE ANNA SOLVEIG MARIANNE RANDI IDA NINA MARIA ELISABETH KRISTIN ' +
  'BENTE HEIDI SILJE HANNE LINDA TONE GERD WENCHE ELIN ANITA TOVE CAMILLA JAN PER BJØRN OLE LARS KJELL KNUT SVEIN ARNE THOMAS ' +
  'HANS GEIR TOR MORTEN TERJE ODD ERIK MARTIN ANDREAS JOHN ANDERS RUNE TROND TORE DANIEL JON KRISTIAN MARIUS TOM HARALD'
const LAST =
  'HANSEN JOHANSEN OLSEN LARSEN ANDERSEN PEDERSEN NILSEN KRISTIANSEN JENSEN KARLSEN JOHNSEN PETTERSEN ERIKSEN BERG HAUGEN HAGEN ' +
  'JOHANNESSEN ANDREASSEN JACOBSEN DAHL JØRGENSEN HALVORSEN HENRIKSEN LUND SØRENSEN JAKOBSEN MOEN GUNDERSEN IVERSEN STRAND ' +
  'SOLBERG SVENDSEN EIDE KNUTSEN MARTINSEN PAULSEN BAKKEN KRISTOFFERSEN MATHISEN LIE AMUNDSEN NGUYEN RASMUSSEN SOLHEIM LUNDE ' +
  'MOE NYGÅRD BAKKE KRISTENSEN FREDRIKSEN HOLM HOLMEN TANGEN SANDVIK BREKKE NESS AAS ØDEGÅRD FOSS MYHRE'
const PLACE =
  '0484 OSLO;5003 BERGEN;7010 TRONDHEIM;4006 STAVANGER;9008 TROMSØ;1925 BLAKER;3015 DRAMMEN;4611 KRISTIANSAND S;' +
  '6002 ÅLESUND;8006 BODØ;2408 ELVERUM;1606 FREDRIKSTAD;3110 TØNSBERG;2609 LILLEHAMMER;9510 ALTA;5525 HAUGESUND'

const first = FIRST.split(' ')
const last = LAST.split(' ')
const places = PLACE.split(';')

/** People in their tens, twenties and so on, as they were among those who owned shares in 2016 (SSB), both sexes. */
const AGES: readonly [from: number, to: number, people: number][] = [
  [1, 19, 9454],
  [20, 29, 42864],
  [30, 39, 93230],
  [40, 49, 136864],
  [50, 59, 140949],
  [60, 69, 122045],
  [70, 79, 74912],
  [80, 95, 31409],
]
const PEOPLE = AGES.reduce((sum, [, , people]) => sum + people, 0)

type Person = { navn: string; fodselsaar: number; sted: string }

/** One of a pool of people; the same number is the same person in every year. */
export function personOf(number: number, chance: Chance): Person {
  const given = first[Math.floor(chance(number, 1) * first.length)] ?? ''
  const middle = chance(number, 2) < 0.35 ? ` ${last[Math.floor(chance(number, 3) * last.length)]}` : ''
  const family = last[Math.floor(chance(number, 4) * last.length)] ?? ''
  return {
    navn: `${given}${middle} ${family}`,
    fodselsaar: 2016 - ageOf(chance(number, 5)),
    sted: placeOf(chance(number, 6)),
  }
}

export function placeOf(share: number): string {
  return places[Math.floor(share * places.length)] ?? ''
}

function ageOf(share: number): number {
  let rest = share * PEOPLE
  for (const [from, to, people] of AGES) {
    if (rest < people) return from + Math.floor((rest / people) * (to - from + 1))
    rest -= people
  }
  return 50
}

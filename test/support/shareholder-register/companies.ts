import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Chance } from './chance.ts'

/** Companies with shareholders at each year's end: SSB's counts, and a straight line between them. */
const COUNTS: readonly [year: number, companies: number][] = [
  [2002, 118_000],
  [2005, 156_906],
  [2006, 180_405],
  [2007, 193_591],
  [2010, 206_130],
  [2018, 315_044],
  [2020, 341_787],
  [2024, 395_045],
  [2030, 425_000],
]

/** How many companies have so many holders, in per cent: SSB's tables of 2006 and 2011 (at 1 January), and six of ten today. */
const CLASSES = [
  { from: 1, to: 1, in2005: 48.6, in2010: 56.3, in2025: 60.0 },
  { from: 2, to: 2, in2005: 24.5, in2010: 21.1, in2025: 19.3 },
  { from: 3, to: 4, in2005: 17.7, in2010: 14.8, in2025: 13.4 },
  { from: 5, to: 9, in2005: 6.2, in2010: 5.1, in2025: 4.65 },
  { from: 10, to: 19, in2005: 1.43, in2010: 1.22, in2025: 1.12 },
  { from: 20, to: 49, in2005: 0.84, in2010: 0.72, in2025: 0.66 },
  { from: 50, to: 99, in2005: 0.33, in2010: 0.3, in2025: 0.28 },
  { from: 100, to: 120_000, in2005: 0.43, in2010: 0.37, in2025: 0.35 },
] as const

/** The holders of the one that has most: what is told of the largest listed companies. */
const GIANT_HOLDERS = 120_000

/** Of the tail's power law: gives 1,423 holders on average between 100 and 120,000, as in 2010. */
const TAIL_EXPONENT = 0.76

/** @param scale 1 is the whole register; 0.001 a thousandth of it */
export function companyCount(aar: number, scale: number): number {
  const after = COUNTS.findIndex(([year]) => year >= aar)
  const [toYear, to] = COUNTS[after === -1 ? COUNTS.length - 1 : after] ?? [0, 0]
  const [fromYear, from] = COUNTS[Math.max(0, after - 1)] ?? [0, 0]
  const share = toYear === fromYear ? 1 : (aar - fromYear) / (toYear - fromYear)
  return Math.max(1, Math.round((from + (to - from) * share) * scale))
}

/** So many numbers with a right check digit, from a series no register has given out. */
export function companyNumbers(count: number): Int32Array {
  const numbers = new Int32Array(count)
  for (let found = 0, stem = 10_000_000; found < count; stem++) {
    const digit = checkDigit(stem)
    if (digit < 10) numbers[found++] = stem * 10 + digit
  }
  if (!isOrganisasjonsnummer(String(numbers[0]))) throw new Error('the check digit is computed wrongly')
  return numbers
}

function checkDigit(stem: number): number {
  let rest = stem
  let sum = 0
  for (const weight of [2, 3, 4, 5, 6, 7, 2, 3]) {
    sum += (rest % 10) * weight
    rest = Math.floor(rest / 10)
  }
  return (11 - (sum % 11)) % 11
}

/** How many holders a company has at that year's end. Small companies keep their number for ten years or so. */
export function holderCount(company: number, aar: number, chance: Chance, scale: number): number {
  if (company === 0) return Math.max(200, Math.round(GIANT_HOLDERS * Math.min(1, scale * 10)))
  const era = Math.floor((aar + chance(company, 11) * 10) / 10)
  let rest = chance(company, 12, era) * 100
  for (const each of CLASSES) {
    const share = between(aar, each)
    if (rest < share) return withinClass(each, chance(company, 13, era), chance(company, 14, aar))
    rest -= share
  }
  return 1
}

function between(aar: number, { in2005, in2010, in2025 }: (typeof CLASSES)[number]): number {
  if (aar <= 2005) return in2005
  if (aar <= 2010) return in2005 + ((in2010 - in2005) * (aar - 2005)) / 5
  return in2010 + ((in2025 - in2010) * Math.min(15, aar - 2010)) / 15
}

function withinClass({ from, to }: (typeof CLASSES)[number], where: number, wobble: number): number {
  if (from < 100) return from + Math.floor(where * (to - from + 1))
  const least = from ** -TAIL_EXPONENT
  const most = to ** -TAIL_EXPONENT
  const steady = (least - where * (least - most)) ** (-1 / TAIL_EXPONENT)
  return Math.min(to, Math.max(from, Math.round(steady * (0.95 + wobble / 10))))
}

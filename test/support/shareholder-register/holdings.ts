import type { Chance } from './chance.ts'
import { holderCount } from './companies.ts'

/** Who holds a row: the number of a person or of a company, or a foreigner without any identifier. */
type Holder = { kind: 'person' | 'company' | 'foreign'; number: number }
export type Holding = { holder: Holder; shares: number }
export type Book = { company: number; total: number; holdings: Holding[] }

export type World = { chance: Chance; companies: number; people: number; scale: number }

/** Every so many companies a chain of ten begins, a pair owns each other, a company owns some of itself. */
const CHAIN_EVERY = 5000
export const CHAIN_LENGTH = 10
const CIRCLE_EVERY = 4001
const SELF_EVERY = 997

const TOTALS = [100, 100, 300, 1000, 1000, 10_000, 30_000, 100_000, 1_000_000]

/** One company's holders at the end of a year. About one in eight is another one than the year before. */
export function bookOf(company: number, aar: number, world: World): Book {
  const { chance } = world
  const count = holderCount(company, aar, chance, world.scale)
  const total = Math.max(TOTALS[Math.floor(chance(company, 21) * TOTALS.length)] ?? 100, count * 1000)
  const special = specialHolders(company, world)
  const size = Math.max(count, special.length)
  const weights = weightsOf(company, aar, size, chance)
  const shares = split(total, weights)
  const holdings = shares.map((each, slot) => ({
    holder: special[slot] ?? holderOf(company, slot, aar, size, world),
    shares: each,
  }))
  if (company % SELF_EVERY === 5 && size > 1) {
    const last = holdings.at(-1)
    if (last !== undefined) last.holder = { kind: 'company', number: company }
  }
  return { company, total, holdings }
}

/** The first holders of a company in a chain or a circle are its next ones. */
function specialHolders(company: number, { companies }: World): Holder[] {
  const inChain = company % CHAIN_EVERY
  if (inChain >= 10 && inChain < 10 + CHAIN_LENGTH && company + 1 < companies) {
    return [{ kind: 'company', number: company + 1 }]
  }
  const inCircle = company % CIRCLE_EVERY
  if (inCircle === 50 && company + 1 < companies) return [{ kind: 'company', number: company + 1 }]
  if (inCircle === 51) return [{ kind: 'company', number: company - 1 }]
  return []
}

/** Persons alone hold 55 of 100 companies, enterprises alone 30, both 10; among many holders one in six is no person. */
function holderOf(company: number, slot: number, aar: number, size: number, world: World): Holder {
  const { chance, companies, people } = world
  const tenure = size >= 100 ? 5 : 9
  const since = Math.floor((aar + chance(company, slot, 31) * tenure) / tenure)
  const kindOfCompany = chance(company, 32)
  const draw = chance(company, slot, since, 33)
  const isEnterprise = size >= 20 ? draw < 0.13 : enterprises(kindOfCompany, draw)
  const isForeign = chance(company, slot, since, 34) < (size >= 20 ? 0.05 : 0.03)
  const number = chance(company, slot, since, 35)
  if (isForeign) return { kind: 'foreign', number: Math.floor(number * 60_000) }
  // Owners come later in the list than what they own: what goes round in a circle is put there, not met by chance.
  if (isEnterprise && company + 1 < companies) {
    return { kind: 'company', number: company + 1 + Math.floor(number * (companies - company - 1)) }
  }
  return { kind: 'person', number: Math.floor(number * people) }
}

function enterprises(kindOfCompany: number, draw: number): boolean {
  if (kindOfCompany < 0.57) return false
  return kindOfCompany < 0.88 ? true : draw < 0.5
}

/** As SSB found the stakes in 2010: halves where there are two, thirds and quarters often, many small ones beside a few. */
function weightsOf(company: number, aar: number, count: number, chance: Chance): Float64Array {
  const weights = new Float64Array(count)
  const kind = chance(company, 41)
  if (count === 2) {
    const share =
      kind < 0.506 ? 0.5 : kind < 0.8 ? 0.5 + chance(company, 42) * 0.24 : 0.76 + chance(company, 43) * 0.23
    weights[0] = share
    weights[1] = 1 - share
    return weights
  }
  const isEqual = count <= 4 ? kind < 0.27 : count <= 9 ? kind < 0.2 : false
  const steepness = count <= 9 ? 0.75 : count < 100 ? 1.7 : 2.6
  const era = Math.floor((aar + chance(company, 44) * 3) / 3)
  for (let slot = 0; slot < count; slot++) {
    const draw = Math.max(1e-9, -Math.log(1 - chance(company, slot, era, 46)))
    weights[slot] = isEqual ? 1 : draw ** steepness
  }
  return weights
}

/** Whole shares that add up to the total, at least one each. */
function split(total: number, weights: Float64Array): number[] {
  const sum = weights.reduce((all, each) => all + each, 0)
  const free = total - weights.length
  const shares = Array.from(weights, (weight) => 1 + Math.floor((weight / sum) * free))
  const left = total - shares.reduce((all, each) => all + each, 0)
  for (let slot = 0; slot < left; slot++)
    shares[slot % shares.length] = (shares[slot % shares.length] ?? 0) + 1
  return shares
}

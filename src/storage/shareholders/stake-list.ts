import { movedTo } from './typed-columns.ts'

/**
 * Stakes on their way to their table, in the order of its key: PostgreSQL makes a key of rows that are in order in a fraction
 * of the time, and who looks up an owner finds its stakes beside each other.
 */
export type StakeList = {
  count: number
  owners: Int32Array
  owned: Int32Array
  shares: Float64Array
}

export function createStakeList(): StakeList {
  return {
    count: 0,
    owners: new Int32Array(STAKES_FIRST),
    owned: new Int32Array(STAKES_FIRST),
    shares: new Float64Array(STAKES_FIRST),
  }
}

export function addStake(list: StakeList, owner: number, owned: number, shares: number): void {
  const place = list.count++
  if (place === list.owners.length) grow(list)
  list.owners[place] = owner
  list.owned[place] = owned
  list.shares[place] = shares
}

/** @returns the places, by owner and then by what is owned */
export function stakesInOrder({ count, owners, owned }: StakeList): Int32Array {
  let order = new Int32Array(count)
  let spare = new Int32Array(count)
  for (let place = 0; place < count; place++) order[place] = place
  // The less significant first: what comes after keeps the order of what is equal.
  for (const numbers of [owned, owners]) {
    for (const shift of [0, HALF_BITS]) {
      putInOrderOfHalf(order, spare, numbers, shift)
      ;[order, spare] = [spare, order]
    }
  }
  return order
}

/** By counting: what is moved is moved once, and nothing is compared. */
function putInOrderOfHalf(from: Int32Array, to: Int32Array, numbers: Int32Array, shift: number): void {
  const ends = new Int32Array(HALVES)
  for (let at = 0; at < from.length; at++) {
    const half = halfOf(numbers, from[at] as number, shift)
    ends[half] = (ends[half] as number) + 1
  }
  for (let half = 1; half < HALVES; half++) ends[half] = (ends[half] as number) + (ends[half - 1] as number)
  for (let at = from.length - 1; at >= 0; at--) {
    const place = from[at] as number
    const half = halfOf(numbers, place, shift)
    const end = (ends[half] as number) - 1
    ends[half] = end
    to[end] = place
  }
}

function halfOf(numbers: Int32Array, place: number, shift: number): number {
  return ((numbers[place] as number) >>> shift) & (HALVES - 1)
}

const STAKES_FIRST = 64 * 1024
const HALF_BITS = 16
const HALVES = 2 ** HALF_BITS

/** So many are kept until they are written: 25 MB, and more than a year has. */
export const STAKES_MAX = 2 ** 20

function grow(list: StakeList): void {
  const room = list.owners.length * 2
  list.owners = movedTo(list.owners, new Int32Array(room))
  list.owned = movedTo(list.owned, new Int32Array(room))
  list.shares = movedTo(list.shares, new Float64Array(room))
}

/** Whole numbers from 1 to 2^31 - 1, hundreds of thousands of them, in a few bytes each and out of the garbage collector's way. */
export function createNumberSet() {
  let places = new Int32Array(PLACES_FIRST)
  let count = 0

  /** @returns false when it was there already */
  function add(number: number): boolean {
    if (!enter(number)) return false
    count++
    // Half of it stays free.
    if (2 * count > places.length) grow()
    return true
  }

  function enter(number: number): boolean {
    const mask = places.length - 1
    let at = (Math.imul(number, SPREAD) >>> 8) & mask
    while (places[at] !== 0) {
      if (places[at] === number) return false
      at = (at + 1) & mask
    }
    places[at] = number
    return true
  }

  function grow(): void {
    const before = places
    places = new Int32Array(before.length * 2)
    for (const number of before) if (number !== 0) enter(number)
  }

  return { add }
}

const PLACES_FIRST = 1024
const SPREAD = 0x9e3779b1

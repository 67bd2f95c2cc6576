/**
 * Which answers were put where others find them, and of which copies they were made: who makes one of the same need not put it there
 * again, and who holds those copies still has it from there rather than make it. One place for each company, by its number: two
 * that share a place take it from each other, which costs one packing each.
 *
 * @param places how many companies at most; 21 bytes each
 */
export function createSharedLately({ places }: { places: number }) {
  let by = ''
  const companies = new Uint32Array(places)
  const copies = new Float64Array(places)
  const untils = new Float64Array(places)
  const areTaken = new Uint8Array(places)

  return {
    /**
     * @param company nine digits
     * @param of another number for other copies
     * @param madeBy everything else they depend on: what was made by another is forgotten
     */
    has(company: string, of: number, madeBy: string, now: number): boolean {
      if (madeBy !== by) untils.fill(0)
      by = madeBy
      const number = Number(company)
      const place = number % places
      return companies[place] === number && copies[place] === of && now < (untils[place] ?? 0)
    },

    /** Of which copies one lies there, where that was seen and nothing was heard of them since. */
    lies(company: string, madeBy: string, now: number): number | null {
      const number = Number(company)
      const place = number % places
      const isThere = companies[place] === number && areTaken[place] === 1 && now < (untils[place] ?? 0)
      return madeBy === by && isThere ? (copies[place] ?? null) : null
    },

    /** @param isTaken it lies there; otherwise it is on its way */
    note(company: string, of: number, until: number, { isTaken }: { isTaken: boolean }): void {
      const number = Number(company)
      const place = number % places
      companies[place] = number
      copies[place] = of
      untils[place] = until
      areTaken[place] = isTaken ? 1 : 0
    },

    /** It was looked for there and is gone, or its copies are others. */
    forget(company: string): void {
      untils[Number(company) % places] = 0
    },

    /** The same of all. */
    forgetAll(): void {
      untils.fill(0)
    },
  }
}

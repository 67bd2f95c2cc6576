/**
 * Which answers were put where others find them, and of which copies they were made: who makes one of the same need not put it there
 * again. One place for each company, by its number: two that share a place take it from each other, which costs one packing each.
 *
 * @param places how many companies at most; 20 bytes each
 */
export function createSharedLately({ places }: { places: number }) {
  let by = ''
  const companies = new Uint32Array(places)
  const copies = new Float64Array(places)
  const untils = new Float64Array(places)

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

    note(company: string, of: number, until: number): void {
      const number = Number(company)
      const place = number % places
      companies[place] = number
      copies[place] = of
      untils[place] = until
    },

    /** It was looked for there, and is gone. */
    forget(company: string): void {
      untils[Number(company) % places] = 0
    },
  }
}

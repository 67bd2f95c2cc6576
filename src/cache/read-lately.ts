/**
 * Tells a company that is read again from one that is read for the first time in a while. One place for each, by its number:
 * two that share a place take it from each other and are taken for new, which costs one reading each.
 *
 * @param forMs how long it is remembered
 * @param places how many companies at most; 12 bytes each
 */
export function createReadLately({ forMs, places }: { forMs: number; places: number }) {
  const companies = new Uint32Array(places)
  const times = new Float64Array(places)

  return {
    /** Notes it, and says whether it was read within that time before. @param company nine digits */
    again(company: string, now: number): boolean {
      const number = Number(company)
      const place = number % places
      const age = now - (times[place] ?? 0)
      const wasRead = companies[place] === number && age >= 0 && age < forMs
      companies[place] = number
      times[place] = now
      return wasRead
    },
  }
}

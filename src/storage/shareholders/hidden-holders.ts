import { foldName } from '#src/core/person-name.ts'

/** A holder as the share books keep it: see the migration that makes them. */
export type PackedHolder = { n?: string; f?: number; o?: number; l?: string; a: [number, number][] }

/** One holder of one share book. `aksjer` is [class, shares]; the class counts into the book's `klasser`. */
export type StoredHolder = {
  navn: string | null
  fodselsaar: number | null
  orgnr: number | null
  /** Two letters. */
  land: string | null
  aksjer: [number, number][]
  /** Not to be shown. The same person has the same number wherever it is met in one reading; null: may be shown. */
  skjult: number | null
}

/** [name as names are compared, year of birth, the company it is about or null for all] */
export type HiddenPersons = [string, number, number | null][] | null

/** Who is hidden, as a part of the very statement that reads holders. A list an operator keeps by hand: it is short. */
export const HIDDEN_PERSONS =
  '(select jsonb_agg(jsonb_build_array(navn, fodselsaar, orgnr)) from skjult_person where vist_at is null)'

/**
 * The only way holders come out of storage, so that a hidden person is hidden in every year and whatever was imported since
 * (P21): the shares stay, who holds them does not.
 *
 * @returns reads the holders of one company's share book
 */
export function createHolderReader(hidden: HiddenPersons) {
  const persons = new Map<string, { number: number; companies: Set<number | null> }>()
  for (const [navn, fodselsaar, company] of hidden ?? []) {
    const person = persons.get(keyOf(navn, fodselsaar)) ?? { number: persons.size + 1, companies: new Set() }
    persons.set(keyOf(navn, fodselsaar), person)
    person.companies.add(company)
  }

  function hiddenAs({ n, f }: PackedHolder, company: number): number | null {
    if (persons.size === 0 || n === undefined || f === undefined) return null
    const person = persons.get(keyOf(n, f))
    if (person === undefined) return null
    return person.companies.has(null) || person.companies.has(company) ? person.number : null
  }

  return (packed: readonly PackedHolder[], company: number): StoredHolder[] =>
    packed.map((holder) => {
      const skjult = hiddenAs(holder, company)
      if (skjult !== null) {
        return { navn: null, fodselsaar: null, orgnr: null, land: null, aksjer: holder.a, skjult }
      }
      const { n, f, o, l, a } = holder
      return {
        navn: n ?? null,
        fodselsaar: f ?? null,
        orgnr: o ?? null,
        land: l ?? null,
        aksjer: a,
        skjult: null,
      }
    })
}

function keyOf(navn: string, fodselsaar: number): string {
  return `${fodselsaar} ${foldName(navn)}`
}

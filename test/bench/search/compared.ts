import type { Database } from '#src/storage/database.ts'
import { type GoldenQuery, type Score, scored } from '#test/search/given-names.ts'

export type Compared = { score: Score; times: number[] }

/**
 * What a plain `ilike` finds, in the order of the alphabet. Of what is asked for as a number or a site nothing: names alone are
 * looked at.
 */
export async function byIlike(db: Database, queries: readonly GoldenQuery[]): Promise<Compared> {
  const times: number[] = []
  const score = await scored(queries, async (query) => {
    const startedAt = performance.now()
    const rows = await db.query<{ orgnr: number }>(
      `select orgnr from sok_foretak where navn ilike '%' || $1 || '%' order by navn, orgnr limit 10`,
      [query.replace(/[\\%_]/g, '\\$&')],
    )
    times.push(performance.now() - startedAt)
    return answerOf(rows)
  })
  return { score, times }
}

/** The register's own ways over the same names, as it documents them: main units' current names, no letters folded. */
export async function asTheRegister(db: Database) {
  const units = await db.query<{ orgnr: number; navn: string }>(
    'select orgnr, lower(navn) as navn from sok_foretak where not er_underenhet order by navn, orgnr',
  )
  const holders = new Map<string, number[]>()
  for (const [place, { navn }] of units.entries()) {
    for (const word of new Set(navn.split(/\s+/))) {
      const some = holders.get(word)
      if (some === undefined) holders.set(word, [place])
      else some.push(place)
    }
  }
  const at = (places: readonly number[]) => answerOf(places.flatMap((place) => units[place] ?? []))

  return {
    /** FORTLOEPENDE: the text as it runs, in the order of the alphabet. */
    running: (queries: readonly GoldenQuery[]) =>
      scored(queries, async (query) => {
        const wanted = query.trim().toLowerCase()
        return answerOf(units.filter(({ navn }) => navn.includes(wanted)).slice(0, SHOWN))
      }),
    /** Any of the words, the rarer the further up. */
    byWords: (queries: readonly GoldenQuery[]) =>
      scored(queries, async (query) => {
        const scores = new Map<number, number>()
        for (const word of new Set(query.trim().toLowerCase().split(/\s+/))) {
          const places = holders.get(word) ?? []
          for (const place of places) scores.set(place, (scores.get(place) ?? 0) + 1 / places.length)
        }
        const best = [...scores].sort(([a, one], [b, other]) => other - one || a - b).slice(0, SHOWN)
        return at(best.map(([place]) => place))
      }),
  }
}

const SHOWN = 10

/** Neither says how sure it is. */
function answerOf(rows: readonly { orgnr: number }[]) {
  return { orgnrs: rows.map(({ orgnr }) => orgnr), isCertain: false, isNone: rows.length === 0 }
}

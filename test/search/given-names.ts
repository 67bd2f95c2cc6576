import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Bulk } from './built-index.ts'

/** What a person types, and whom it may mean; nobody when none may be given as certain. */
export type GoldenQuery = { query: string; orgnrs: readonly number[]; why: string }

/** Real names and the questions about them are kept beside the project, not in it. */
const FOLDER = fileURLToPath(new URL('../../../shared/search/', import.meta.url))

/** null where the folder is absent. */
export function givenNames(): { bulk: Bulk; queries: GoldenQuery[] } | null {
  if (!existsSync(FOLDER)) return null
  const json = (name: string) => JSON.parse(readFileSync(`${FOLDER}${name}`, 'utf8'))
  const [, ...lines] = readFileSync(`${FOLDER}golden.tsv`, 'utf8').trimEnd().split('\n')
  return {
    bulk: { enheter: json('enheter.json'), underenheter: json('underenheter.json') },
    queries: lines.map((line) => {
      const [query = '', orgnr = '', , why = ''] = line.split('\t')
      return { query, orgnrs: orgnr === '-' ? [] : [Number(orgnr)], why }
    }),
  }
}

/** How a list of queries fared: first place, among the first three, certain though wrong. */
export type Score = {
  queries: number
  first: number
  firstThree: number
  certain: number
  certainAndWrong: string[]
  missed: string[]
}

export async function scored(
  queries: readonly GoldenQuery[],
  ask: (query: string) => Promise<{ orgnrs: readonly number[]; isCertain: boolean; isNone: boolean }>,
): Promise<Score> {
  const score: Score = {
    queries: queries.length,
    first: 0,
    firstThree: 0,
    certain: 0,
    certainAndWrong: [],
    missed: [],
  }
  for (const { query, orgnrs: meant, why } of queries) {
    const { orgnrs, isCertain } = await ask(query)
    const isAmong = (places: number) =>
      meant.length === 0 ? !isCertain : orgnrs.slice(0, places).some((orgnr) => meant.includes(orgnr))
    const isFirst = isAmong(1)
    score.first += Number(isFirst)
    score.firstThree += Number(isAmong(3))
    score.certain += Number(isCertain)
    if (isCertain && !isFirst) score.certainAndWrong.push(query)
    if (!isFirst)
      score.missed.push(
        `${query} (${why}): ${orgnrs.findIndex((orgnr) => meant.includes(orgnr)) + 1}, first ${orgnrs[0]}`,
      )
  }
  return score
}

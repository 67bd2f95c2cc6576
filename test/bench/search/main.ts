import { parseArgs } from 'node:util'
import { findAny, noFilters } from '#src/search/find-any.ts'
import { readQuestion } from '#src/search/question.ts'
import type { Database } from '#src/storage/database.ts'
import { askedByRule } from '#test/search/asked-by-rule.ts'
import { givenNames, type Score, scored } from '#test/search/given-names.ts'
import { machineFacts } from '../process/machine.ts'
import { keep, tableOf } from '../report.ts'
import type { Aim } from '../row.ts'
import { build, diskRow } from './built.ts'
import { asTheRegister, byIlike } from './compared.ts'
import { forslag, openDoor, p, sok, typed } from './door.ts'
import { openPlace, type Place } from './place.ts'

/**
 * Door: the search index at the register's size, built from bulk files as the worker builds it and asked what people ask.
 * Real names, which stand beside the project, are among the invented. `--scale 1` is the whole register; without it a
 * twentieth. `--folder` keeps files and index there, and what is there is measured without building it again, unless
 * `--build`. Only a whole run is kept in `results/`.
 */
const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '0.05' },
    folder: { type: 'string' },
    build: { type: 'boolean', default: false },
  },
})
const scale = Number(values.scale)
const given = givenNames()
if (given === null) throw new Error('The real names and the questions about them are not beside the project.')
const { queries, bulk } = given
const ruled = askedByRule(bulk)

/** Names whose beginnings are typed; as many again warm what is read, as an hour of readers would have. */
const NAMES = 120

const place = await openPlace(values.folder, scale, bulk)
try {
  const questions = queries.map(({ query }) => query)
  const built = values.build ? null : await place.built()
  const rest = [
    ...(built ?? (await build(place, questions))),
    await diskRow(place.storage.database),
    ...(await foundRows(place.db)),
    ...(await waitRows(place)),
    ...(await comparedRows(place.storage.database)),
  ]
  const facts = machineFacts()
  const results = { servers: [], rest, notes: [] }
  console.log(tableOf(facts, results))
  if (scale >= 1) await keep(facts, results, 'search')
} finally {
  await place.close()
}

/** What is found: the given questions, and those made by rule. */
async function foundRows(db: Database): Promise<Aim[]> {
  const golden = await scored(queries, (query) => ask(db, query))
  const rules = await scored(ruled, (query) => ask(db, query))
  console.error([...golden.missed, ...rules.missed, ...rules.certainAndWrong].join('\n'))
  return [...rowsOf('golden queries', golden), ...rowsOf(`${rules.queries} questions made by rule`, rules)]
}

async function ask(db: Database, query: string) {
  const { hits, band } = await findAny(readQuestion(query), noFilters, { db, limitMs: 60_000 })
  return { orgnrs: hits.map(({ orgnr }) => orgnr), isCertain: band === 'sikker', isNone: band === 'ingen' }
}

function rowsOf(what: string, { queries, first, firstThree, certainAndWrong }: Score): Aim[] {
  return [
    { what: `${what}: not first, of a hundred`, found: 100 * (1 - first / queries), limit: 10, unit: '' },
    { what: '… not among the first three', found: 100 * (1 - firstThree / queries), limit: 3, unit: '' },
    { what: '… certain and wrong', found: certainAndWrong.length, limit: 0, unit: '' },
  ]
}

/** What it takes at the service's door, by whoever asks one question after the other. */
async function waitRows(at: Place): Promise<Aim[]> {
  const names = await at.storage.database.query<{ navn: string }>(
    `select navn from sok_navn where art = 'navn' and overordnet is null order by md5(orgnr::text) limit $1`,
    [2 * NAMES],
  )
  const texts = names.map(({ navn }) => navn.toLowerCase())
  const [warm, measured] = [texts.slice(0, NAMES), texts.slice(NAMES)]
  const door = await openDoor(at)
  try {
    await door.times(typed(warm).map(forslag))
    const suggested = await door.times(
      typed([...queries.map(({ query }) => query), ...measured]).map(forslag),
    )
    await door.times(warm.map(sok))
    const words = await door.times([...measured, ...ofKinds(false)].map(sok))
    const likeness = await door.times(ofKinds(true).map(sok))
    const row = (what: string, part: number, times: readonly number[], limit: number): Aim => ({
      what: `${what}, ${part === 0.5 ? 'p50' : 'p99'} at the door`,
      found: p(part, times),
      limit,
      unit: 'ms',
    })
    return [
      row(`forslag, ${suggested.length} beginnings`, 0.5, suggested, 4),
      row('… the same', 0.99, suggested, 20),
      row(`sok: exact, beginning, words, ${words.length} questions`, 0.5, words, 25),
      row('… the same', 0.99, words, 25),
      row(`sok with likeness, ${likeness.length} questions`, 0.5, likeness, 120),
      row('… the same', 0.99, likeness, 120),
    ]
  } finally {
    await door.close()
  }
}

/** Questions made by rule: those that are answered by likeness alone, or the others. */
function ofKinds(isLikeness: boolean): string[] {
  return ruled.filter(({ why }) => /letter|misspelt|noise/.test(why) === isLikeness).map(({ query }) => query)
}

/** The same questions asked otherwise. */
async function comparedRows(db: Database): Promise<Aim[]> {
  const ilike = await byIlike(db, queries)
  const register = await asTheRegister(db)
  const row = (what: string, { first, firstThree, queries: all }: Score): Aim => ({
    what: `beside it: ${what}, not first (not among the first three: ${(100 * (1 - firstThree / all)).toFixed(1)})`,
    found: 100 * (1 - first / all),
    limit: 100,
    unit: '',
  })
  return [
    row('plain ilike', ilike.score),
    { what: '… the same, p50', found: p(0.5, ilike.times), limit: Number.POSITIVE_INFINITY, unit: 'ms' },
    row('the register’s FORTLOEPENDE', await register.running(queries)),
    row('the register’s own score', await register.byWords(queries)),
  ]
}

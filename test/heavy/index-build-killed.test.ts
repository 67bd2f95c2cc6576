import { expect, it } from 'vitest'
import { buildThroughKills } from '../support/killed-index-builds.ts'

/** One job is taken up five times. */
const KILLS = Math.min(5, Number(process.env.KILLS ?? 5))

it(`P79: ${KILLS} workers in turn are killed while they build the search index: nothing is lost`, async () => {
  const { seen, rows, undisturbed } = await buildThroughKills(KILLS)
  expect(seen).toEqual([...Array.from({ length: KILLS }, () => 'old 1, new 0'), 'old 0, new 1'])
  expect(rows).toEqual(undisturbed)
}, 900_000)

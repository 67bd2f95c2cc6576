import { expect, it } from 'vitest'
import { buildThroughKills } from '../support/killed-index-builds.ts'

it('P79: a worker is killed while it builds the search index: the next goes on, nothing is lost, and the old is read meanwhile', async () => {
  const { seen, rows, undisturbed } = await buildThroughKills(1)
  expect(seen).toEqual(['old 1, new 0', 'old 0, new 1'])
  expect(rows).toEqual(undisturbed)
})

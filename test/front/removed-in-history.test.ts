import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createChangeLog } from '#src/changes/change-log.ts'
import { closedPages, crowdedReader, noChanges } from '#test/support/closed-pages.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { changeOf, writeInLog } from '#test/support/written-changes.ts'
import { KEY, type PageFront, startPageFront } from '../pages/page-front.ts'

const REMOVED = '923609016'
const NAMING = '974760673'
const { sizeMax } = policy.changeLog

let storage: TestDatabase
let front: PageFront
/** From so many questions on of the log it is known that they are removed. */
let knownFrom = 0
let questions = 0
/** And from when so many lines that name them have been looked at. */
let knownAfterLines = 0
let linesLookedAt = 0
beforeEach(() => {
  questions = 0
  knownFrom = 0
  linesLookedAt = 0
  knownAfterLines = 0
})
beforeAll(async () => {
  storage = await createTestDatabase()
  const log = createChangeLog({
    db: {
      query(text, values) {
        questions += 1
        return storage.database.query(text, values)
      },
    },
    waiting: null as never,
    isErased(orgnr) {
      if (orgnr !== REMOVED) return false
      linesLookedAt += 1
      return questions >= knownFrom && linesLookedAt > knownAfterLines
    },
    policy: policy.changeLog,
  })
  front = await startPageFront(closedPages(), {
    changes: {
      verifier: { verify: () => ({ ok: true, key: KEY }), atHand: () => null },
      reader: crowdedReader,
      changes: { ...noChanges, log },
    },
  })
  const called = (etter: string) =>
    changeOf(NAMING, { type: 'foretak.navn.endret', felt: [{ felt: '/navn', for: null, etter }] })
  const naming = Array.from({ length: sizeMax + 1 }, () => changeOf(NAMING, { nevner: [Number(REMOVED)] }))
  await writeInLog(storage.database, called('FØR AS'), ...naming, called('ETTER AS'))
})
afterAll(async () => {
  await front.close()
  await storage.close()
})

it.each(['historikk', 'endringer'])(
  'P11: attack: where more changes than a page has name who was removed just now, those before them are told all the same (%s)',
  async (what) => {
    const told: string[] = []
    for (
      let path: string | null = `/api/bedrift/${NAMING}/${what}?size=${sizeMax}`;
      path !== null && told.length < 5;
    ) {
      const { status, text } = await front.get(path, { authorization: 'Bearer bo_test' })
      expect(status).toBe(200)
      told.push(text)
      const { neste } = JSON.parse(text)
      path = neste == null ? null : `/api/bedrift/${NAMING}/${what}?size=${sizeMax}&etter=${neste}`
    }
    const all = told.join('\n')
    expect(all).toContain('"ETTER AS"')
    expect(all).toContain('"FØR AS"')
    expect(all).not.toContain('konkurs')
  },
)

it('P11: attack: who is removed while a history is being read that names them is not told of in it', async () => {
  knownFrom = 2
  const { text } = await front.get(`/api/bedrift/${NAMING}/historikk`, { authorization: 'Bearer bo_test' })
  expect(text).toContain('"ETTER AS"')
  expect(text).toContain('"FØR AS"')
  expect(text).not.toContain('konkurs')
})

it.each([
  // Each page of it is looked at as it is read, and then all of it twice before it is put together.
  ['historikk', 3 * (sizeMax + 1)],
  ['endringer', sizeMax - 1],
])(
  'P11: attack: who is removed while it is put together what was read is not told of (%s)',
  async (what, lines) => {
    knownAfterLines = lines
    const { text } = await front.get(`/api/bedrift/${NAMING}/${what}?size=${sizeMax}`, {
      authorization: 'Bearer bo_test',
    })
    expect(text).toContain('"ETTER AS"')
    expect(text).not.toContain('konkurs')
    expect(linesLookedAt).toBeGreaterThan(lines)
  },
)

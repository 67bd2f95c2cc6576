import { afterAll, beforeAll, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createChangeLog } from '#src/changes/change-log.ts'
import { putWatches } from '#src/storage/changes/watches.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { changeOf, writeInLog } from '#test/support/written-changes.ts'

const REMOVED = '923609016'
const NAMING = '974760673'
const OTHER = '089912340'
const watcher = { eier: 'a', prove: false }

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

it('P11: attack: what changed in who was removed just now, or names them, is told to nobody, before it is buried where the log is', async () => {
  const erased = new Set<string>()
  const db = storage.database
  const log = createChangeLog({
    db,
    waiting: null as never,
    isErased: (orgnr) => erased.has(orgnr),
    policy: policy.changeLog,
  })
  const told = async () => {
    const wait = { of: 'a', ms: 0, signal: new AbortController().signal, room: async () => () => {} }
    const page = await log.read(watcher, { after: null, orgnr: null, types: null, size: 10 }, wait)
    const latest = await log.latest(watcher, 10)
    const pages = await Promise.all(
      [REMOVED, NAMING, OTHER].map((orgnr) => log.ofCompany(orgnr, { prove: false, before: null, size: 10 })),
    )
    const changes = page.outcome === 'page' ? page.changes : []
    return [changes, latest, pages.flatMap((each) => each.changes)].map((list) =>
      list.map(({ orgnr }) => orgnr).sort(),
    )
  }
  const wishes = [REMOVED, NAMING, OTHER].map((orgnr) => ({ orgnr, navn: null, typer: null, epost: null }))
  await putWatches(db, watcher, wishes, { max: 10, at: new Date('2026-11-22T10:00:00.000Z') })
  await writeInLog(db, changeOf(REMOVED), changeOf(NAMING, { nevner: [Number(REMOVED)] }), changeOf(OTHER))
  const all = [OTHER, REMOVED, NAMING]
  expect(await told()).toEqual([all, all, all])
  erased.add(REMOVED)
  expect(await told()).toEqual([[OTHER], [OTHER], [OTHER]])
})

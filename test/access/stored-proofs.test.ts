import { afterAll, beforeAll, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { issueKey } from '#src/access/issue-key.ts'
import { proofOf } from '#src/access/shared-proof.ts'
import { openStoredProofs } from '#src/access/stored-proofs.ts'
import { createDatabase } from '#src/storage/database.ts'
import { removeWhatIsOver } from '#src/storage/retention.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'

const ISSUED = new Date('2027-02-28T12:00:00.000Z')
const OVER = new Date('2030-01-01T00:00:00.000Z')

let storage: TestDatabase
const faults: unknown[] = []
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

test('P60: attack: what a key was proved by is kept as long as its hash, of no key that is gone, and keeps nobody out who finds it nowhere', async () => {
  const db = storage.database
  const proofs = openStoredProofs(db, { policy: policy.keys, onFault: (error) => faults.push(error) })
  const isKept = async (id: string) => (await proofs.read(id)) !== null
  const issue = () =>
    issueKey({ db, clock: { now: () => ISSUED } }, { epost: 'ola@example.no', miljo: 'live' })
  const [key, gone, late] = [await issue(), await issue(), await issue()]
  await db.query('delete from api_nokkel where id = $1', [gone.id])
  for (const { id, token } of [gone, key]) proofs.keep(id, proofOf('', token), 0)
  await eventually('it is kept', () => isKept(key.id))
  expect(await isKept(gone.id)).toBe(false)
  await removeWhatIsOver(db, {
    hashes: OVER,
    addresses: OVER,
    unpaid: OVER,
    events: OVER,
    books: new Date(0),
    now: OVER,
  })
  expect(await isKept(key.id)).toBe(false)
  expect(faults).toEqual([])
  await db.query('drop table nokkelbevis')
  expect(await isKept(key.id)).toBe(false)
  proofs.keep(late.id, proofOf('', late.token), 0)
  await eventually('the fault is told', () => faults.length === 1)
})

test('P60: attack: while somebody else holds its table a key is proved as if nothing was known of it, and what is to be noted takes the connections of none', async () => {
  const { url, database, close } = await createTestDatabase()
  const db = createDatabase({
    url,
    poolMax: 3,
    applicationName: 'test',
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 600_000,
  })
  const untold: unknown[] = []
  const proofs = openStoredProofs(db, { policy: policy.keys, onFault: (error) => untold.push(error) })
  const keys = await Promise.all(
    Array.from({ length: 20 }, () =>
      issueKey({ db: database, clock: { now: () => ISSUED } }, { epost: 'ola@example.no', miljo: 'live' }),
    ),
  )
  const read = () => Promise.all(keys.map(({ id }) => proofs.read(id)))
  try {
    await database.transaction(async (other) => {
      await other.query('lock table nokkelbevis in access exclusive mode')
      for (const { id, token } of keys) {
        proofs.keep(id, proofOf('', token), 0)
        await new Promise(setImmediate)
      }
      expect(await db.query('select 1 as there')).toEqual([{ there: 1 }])
      expect(await read()).toEqual(keys.map(() => null))
    })
    await eventually('they are noted', async () => (await read()).every((proof) => proof !== null))
    expect(untold).toEqual([])
  } finally {
    await db.close()
    await close()
  }
})

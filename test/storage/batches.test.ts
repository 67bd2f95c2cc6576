import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { issueKey } from '#src/access/issue-key.ts'
import { createNamedKeys } from '#src/access/named-keys.ts'
import { idIn } from '#src/core/api-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { createBatchWork } from '#src/record/batches.ts'
import { deleteBatch, insertBatch, readBatchPart } from '#src/storage/batches.ts'
import { KeyOverError } from '#src/storage/key-chain.ts'
import { revokeKey } from '#src/storage/keys.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { inventNumbers } from '../support/invented-companies.ts'

const numbers = inventNumbers(3)
const never = new AbortController().signal

/** Over HTTP, and with the registers: test/scenarios/batches. */
describe('P109: lists that are kept', () => {
  let storage: TestDatabase

  beforeAll(async () => {
    storage = await createTestDatabase()
  })
  afterAll(() => storage.close())

  async function bought(): Promise<string> {
    const db = storage.database
    const { token } = await issueKey({ db, clock: systemClock }, { epost: 'a@example.com', miljo: 'test' })
    return idIn(token) ?? ''
  }

  async function named(right: string, count: number): Promise<string[]> {
    const db = storage.database
    const keys = createNamedKeys({ db, miljo: 'test', clock: systemClock, policy: policy.keys.named })
    const ids: string[] = []
    for (let nr = 0; nr < count; nr += 1) {
      const made = await keys.make(right, `program ${nr}`)
      ids.push(made.utfall === 'laget' ? made.id : expect.unreachable(made.utfall))
    }
    return ids
  }

  function place(nokkel: string, { right = nokkel, inAll = 1000 } = {}) {
    const now = new Date()
    return insertBatch(
      storage.database,
      {
        nokkel,
        right,
        prove: false,
        idempotens: randomBytes(32),
        innhold: randomBytes(32),
        felt: ['navn'],
        dubletter: 0,
        lines: numbers.map((orgnr) => ({ orgnr, given: null })),
        mottatt: now,
        slettes: now,
      },
      { ofKey: 10, inAll },
    )
  }

  it('leave room for another purchase, however many keys one has', async () => {
    const [one, other] = [await bought(), await bought()]
    const inAll = 9
    const kept: { nokkel: string; id: string }[] = []
    for (const nokkel of [one, ...(await named(one, 2))])
      for (let nr = 0; nr < 3; nr += 1) {
        const placed = await place(nokkel, { right: one, inAll })
        if ('batch' in placed) kept.push({ nokkel, id: placed.batch.id })
        else expect(placed).toEqual({ full: 'key' })
      }
    // Half and one more: it may have as many as are free besides.
    expect(kept).toHaveLength(5)
    const placed = await place(other, { inAll })
    expect(placed).toHaveProperty('batch')
    if ('batch' in placed) kept.push({ nokkel: other, id: placed.batch.id })
    for (const { nokkel, id } of kept) expect(await deleteBatch(storage.database, nokkel, id)).toBe(true)
  })

  it('P150: attack: one that was half sent when its key ended is not kept, whether this process has heard of the end or not', async () => {
    const db = storage.database
    const nokkel = await bought()
    expect(await place(nokkel)).toHaveProperty('batch')
    await revokeKey(db, nokkel, new Date())
    await expect(place(nokkel)).rejects.toThrow(KeyOverError)
    expect(await db.query('select id from bestilling where nokkel = $1', [nokkel])).toHaveLength(1)
  })

  it('P11: one with companies that were removed before it came has them taken out of itself, and no other is looked through', async () => {
    const [removed = '', ...others] = numbers
    const db = storage.database
    const [first, second] = [await bought(), await bought()]
    const ids: string[] = []
    for (const nokkel of [first, second]) {
      const placed = await place(nokkel)
      ids.push('batch' in placed ? placed.batch.id : expect.unreachable())
    }
    const work = createBatchWork({
      db,
      readerFor: () => ({
        async *read(orgnrs) {
          yield [...orgnrs].map((orgnr) =>
            orgnr === removed
              ? { outcome: 'removed' as const, organisasjonsnummer: orgnr }
              : { outcome: 'unknown' as const },
          ) as never
        },
      }),
      clock: systemClock,
      policy: policy.batches,
    })
    await work.turn(first, { signal: never })
    const linesOf = async (id: string | undefined) =>
      (await readBatchPart(db, id ?? '', 0))?.map(({ orgnr }) => orgnr)
    expect(await linesOf(ids[0])).toEqual([null, ...others])
    expect(await linesOf(ids[1])).toEqual(numbers)
    await work.turn(second, { signal: never })
    expect(await linesOf(ids[1])).toEqual([null, ...others])
  })

  it('P105: attack: one that lacks a part is looked at now and again, not as fast as PostgreSQL answers', async () => {
    const db = storage.database
    const right = await bought()
    await place(right)
    await db.query(
      `delete from bestilling_del where bestilling in (select id from bestilling where nokkel = $1)`,
      [right],
    )
    const work = createBatchWork({
      db,
      readerFor: () => expect.unreachable(),
      clock: systemClock,
      policy: policy.batches,
    })
    let turns = 0
    while (turns < 100 && (await work.turn(right, { signal: never }))) turns += 1
    expect(turns).toBeLessThan(5)
    expect(await work.due()).not.toContain(right)
  })
})

import { expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { askForLaterChecks } from '#src/storage/payment-checks.ts'
import { HOUR_MS } from '#test/support/clock.ts'
import { createTestDatabase } from '#test/support/database.ts'

const { lookAgain } = policy.sales
const SOLD = 3000

test('P110: attack: of more that is sold in one hour than may wait to be read back, each is read back within a week, and few wait at once', async () => {
  const { read, most } = await soldAndReadBack(lookAgain.everyMs)
  expect(new Set(read).size).toBe(SOLD)
  expect(read).toHaveLength(SOLD)
  expect(most).toBeLessThanOrEqual(SOLD / 4)
})

test.each([
  ['two workers look at times of their own', lookAgain.everyMs / 2],
  ['the only one who looks is late each time', lookAgain.everyMs * 1.5],
])('P110: attack: though %s, each is read back once', async (_, betweenMs) => {
  const { read } = await soldAndReadBack(betweenMs)
  expect(new Set(read).size).toBe(SOLD)
  expect(read).toHaveLength(SOLD)
})

/** What is sold in one hour, while its turn a week later is and somebody looks for what is due every so often. */
async function soldAndReadBack(betweenMs: number) {
  const storage = await createTestDatabase()
  const db = storage.database
  const begin = new Date('2026-03-02T10:00:00.000Z')
  try {
    await db.query(
      `insert into ordre (id, token_hash, referanse, tilstand, epost, miljo, produkt, belop_ore, valuta, vilkaar_godtatt_at, laget_at,
         endret_at, trukket_at)
       select lpad(n::text, 10, '0'), sha256(n::text::bytea), 'bo-' || lpad(n::text, 10, '0') || '-1', 'fullfort', 'a@example.no',
         'live', 'x', 49900, 'NOK', solgt, solgt, solgt, solgt
       from (select n, $2::timestamptz + (n - 1) * interval '1 hour' / $1 as solgt from generate_series(1, $1::integer) n) salg`,
      [SOLD, begin],
    )
    await db.query(
      `insert into api_nokkel (id, kjede, miljo, epost, hash, utstedt_at, utloper_at)
       select 'nn' || id, id, 'live', epost, '$argon2id$', laget_at, laget_at + interval '1 year' from ordre`,
    )
    const read: string[] = []
    let most = 0
    const until = begin.getTime() + 7 * 24 * HOUR_MS + HOUR_MS
    for (let at = until - HOUR_MS - betweenMs; at <= until + betweenMs; at += betweenMs) {
      const waiting = await db.query<{ id: string }>(
        'update ordre set neste_sjekk_at = null where neste_sjekk_at <= $1 returning id',
        [new Date(at)],
      )
      most = Math.max(most, waiting.length)
      read.push(...waiting.map(({ id }) => id))
      await askForLaterChecks(db, { at: new Date(at), ...lookAgain })
    }
    return { read, most }
  } finally {
    await storage.close()
  }
}

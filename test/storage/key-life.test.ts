import { afterAll, beforeAll, expect, it } from 'vitest'
import { keyInUse, keyNotEnded, keyOver } from '#src/storage/key-life.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

const at = new Date('2026-06-01T12:00:00Z')
const times = [null, new Date('2026-06-01T11:59:59Z'), at, new Date('2026-06-01T12:00:01Z')]
const lives = [times[1], at, times[3]].flatMap((utloper) =>
  times.flatMap((slutter) =>
    [null, at].map((tilbakekalt) => ({ utloper: utloper ?? at, slutter, tilbakekalt })),
  ),
)

it('PostgreSQL and the process agree about every key, to the instant', async () => {
  for (const tilstand of ['ventende', 'sendt', 'aktiv'])
    for (const life of lives) {
      const [row] = await storage.database.query<{ iBruk: boolean; ikkeAvsluttet: boolean }>(
        `select ${keyInUse('$1', 'n')} as "iBruk", ${keyNotEnded('$1', 'n')} as "ikkeAvsluttet"
         from (select $2::text as tilstand, $3::timestamptz as utloper_at, $4::timestamptz as slutter_at,
           $5::timestamptz as tilbakekalt_at) as n`,
        [at, tilstand, life.utloper, life.slutter, life.tilbakekalt],
      )
      const over = keyOver(life, at)
      const isOut = tilstand !== 'ventende'
      expect({ life, tilstand, ...row }).toEqual({
        life,
        tilstand,
        iBruk: isOut && over === null,
        ikkeAvsluttet: isOut && (over === null || over === 'utlopt'),
      })
    }
})

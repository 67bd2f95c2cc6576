import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readEnvironment } from '#config/environment.ts'
import { readKey } from '#src/core/api-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { putWatches } from '#src/storage/changes/watches.ts'
import { openWorkers } from '#src/wiring/service.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { makeEndpoint } from '../support/made-endpoint.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'
import { changeOf, writeInLog } from '../support/written-changes.ts'

const AHEAD_DAYS = 800

let around: Surroundings
let folder: string
beforeEach(async () => {
  ;[around, folder] = await Promise.all([startSurroundings(), mkdtemp(join(tmpdir(), 'oppslag-klokke-'))])
})
afterEach(async () => {
  await around.close()
  await rm(folder, { recursive: true, force: true })
})

/** What a customer has, and is to have. */
const KEPT = `
  select (select count(*) from api_nokkel where hash is not null and epost is not null)::integer as nokler,
    (select count(*) from overvaking)::integer as overvakinger, (select count(*) from endepunkt)::integer as endepunkter,
    (select count(*) from endring)::integer as endringer`

describe('a machine whose clock is set ahead by years, PostgreSQL’s with it', () => {
  it('P194: attack: takes nothing of a customer’s away for good, and does so by one that has been followed for a day', async () => {
    const { database } = around.storage
    const key = readKey(around.token)
    if (typeof key === 'string') throw new Error(key)
    const eier = key.id
    await putWatches(
      database,
      { eier, prove: false },
      [{ orgnr: SAMPLE.healthy, navn: null, typer: null, epost: null }],
      { max: 10, at: systemClock.now() },
    )
    await makeEndpoint(database, eier, 'https://mottaker.example/')
    await database.query(`update endepunkt set hviler_fra = now()`)
    await writeInLog(database, changeOf(SAMPLE.healthy))
    const all = { nokler: 1, overvakinger: 1, endepunkter: 1, endringer: 1 }
    expect(await database.query(KEPT)).toEqual([all])
    await setAhead()
    const ahead = vi
      .spyOn(systemClock, 'now')
      .mockImplementation(() => new Date(Date.now() + AHEAD_DAYS * 86_400_000))
    try {
      await worker('forste.log', async (log) => {
        // The others, which are tried once an hour, begin with them.
        await eventually('what is tried again at once is put off', async () =>
          ['spor', 'endepunkter', 'paaminnelser'].every((each) => log().includes(`"hva":"${each}"`)),
        )
      })
      expect(await database.query(KEPT)).toEqual([all])
      await database.query(
        `insert into maaling (minutt, prosess, verdier)
         values (now() + $1 * interval '1 day' - interval '22 hours', gen_random_uuid(), '{}')`,
        [AHEAD_DAYS],
      )
      await worker('andre.log', async () => {
        await eventually('what is over goes', async () => {
          const [left] = await database.query<typeof all>(KEPT)
          return left?.nokler === 0 && left.endepunkter === 0
        })
      })
    } finally {
      ahead.mockRestore()
    }
  })
})

/** For whoever connects from now on. */
async function setAhead(): Promise<void> {
  const { database } = around.storage
  await database.query('create schema klokke')
  for (const name of ['now', 'clock_timestamp'])
    await database.query(
      `create function klokke.${name}() returns timestamptz language sql
       as $$ select pg_catalog.${name}() + interval '${AHEAD_DAYS} days' $$`,
    )
  await database.query(`do $$ begin
    execute format('alter database %I set search_path = klokke, pg_catalog, public', current_database()); end $$`)
}

async function worker(name: string, work: (log: () => string) => Promise<void>): Promise<void> {
  const path = join(folder, name)
  const workers = await openWorkers(
    readEnvironment({ ...around.variables(), PORT: '0', OPS_PORT: '0', LOG_FILE: path }),
  )
  let text = ''
  const reading = setInterval(() => {
    void readFile(path, 'utf8').then((read) => {
      text = read
    })
  }, 100)
  try {
    await work(() => text)
  } finally {
    clearInterval(reading)
    await workers.close()
  }
}

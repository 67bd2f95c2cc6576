import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '#test/support/command.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { onServer } from '#test/support/database-server.ts'
import { eventually } from '#test/support/eventually.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { type SampleService, startSampleService } from '#test/support/sample-service.ts'

let service: SampleService

beforeAll(async () => {
  service = await startSampleService({ isLoaded: true })
})
afterAll(() => service.close())

function check(variables: Record<string, string>, isAlone = true) {
  return runCommand(variables, ['status', '--sjekk'], { isAlone })
}

test('P73: a service that is ready is told in one line, and something wrong is a warning', async () => {
  await eventually('a process has told that it is ready', async () => {
    const { code, out } = await check({ DATABASE_URL: service.storage.url }, false)
    expect(out.trim().split('\n')).toHaveLength(1)
    return code < 2 && /^(OK|ADVARSEL) - .*1 av 1 prosesser er klare\n$/.test(out)
  })
  await service.storage.database.query(`insert into ordre (id, token_hash, referanse, tilstand, miljo, produkt, belop_ore,
    valuta, vilkaar_godtatt_at, laget_at, endret_at, alarm) values ('0123456789', decode(repeat('00', 32), 'hex'), 'referanse-1',
    'avvik', 'test', 'p', 100, 'NOK', now(), now(), now(), 'avvik')`)
  const { code, out } = await check({ DATABASE_URL: service.storage.url }, false)
  expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(/^ADVARSEL - [^\n]+\n$/) })
})

test('P73: with PostgreSQL away, or no process, it is critical', async () => {
  const [port] = await freePorts(1)
  const away = await check({ DATABASE_URL: `postgres://x:y@127.0.0.1:${port}/z` }, false)
  expect(away).toEqual({ code: 2, out: 'KRITISK - PostgreSQL kan ikke nås\n', err: '' })
  const alone = await createTestDatabase()
  const none = await check({ DATABASE_URL: alone.url }, false)
  expect(none).toMatchObject({ code: 2, out: expect.stringMatching(/^KRITISK - ingen prosess er klar.*\n$/) })
  await alone.close()
})

test('P73: attack: with a PostgreSQL that can only be read, as one that follows another, it is critical, and no process is said to be well or missing', async () => {
  const { url, close } = await createTestDatabase()
  const beside = new URL(url)
  beside.pathname = '/postgres'
  await onServer(
    beside.href,
    `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`,
  )
  const { code, out } = await check({ DATABASE_URL: url }, false)
  expect({ code, out }).toEqual({
    code: 2,
    out: expect.stringMatching(/^KRITISK - PostgreSQL kan bare leses: /),
  })
  expect(out).not.toContain('ingen prosess er klar')
  await close()
})

test('P73: attack: a PostgreSQL that says why it can not be used, as with a full disk, is not said to be out of reach', async () => {
  const { url, database, close } = await createTestDatabase()
  const saidWith = async (code: string) => {
    await database.query(`create or replace function says_no() returns boolean language plpgsql as $$
      begin raise exception 'could not write init file' using errcode = '${code}'; end $$`)
    return check({ DATABASE_URL: url }, false)
  }
  await database.query('alter table prosess rename to prosess_som_var')
  await saidWith('53100')
  await database.query('create view prosess as select * from prosess_som_var where (select says_no())')
  const line = { code: 2, out: 'KRITISK - PostgreSQL har ikke plass på disken\n' }
  expect(await saidWith('53100')).toMatchObject(line)
  const other = { code: 2, out: 'KRITISK - PostgreSQL kan ikke brukes nå (53300)\n' }
  expect(await saidWith('53300')).toMatchObject(other)
  await close()
})

test('P73: an embedded database that does not run is neither made nor started', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'oppslag-sjekk-'))
  const { code, out } = await check({ DATA_DIR: dataDir }, false)
  expect({ code, out }).toEqual({ code: 2, out: 'KRITISK - den innebygde databasen går ikke\n' })
  expect(await readdir(dataDir)).toEqual([])
  await rm(dataDir, { recursive: true })
})

test('P73: what can not be understood is unknown', async () => {
  const { code, out } = await check({ DATABASE_URL: 'hei' }, false)
  expect({ code, out }).toEqual({ code: 3, out: expect.stringMatching(/^UKJENT - [^\n]+\n$/) })
})

test.runIf(process.getuid?.() === 0)(
  'P73: who may not look is told so, and of no outage (needs root)',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'oppslag-sjekk-'))
    process.seteuid?.(65_534)
    const { code, out } = await check({ DATA_DIR: dataDir }, false).finally(() => process.seteuid?.(0))
    expect({ code, out }).toEqual({ code: 3, out: `UKJENT - ${dataDir} er en annen brukers\n` })
    await rm(dataDir, { recursive: true })
  },
)

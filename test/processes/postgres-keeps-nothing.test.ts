import { once } from 'node:events'
import { chmod, rename } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { buryCompanies } from '#src/storage/tombstones.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/free-ports.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { variablesOf } from '../support/variables-of.ts'

const REMOVED = SAMPLE.bankrupt

let postgres: TestPostgres
let register: RegisterStandIn
let front: ServiceProcess
let known: string

const issue = async () =>
  (await issueKey({ db: postgres.database, clock: systemClock }, { epost: 'a@example.com', miljo: 'test' }))
    .token

beforeAll(async () => {
  ;[postgres, register] = await Promise.all([
    startPostgres(),
    startRegisterStandIn({ answers: sampleAnswers() }),
  ])
  known = await issue()
  // By an operator: the register knows it as before.
  await buryCompanies(postgres.database, [
    { organisasjonsnummer: REMOVED, slettedato: null, at: systemClock.now() },
  ])
  front = await startProcess('api', variablesOf({ register, databaseUrl: postgres.url }))
})
afterAll(async () => {
  await front.end('SIGKILL')
  await Promise.all([register.close(), postgres.close()])
})

async function ask(path: string, { method = 'GET', token = known } = {}): Promise<string> {
  const answer = await fetch(front.address + path, { method, headers: { authorization: `Bearer ${token}` } })
  await answer.arrayBuffer()
  const later = answer.headers.get('retry-after')
  return `${answer.status}${later === null ? '' : ', come again'}`
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

async function fileOf(table: string): Promise<string> {
  const [row] = await postgres.database.query<{ path: string }>(
    `select current_setting('data_directory') || '/' || pg_relation_filepath($1) as path`,
    [table],
  )
  return row?.path ?? ''
}

/** What a disk does that has become read only (42501 for PostgreSQL), or has lost something (58P01). */
const faults = {
  'can not be opened': { go: (path: string) => chmod(path, 0), come: (path: string) => chmod(path, 0o600) },
  'is gone': {
    go: (path: string) => rename(path, `${path}.borte`),
    come: (path: string) => rename(`${path}.borte`, path),
  },
}

describe.each(Object.entries(faults))('a file of PostgreSQL’s own that %s', (what, { go, come }) => {
  it.each([
    ['endring', 'the list of changes', () => ask('/api/endringer')],
    ['overvaking', 'a watch that is asked for', () => ask('/api/overvaking/901012121', { method: 'PUT' })],
    [
      'api_nokkel',
      'a key that is used for the first time',
      async (token: string) => ask('/api/bedrift/status', { token }),
    ],
  ] as const)(
    'P51: attack: %s: %s is a 503 that says when to come again, and is told in the log',
    async (table, _, question) => {
      const unused = await issue()
      const path = await fileOf(table)
      await ask('/api/bedrift/901012121')
      // In order, to its end: what it has in memory is not asked of the disk, and what is in its journal it would write anew.
      await postgres.stop()
      await go(path)
      try {
        await postgres.start()
        const told = front.output().length
        await eventually('PostgreSQL is asked', async () => (await question(unused)) !== '200')
        const answers = [await question(unused), await question(unused)]
        expect([what, ...answers]).toEqual([what, '503, come again', '503, come again'])
        expect(front.output().slice(told)).toMatch(/"code":"(42501|58P01)"/)
        expect(await ask('/api/bedrift/901012121')).toMatch(/^200/)
      } finally {
        await come(path)
      }
      await eventually('all is as before', async () => /^20[01]$/.test(await question(unused)))
    },
  )

  it('P51: attack: a process that starts meanwhile lives, says what it waits for, and is the service itself when all is mended', () =>
    startsWithout('migrering'))

  it('P51: attack: one that can not have at who was removed names nobody meanwhile, says what it waits for, and is the service later', () =>
    startsWithout('fjernet'))

  async function startsWithout(table: string): Promise<void> {
    const path = await fileOf(table)
    const [port = 0] = await freePorts(1)
    const readiness = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null)
      return { status: answer?.status, body: await answer?.json() }
    }
    const removed = async () => {
      const headers = { authorization: `Bearer ${known}` }
      return (await fetch(`http://127.0.0.1:${port}/api/bedrift/${REMOVED}`, { headers })).status
    }
    await postgres.stop()
    await go(path)
    let starting: Promise<ServiceProcess | Error>
    try {
      await postgres.start()
      starting = startProcess('api', {
        ...variablesOf({ register, databaseUrl: postgres.url }),
        PORT: String(port),
      }).catch((error: Error) => error)
      await eventually('it says how it is', async () => (await readiness()).status !== undefined)
      expect(await removed()).toBe(503)
      await eventually('it says what it waits for', async () => (await readiness()).status === 503)
      expect((await readiness()).body).toMatchObject({
        klar: false,
        hindringer: [{ del: 'database', tekst: expect.stringMatching(/42501|58P01/) }],
      })
      const visitor = await connected(port)
      // Each try takes connections of its own.
      const { taken } = postgres.way.connections
      await eventually('it has tried some times more', () => postgres.way.connections.taken > taken + 10)
      visitor.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
      expect(await text(visitor)).toMatch(/^HTTP\/1\.1 200 /)
    } finally {
      await come(path)
    }
    const second = await starting
    if (second instanceof Error) throw second
    try {
      await eventually('it is ready', async () => (await readiness()).status === 200)
      expect(await removed()).toBe(410)
      expect(second.output()).toMatch(/"reason":"(42501|58P01)"/)
      expect(second.output()).toMatch(/^PostgreSQL can not be used now \((42501|58P01)\): waiting for it$/m)
    } finally {
      await second.end('SIGKILL')
    }
  }
})

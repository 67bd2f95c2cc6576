import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { openStorage } from '#src/storage/open-storage.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { startCommand } from '../support/command.ts'
import { makeDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/free-ports.ts'
import { isWhole, readinessOf } from '../support/outages.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startSteadyLoad } from '../support/steady-load.ts'
import { variablesOf } from '../support/variables-of.ts'

let dataDir: string
let register: RegisterStandIn
let service: ServiceProcess

beforeAll(async () => {
  dataDir = await makeDataFolder('oppslag-alt-')
  register = await startRegisterStandIn({ answers: sampleAnswers() })
})
afterAll(async () => {
  await register.close()
  await rm(dataDir, { recursive: true, force: true })
})

it('P23, P51, P73: npm start, whose PostgreSQL is killed: what is held is answered all the while, and it is started again', async () => {
  const [port = 0, opsPort = 0] = await freePorts(2)
  service = await startProcess('start', {
    ...variablesOf({ register, databaseUrl: '' }),
    DATA_DIR: dataDir,
    PORT: String(port),
    OPS_PORT: String(opsPort),
  })
  const token = await issue()
  expect(await ask(token)).toBe(200)
  const readers = startSteadyLoad(service.address, { token, orgnr: SAMPLE.healthy, clients: 2, pauseMs: 20 })
  for (let death = 0; death < 2; death++) {
    const killed = await postmaster()
    process.kill(killed, 'SIGKILL')
    await eventually(
      'another runs in its place',
      async () => ![0, killed].includes(await postmaster()),
      60_000,
    )
    await eventually('the service has it again', async () => isWhole(await readinessOf(ready())), 60_000)
    // A key nobody has seen is looked up, and put into use.
    expect(await ask(await issue())).toBe(200)
  }
  await readers.stop()
  expect([...readers.statuses]).toEqual([200])
  expect(readers.broken).toBe(0)
  const hangs = await postmaster()
  process.kill(hangs, 'SIGSTOP')
  const monitored = await startCommand({ DATA_DIR: dataDir }, ['status', '--sjekk'])
  process.kill(hangs, 'SIGCONT')
  expect(monitored, 'P73: a monitor is answered, and need not wait for longer').toMatchObject({
    code: 3,
    out: 'UKJENT - det kom ikke noe svar i tide\n',
  })
  expect(await service.end()).toBe(0)
  const log = await readFile(join(dataDir, 'bedriftsoppslag.log'), 'utf8')
  expect(log.match(/"level":50.*The embedded PostgreSQL has gone away, and is started again/g)).toHaveLength(
    2,
  )
  expect(await postmaster()).toBe(0)
}, 300_000)

const ready = () => `${service.address}/health/ready`

async function ask(token: string): Promise<number> {
  const answer = await fetch(`${service.address}/api/bedrift/${SAMPLE.healthy}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await answer.arrayBuffer()
  return answer.status
}

/** As the command does, beside the running service. */
async function issue(): Promise<string> {
  const storage = await openStorage({ databaseUrl: null, dataDir, applicationName: 'test', poolMax: 1 })
  try {
    const { token } = await issueKey(
      { db: storage.database, clock: systemClock },
      { epost: 'a@example.com', miljo: 'test' },
    )
    return token
  } finally {
    await storage.close()
  }
}

async function postmaster(): Promise<number> {
  const note = join(dataDir, 'postgres', 'data', 'postmaster.pid')
  return Number((await readFile(note, 'utf8').catch(() => '')).split('\n')[0])
}

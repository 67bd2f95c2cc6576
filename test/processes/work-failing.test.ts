import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampleAnswers } from '../fixtures/samples/index.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { seller, vippsVariables } from '../support/shop-service.ts'
import { variablesOf } from '../support/variables-of.ts'
import { startVippsStandIn, type VippsStandIn } from '../support/vipps-stand-in.ts'

let storage: TestDatabase
let register: RegisterStandIn
let vipps: VippsStandIn
const workers: ServiceProcess[] = []

beforeAll(async () => {
  ;[storage, register, vipps] = await Promise.all([
    createTestDatabase(),
    startRegisterStandIn({ answers: sampleAnswers() }),
    startVippsStandIn(),
  ])
})
afterAll(async () => {
  await Promise.all(workers.map((each) => each.end('SIGKILL')))
  await Promise.all([vipps.close(), register.close()])
  await storage.close()
})

/** What is counted is counted by each process. */
async function startWorker(): Promise<ServiceProcess> {
  const worker = await startProcess('worker', {
    ...variablesOf({ register, databaseUrl: storage.url }),
    ...seller,
    ...vippsVariables(vipps),
    PUBLIC_URL: 'http://127.0.0.1:1',
  })
  workers.push(worker)
  return worker
}

async function runs(work: string, outcome: 'gjort' | 'feilet', worker: ServiceProcess): Promise<number> {
  const metrics = await (await fetch(`${worker.opsAddress()}/metrics`)).text()
  const line = `bedriftsoppslag_work_total{arbeid="${work}",utfall="${outcome}"} `
  const found = metrics.split('\n').find((each) => each.startsWith(line))
  return found === undefined ? Number.NaN : Number(found.slice(line.length))
}

it('P198: attack: Vipps refuses to be told where its messages are to go: that nothing is due between two tries is no sign that it can be done, nor at a worker that never has its turn', async () => {
  vipps.misbehave('alle', { kind: 'reset' })
  const first = await startWorker()
  await eventually('it has failed', async () => (await runs('webhooks: each', 'feilet', first)) === 1)
  const second = await startWorker()
  for (const each of [first, second])
    await eventually('nothing is due', async () => (await runs('webhooks', 'gjort', each)) > 1)
  const told = (worker: ServiceProcess) =>
    Promise.all((['gjort', 'feilet'] as const).map((outcome) => runs('webhooks: each', outcome, worker)))
  expect([await told(first), await told(second)]).toEqual([
    [0, 1],
    [0, 0],
  ])
})

it('P198: attack: what test keys are made with can not be had: that none can be mailed is counted, though nobody asks for one', async () => {
  const { database } = storage
  await database.query('revoke all on personhemmelighet from current_user')
  let worker: ServiceProcess
  try {
    worker = await startWorker()
    await eventually('it has failed', async () => (await runs('test keys', 'feilet', worker)) > 1)
    expect(await runs('test keys', 'gjort', worker)).toBe(0)
  } finally {
    await database.query('grant all on personhemmelighet to current_user')
  }
  await eventually('it is done', async () => (await runs('test keys', 'gjort', worker)) > 0)
})

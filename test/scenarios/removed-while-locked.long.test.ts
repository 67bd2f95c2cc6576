import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { changeOf, writeInLog } from '../support/written-changes.ts'

let register: RegisterStandIn
let receiver: WebhookReceiver
let service: TestService
beforeAll(async () => {
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  receiver = await startWebhookReceiver()
  service = await startTestService(register, {
    isLoaded: true,
    variables: { WEBHOOK_HOSTS: receiver.origin },
  })
})
afterAll(async () => {
  await service.close()
  await receiver.close()
  await register.close()
})

const path = (orgnr: string) => `/api/bedrift/${orgnr}`
const buried = async () =>
  (
    await service.storage.database.query<{ orgnr: string }>(
      'select organisasjonsnummer as orgnr from fjernet',
    )
  ).map(({ orgnr }) => orgnr)

/** Until it is let go nobody can be buried. */
async function holdRemovals(mode: string): Promise<{ letGo(): Promise<void> }> {
  const holder = new pg.Client({ connectionString: service.storage.url })
  await holder.connect()
  await holder.query(`begin; lock table fjernet in ${mode} mode`)
  return {
    async letGo() {
      await holder.query('rollback')
      await holder.end()
    },
  }
}

/** By its feed alone: what it says of the company itself may be minutes old. */
async function remove(orgnr: string): Promise<void> {
  expect((await service.get(path(orgnr))).status).toBe(200)
  register.publish('enheter', { organisasjonsnummer: orgnr, endringstype: 'Fjernet' })
  await eventually('it is named no more', async () => (await service.get(path(orgnr))).status === 410)
}

it('P11: attack: a company is removed while PostgreSQL takes no removal: it is named no more, and is buried when it does', async () => {
  expect((await service.get(path(SAMPLE.healthy))).status).toBe(200)
  const held = await holdRemovals('access exclusive')
  await remove(SAMPLE.healthy)
  await held.letGo()
  await eventually('it is buried', async () => (await buried()).includes(SAMPLE.healthy))
  expect((await service.get(path(SAMPLE.healthy))).status).toBe(410)
})

it('P11: attack: nor is what was seen of it before told to a customer’s endpoint', async () => {
  const [orgnr, naming, other] = [SAMPLE.usd, SAMPLE.holding, SAMPLE.subsidiary]
  for (const each of [orgnr, naming, other])
    await service.call('PUT', `/api/overvaking/${each}`, { body: {} })
  const made = await service.call('POST', '/api/endepunkter', {
    body: { adresse: `${receiver.origin}/krok` },
  })
  expect(made.status).toBe(201)
  const { database } = service.storage
  const held = await holdRemovals('share row exclusive')
  await remove(orgnr)
  const namesIt = [changeOf(orgnr), changeOf(naming, { nevner: [Number(orgnr)] })]
  await writeInLog(database, ...namesIt, changeOf(other))
  const told = () => receiver.received().map(({ body }) => JSON.parse(body).data.organisasjonsnummer)
  await eventually('each was told or left', async () => {
    const left = await database.query('select from levering where neste_at > clock_timestamp()')
    return left.length + told().length >= 3
  })
  expect(told()).toEqual([other])
  await held.letGo()
  await eventually('it is buried', async () => (await buried()).includes(orgnr))
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { changeOf, writeInLog } from '../support/written-changes.ts'

let register: RegisterStandIn
let service: TestService
beforeAll(async () => {
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  service = await startTestService(register)
})
afterAll(async () => {
  await service.close()
  await register.close()
})

async function runs(work: string, outcome: 'gjort' | 'feilet'): Promise<number> {
  const metrics = await (await fetch(`${service.opsAddress}/metrics`)).text()
  const line = `bedriftsoppslag_work_total{arbeid="${work}",utfall="${outcome}"} `
  const found = metrics.split('\n').find((each) => each.startsWith(line))
  return found === undefined ? Number.NaN : Number(found.slice(line.length))
}

it.concurrent.each([
  ['varsel_stilling', 'changes to be mailed'],
  ['bestilling', 'lists of numbers'],
  ['testnokkelonske', 'wishes for test keys'],
])(
  'P198: attack: what is kept in %s can not be had: that nothing comes of it is counted, until it can',
  async (table, work) => {
    const { database } = service.storage
    await eventually('it is done', async () => (await runs(work, 'gjort')) > 0)
    await database.query(`revoke all on ${table} from current_user`)
    try {
      const failed = await runs(work, 'feilet')
      await eventually('it has failed', async () => (await runs(work, 'feilet')) > failed)
      const done = await runs(work, 'gjort')
      await eventually('it has failed again', async () => (await runs(work, 'feilet')) > failed + 1)
      expect(await runs(work, 'gjort')).toBe(done)
    } finally {
      await database.query(`grant all on ${table} to current_user`)
    }
    const done = await runs(work, 'gjort')
    await eventually('it is done again', async () => (await runs(work, 'gjort')) > done)
  },
)

it('P198: attack: a mail fails each time it is tried, and none is due in between: that is no sign that mails go', async () => {
  const { database } = service.storage
  const done = () => runs('mails of changes: each', 'gjort')
  const failed = () => runs('mails of changes: each', 'feilet')
  await service.call('PUT', `/api/overvaking/${SAMPLE.healthy}`, { body: { epost: 'straks' } })
  await database.query('revoke all on sok_foretak from current_user')
  try {
    const before = await failed()
    await writeInLog(database, changeOf(SAMPLE.healthy, { forrige: new Date(), sett: new Date() }))
    await eventually(
      'it is written down',
      async () => (await database.query('update varsel set neste_at = now() returning 1')).length > 0,
    )
    await eventually('it has failed', async () => (await failed()) > before)
    const [doneBefore, beats] = [await done(), await runs('test keys', 'gjort')]
    await eventually('nothing is due for a while', async () => (await runs('test keys', 'gjort')) > beats + 8)
    expect(await done()).toBe(doneBefore)
  } finally {
    await database.query('grant all on sok_foretak to current_user')
  }
  const doneBefore = await done()
  await database.query('update varsel set neste_at = now()')
  await eventually('it is done again', async () => (await done()) > doneBefore)
})

it('P198: attack: of two lines one fails each time, and nothing is due in the other: that is no sign that companies are looked at', async () => {
  const { database } = service.storage
  const done = () => runs('watched companies', 'gjort')
  const failed = () => runs('watched companies', 'feilet')
  await service.call('PUT', `/api/overvaking/${SAMPLE.healthy}`, { body: {} })
  await eventually('it is in line', async () => (await database.query('select 1 from blikk')).length > 0)
  await database.query('revoke all on grunnlag from current_user')
  try {
    const before = await failed()
    await database.query(`update blikk set neste_at = now(), sene_at = 'infinity'`)
    await eventually('it has failed', async () => (await failed()) > before)
    const doneBefore = await done()
    await eventually('it has failed again', async () => (await failed()) > before + 3)
    expect(await done()).toBe(doneBefore)
  } finally {
    await database.query('grant all on grunnlag to current_user')
  }
})

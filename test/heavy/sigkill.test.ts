import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { type ServiceProcess, startProcess, variablesOf } from '../support/processes.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { loadIndustryCodes } from '../support/service.ts'
import { startSteadyLoad } from '../support/steady-load.ts'
import { startVippsStandIn, type VippsStandIn } from '../support/vipps-stand-in.ts'

const KILLS = Number(process.env.KILLS ?? 200)
const BUYERS = 3

describe(`P37: SIGKILL under load, ${KILLS} times`, () => {
  let register: RegisterStandIn
  let storage: TestDatabase
  let vipps: VippsStandIn
  let token: string
  /** The address of each buyer who was told where to pay, and where. */
  const acknowledged = new Map<string, string>()
  const wrong: string[] = []

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: sampleAnswers() })
    ;[storage, vipps] = await Promise.all([createTestDatabase(), startVippsStandIn()])
    await loadIndustryCodes(storage, systemClock)
    const key = await issueKey(
      { db: storage.database, clock: systemClock },
      { epost: 'a@example.com', miljo: 'test' },
    )
    token = key.token
  })
  afterAll(() => Promise.all([storage, vipps, register].map((each) => each.close())))

  it('every answer that came was right, and every order that was answered for exists', async () => {
    for (let kill = 1; kill <= KILLS; kill++) await round(kill)
    const rows = await storage.database.query<{ epost: string; betalingslenke: string | null }>(
      'select epost, betalingslenke from ordre',
    )
    const stored = new Map(rows.map(({ epost, betalingslenke }) => [epost, betalingslenke]))
    const lost = [...acknowledged].filter(([epost, url]) => stored.get(epost) !== url)
    expect(lost).toEqual([])
    expect(acknowledged.size).toBeGreaterThan(KILLS)
    // One payment for each order, whatever became of the process that opened it.
    expect(new Set(vipps.payments.all().map(({ reference }) => reference)).size).toBe(
      vipps.payments.all().length,
    )
  }, 3_600_000)

  /** Readers and buyers at work, and then all at once nothing, at another moment in each round. */
  async function round(kill: number): Promise<void> {
    const front = await startProcess('api', variables())
    const load = startSteadyLoad(front.address, { token, orgnr: SAMPLE.healthy, clients: 4 })
    const before = acknowledged.size
    let isOver = false
    const buying = Promise.all(
      Array.from({ length: BUYERS }, async () => {
        while (!isOver) isOver = !(await buy(front))
      }),
    )
    try {
      await eventually(
        'readers and buyers are at work',
        () => load.answered > 0 && acknowledged.size > before + (kill % 5),
        20_000,
      )
      await pause(kill % 17)
    } finally {
      await front.end('SIGKILL')
      await buying
      await load.stop()
    }
    expect(wrong, front.output().slice(-3000)).toEqual([])
    expect([...load.statuses]).toEqual([200])
    expect(load.texts.size).toBe(1)
  }

  /** As the page's form does. @returns false when there was nobody to answer */
  async function buy(front: ServiceProcess): Promise<boolean> {
    const epost = `kjoper-${randomBytes(6).toString('hex')}@example.no`
    const form = new URLSearchParams({
      epost,
      skjema: randomBytes(24).toString('base64url'),
      vilkaar: 'ja',
    })
    const answer = await fetch(`${front.address}/kjop/betal`, {
      method: 'POST',
      // Each from a network of its own: one network orders no more than so much.
      headers: { 'x-forwarded-for': randomBytes(4).join('.') },
      body: form,
      redirect: 'manual',
    }).catch(() => null)
    if (answer === null) return false
    if (answer.status !== 303) {
      wrong.push(`${answer.status} ${await answer.text().catch(() => '')}`)
      return false
    }
    acknowledged.set(epost, answer.headers.get('location') ?? '')
    return true
  }

  function variables(): Record<string, string> {
    const { clientId, clientSecret, subscriptionKey, merchantSerialNumber } = vipps.credentials
    return {
      ...variablesOf({ register, databaseUrl: storage.url }),
      TRUST_PROXY: '127.0.0.1/32',
      MILJO: 'test',
      VIPPS_URL: vipps.url,
      VIPPS_CLIENT_ID: clientId,
      VIPPS_CLIENT_SECRET: clientSecret,
      VIPPS_SUBSCRIPTION_KEY: subscriptionKey,
      VIPPS_MSN: merchantSerialNumber,
      SELLER_NAME: 'Oppslag Eksempel AS',
      SELLER_ORGNR: '901234345MVA',
      SELLER_ADDRESS: 'Prøvegata 1, 0001 Oslo',
      SELLER_VAT_TEXT: 'Herav mva. 25 %: 99,80 kr',
      PRICE_ORE: '49900',
    }
  }
})

import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { seller, vippsVariables } from '../support/shop-service.ts'
import { startSteadyLoad } from '../support/steady-load.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'
import { startVippsStandIn, type VippsStandIn } from '../support/vipps-stand-in.ts'

const KILLS = Number(process.env.KILLS ?? 200)
const BUYERS = 3

describe(`P37: SIGKILL under load, ${KILLS} times`, () => {
  let around: Surroundings
  let vipps: VippsStandIn
  /** The address of each buyer who was told where to pay, and where. */
  const acknowledged = new Map<string, string>()
  const wrong: string[] = []

  beforeAll(async () => {
    ;[around, vipps] = await Promise.all([startSurroundings(), startVippsStandIn()])
  })
  afterAll(() => Promise.all([around.close(), vipps.close()]))

  it('every answer that came was right, and every order that was answered for exists', async () => {
    for (let kill = 1; kill <= KILLS; kill++) await round(kill)
    const rows = await around.storage.database.query<{ epost: string; betalingslenke: string | null }>(
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
    const load = startSteadyLoad(front.address, { token: around.token, orgnr: SAMPLE.healthy, clients: 4 })
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
    // A busy machine's database may be too late: put off, and nothing promised.
    if (answer.status === 503 && answer.headers.has('retry-after')) return true
    if (answer.status !== 303) {
      wrong.push(`${answer.status} ${await answer.text().catch(() => '')}`)
      return false
    }
    acknowledged.set(epost, answer.headers.get('location') ?? '')
    return true
  }

  function variables(): Record<string, string> {
    return {
      ...around.variables(),
      ...seller,
      ...vippsVariables(vipps),
      TRUST_PROXY: '127.0.0.1/32',
      MILJO: 'test',
      // They have a bound of their own, too short for a busy machine: one front's record would lack what another's has.
      KUNNGJORINGER: 'av',
    }
  }
})

import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { offer } from '../sales/shop.ts'
import { type BreakableConnection, createBreakableConnection } from '../support/breakable-connection.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/free-ports.ts'
import { keyIn, type MailServer, startMailServer } from '../support/mail-server.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { seller, vippsVariables } from '../support/shop-service.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'
import { type SignedRequest, startVippsStandIn, type VippsStandIn } from '../support/vipps-stand-in.ts'

const UNPAID = 2000
const NETWORKS = 70
const AWAY_MS = 8000
const BETWEEN_MS = 6000
const BUYER_EVERY_MS = 1500
const LATE = { kind: 'late', byMs: 200 } as const

let around: Surroundings
let vipps: VippsStandIn
let mail: MailServer
let queue: TestRedis
let way: BreakableConnection
let origin: string
let variables: Record<string, string>
let front: ServiceProcess
let worker: ServiceProcess

beforeEach(async () => {
  ;[around, vipps, mail, queue] = await Promise.all([
    startSurroundings(),
    startVippsStandIn(),
    startMailServer(),
    startRedis(),
  ])
  way = await createBreakableConnection(around.storage.url)
  const [port = 0] = await freePorts(1)
  origin = `http://127.0.0.1:${port}`
  variables = {
    ...around.variables({ databaseUrl: way.url, queueRedisUrl: queue.url }),
    ...seller,
    ...vippsVariables(vipps),
    SMTP_URL: mail.url,
    MAIL_FROM: 'Oppslag <nokler@oppslag.example>',
    TRUST_PROXY: '127.0.0.1',
    PUBLIC_URL: origin,
  }
  ;[front, worker] = await Promise.all([startFront(), startProcess('worker', variables)])
})
afterEach(async () => {
  await Promise.all([front, worker].map((each) => each.end('SIGKILL')))
  await way.close()
  await Promise.all([queue.close(), mail.close(), vipps.close()])
  await around.close()
})

const startFront = () => startProcess('api', { ...variables, PORT: new URL(origin).port })
const query = <T extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
  around.storage.database.query<T>(text, values)

/** What goes and comes back, each for a while, one after the other; the stores and the mail server lose what they had under way. */
const fallen: readonly [string, { go(): unknown; come(): unknown }][] = [
  ['PostgreSQL', { go: () => way.cut(), come: () => way.restore() }],
  ['PostgreSQL, in silence', { go: () => way.silence(), come: () => way.restore() }],
  ['the queue’s Redis', { go: () => queue.stop(), come: () => queue.start() }],
  ['the mail server', { go: () => mail.down(), come: () => mail.up() }],
  [
    'the mail server, after it took the mail',
    {
      go: () => mail.behave({ at: 'end', does: 'reset' }),
      come: () => mail.behave(),
    },
  ],
  [
    'the worker',
    { go: () => worker.end('SIGKILL'), come: async () => (worker = await startProcess('worker', variables)) },
  ],
  ['the front', { go: () => front.end('SIGKILL'), come: async () => (front = await startFront()) }],
  [
    'Vipps',
    {
      go: () => vipps.misbehave('alle', { kind: 'reset' }),
      come: () => vipps.misbehave('alle', LATE),
    },
  ],
]

type Buyer = { epost: string; approvedAt: number; reference: string }

/** Somebody who buys, whatever falls, and presses again where nothing came. */
async function buy(number: number): Promise<Buyer> {
  const epost = `kjoper-${number}@example.no`
  const skjema = randomBytes(24).toString('base64url')
  await hasOrder(epost, skjema, `198.51.100.${number % 250}`)
  const [order] = await query<{ referanse: string }>('select referanse from ordre where epost = $1', [epost])
  const reference = order?.referanse ?? ''
  await pause(randomInt(3000))
  vipps.approve(reference)
  return { epost, reference, approvedAt: Date.now() }
}

/** Pressed again as people do, and no oftener than a network may. */
async function hasOrder(epost: string, skjema: string, ip: string): Promise<void> {
  const said: number[] = []
  for (const until = Date.now() + 240_000; Date.now() < until && said.length < 25; await pause(2000)) {
    const answer = await fetch(`${origin}/kjop/betal`, {
      method: 'POST',
      body: new URLSearchParams({ epost, skjema, vilkaar: 'ja' }),
      headers: { 'x-forwarded-for': ip },
      redirect: 'manual',
      signal: AbortSignal.timeout(20_000),
    }).catch(() => null)
    if (answer?.headers.get('location')?.startsWith(vipps.url)) return
    if (answer !== null) said.push(answer.status)
  }
  throw new Error(`${epost} got no order to pay: ${said.join(', ')}`)
}

describe('P152: a purchase while all that it takes dies in turn', () => {
  test('among 2,000 unpaid orders of 70 networks, with no message of Vipps: each gets one key in its time, and pays once', async () => {
    vipps.webhooks.never()
    vipps.misbehave('alle', LATE)
    await query(
      `insert into ordre (id, token_hash, referanse, tilstand, epost, nettverk, miljo, produkt, belop_ore, valuta,
         vilkaar_godtatt_at, laget_at, endret_at, neste_sjekk_at)
       select lpad(n::text, 10, '0'), sha256(n::text::bytea), 'bo-flom' || n || '-1', 'opprettet', n || '@example.no',
         '203.0.113.' || n % $2, 'test', 'x', 49900, 'NOK', now(), now(), now(), now() from generate_series(1, $1) n`,
      [UNPAID, NETWORKS],
    )
    const away: { what: string; from: number; to: number }[] = []
    const buyers: Promise<Buyer>[] = []
    let isOver = false
    const coming = (async () => {
      while (!isOver) {
        const buying = buy(buyers.length)
        buying.catch(() => {})
        buyers.push(buying)
        await pause(BUYER_EVERY_MS)
      }
    })()
    for (const [what, { go, come }] of fallen) {
      await pause(BETWEEN_MS)
      const from = Date.now()
      await go()
      await pause(AWAY_MS)
      await come()
      away.push({ what, from, to: Date.now() })
    }
    await pause(BETWEEN_MS)
    isOver = true
    await coming
    const settled = await Promise.allSettled(buyers)
    expect(settled.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []))).toEqual([])
    const paid = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))

    const keyMails = (epost: string) =>
      mail.mails.filter(({ envelope, content }) => envelope.to === epost && keyIn({ content }) !== null)
    const seconds: number[] = []
    for (const { epost, approvedAt } of paid) {
      await eventually(`${epost} has a key`, () => keyMails(epost).length > 0, 180_000)
      const [first] = keyMails(epost)
      const at = first?.content.date === undefined ? Date.now() : Date.parse(first.content.date)
      const fell = away.reduce(
        (sum, { from, to }) => sum + Math.max(0, Math.min(to, at) - Math.max(from, approvedAt)),
        0,
      )
      seconds.push(Math.max(0, Math.round((at - approvedAt - fell) / 1000)))
    }
    process.stdout.write(
      `${paid.length} bought; seconds to the key, without what was away: ${seconds.join(', ')}\n`,
    )
    expect(Math.max(...seconds)).toBeLessThan(60)
    for (const { epost } of paid) {
      const keys = keyMails(epost).map((each) => keyIn(each) ?? '')
      const statuses: number[] = []
      for (const key of keys) {
        const headers = { authorization: `Bearer ${key}` }
        statuses.push((await fetch(`${origin}/api/bedrift/status`, { headers })).status)
      }
      expect([epost, statuses.filter((status) => status === 200).length]).toEqual([epost, 1])
    }
    await eventually(
      'every order that was paid is done',
      async () =>
        (await query(`select 1 from ordre where epost like 'kjoper-%' and tilstand <> 'fullfort'`)).length ===
        0,
      120_000,
    )
    for (const { reference } of paid) {
      const { captured, cancelled } = vipps.ledger().sums(reference)
      expect([reference, captured, cancelled.ore]).toEqual([reference, { times: 1, ore: offer.priceOre }, 0])
    }
    expect(vipps.ledger().sums().captured).toEqual({ times: paid.length, ore: paid.length * offer.priceOre })
    expect(
      await query(`select epost from ordre where epost like 'kjoper-%' group by epost having count(*) > 1`),
    ).toEqual([])
  }, 900_000)

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'Vipps’ messages, hundreds at once, and a front that ends by %s among them: what was taken is stored, and no more than was sent',
    async (signal) => {
      await eventually('we are registered', () => vipps.webhooks.registrations().length === 1)
      const known = { reference: 'bo-nokkel-1' }
      await eventually('and it is known', async () => (await vipps.webhooks.send(known)) === 200)
      await query('truncate betalingshendelse')
      const all = Array.from({ length: ROUNDS * MESSAGES }, (_, index) => ({
        reference: `bo-melding${index}-1`,
        name: NAMES[index % NAMES.length] ?? '',
        pspReference: `psp-${index}`,
      }))
      for (let round = 0; round < ROUNDS; round += 1) {
        const sent = untilTaken(all.slice(round * MESSAGES, (round + 1) * MESSAGES))
        await pause(randomInt(500))
        const code = await front.end(signal)
        front = await startFront()
        await sent
        expect(code).toBe(signal === 'SIGTERM' ? 0 : null)
      }
      // Once more, all of it at once, in another order, together with forgeries.
      const [, forged] = await Promise.all([
        untilTaken(all.toReversed()),
        Promise.all(
          all.map((each) => vipps.webhooks.send({ ...each, reference: 'bo-falsk-1' }, oneByteMore)),
        ),
      ])
      // One whose secret can not be looked at is told to come again, as a right one is; two thousand at once are more than one network has connections.
      expect(forged.filter((each) => each !== 401 && each !== 503 && each !== null)).toEqual([])
      expect(forged).toContain(401)
      const [row] = await query<{ antall: string; ulike: string }>(
        'select count(*) as antall, count(distinct referanse) as ulike from betalingshendelse',
      )
      expect(row).toEqual({ antall: String(all.length), ulike: String(all.length) })
    },
    600_000,
  )
})

const ROUNDS = 5
const MESSAGES = 200
const NAMES = ['AUTHORIZED', 'CAPTURED', 'CANCELLED', 'EXPIRED', 'TERMINATED']

const oneByteMore = (request: SignedRequest): SignedRequest => ({
  ...request,
  body: Buffer.concat([request.body, Buffer.from(' ')]),
})

/** As Vipps does: whoever is not told 200 comes again. What was told so is there. */
async function untilTaken(
  events: readonly { reference: string; name: string; pspReference: string }[],
): Promise<void> {
  for (let waiting = [...events]; waiting.length > 0; await pause(50)) {
    const answers = await Promise.all(waiting.map((each) => vipps.webhooks.send(each)))
    expect(answers.filter((each) => each !== 200 && each !== 503 && each !== null)).toEqual([])
    const taken = waiting.filter((_, index) => answers[index] === 200).map(({ reference }) => reference)
    const stored = await query('select distinct referanse from betalingshendelse where referanse = any($1)', [
      taken,
    ])
    expect(stored.length).toBe(taken.length)
    waiting = waiting.filter((_, index) => answers[index] !== 200)
  }
}

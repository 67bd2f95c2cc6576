import { Client } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createNamedKeys } from '#src/access/named-keys.ts'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { idIn } from '#src/core/api-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { type JobLane, jobs } from '#src/queue/jobs.ts'
import { createBatchWork } from '#src/record/batches.ts'
import { companySources } from '#src/sources/index.ts'
import { HOUR_MS } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { formBrowser } from '../support/form-browser.ts'
import { speaking } from '../support/handed-in-lists.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { issueToken, startTestService, type TestService } from '../support/service.ts'

const [one = '', ...many] = inventNumbers(31)
const KEYS = 10
const crowded = inventNumbers(150).slice(31)
const atOnce = inventNumbers(150 + policy.readings.forOneMax).slice(150)

let register: RegisterStandIn
let service: TestService
/** Keys with names, of one purchase. */
let named: string[]

beforeAll(async () => {
  register = await startRegisterStandIn({
    answers: answersWithCopies([one, ...many, ...crowded, ...atOnce] as never),
  })
  service = await startTestService(register, { isLoaded: true, workers: false })
  named = await makeNamed()
})
afterAll(async () => {
  await service.close()
  await register.close()
})

/** What is measured beside a crowd is in `test/heavy/equal-turns.test.ts`. */
it('P61: thirty forced refreshes of one key leave another’s its turn, and nobody is refused', async () => {
  const other = { authorization: `Bearer ${await issueToken(service.storage)}` }
  // A first use costs more than a look-up.
  for (const headers of [{}, other]) await service.get('/api/bedrift/status', headers)
  const crowd = many.map((orgnr) => service.get(`/api/bedrift/${orgnr}?fersk=true`))
  const single = await service.getBare(`/api/bedrift/${one}?fersk=true`, other)
  expect(single.headers.get('x-fersk')).toBe('gitt')
  for (const { status } of await Promise.all(crowd)) expect(status).toBe(200)
})

it('P61: of a crowd of companies of one key no unit waits behind what is asked besides of the others', async () => {
  register.calls.reset()
  register.setFault('alle', { kind: 'delay', ms: 100 })
  try {
    const told = await Promise.all(atOnce.map((orgnr) => service.get(`/api/bedrift/${orgnr}`)))
    for (const { status } of told) expect(status).toBe(200)
    const units = register.calls.moments(new Set(['enhet']))
    expect(units).toHaveLength(atOnce.length)
    const besides = new Set(companySources.filter((source) => source !== 'enhet'))
    const earlier = register.calls.moments(besides).filter((at) => at < (units.at(-1) ?? 0))
    expect(earlier.length).toBeLessThan(2 * policy.registers.connectionsForOneMax)
  } finally {
    register.clearFaults()
  }
})

it('P183: two hundred connections of whoever has no key leave another’s its turn of the event loop', async () => {
  const other = { authorization: `Bearer ${await issueToken(service.storage)}` }
  const told: string[] = []
  const ask = async (whose: string, path: string, headers: Record<string, string>) => {
    const { status } = await service.getBare(path, headers)
    expect(status).toBe(200)
    told.push(whose)
  }
  const crowd = () => Array.from({ length: 200 }, () => ask('crowd', '/oppslag?q=tinde', {}))
  await Promise.all([...crowd(), ask('other', `/api/bedrift/${one}/roller`, other)])
  told.length = 0
  await Promise.all([...crowd(), ask('other', `/api/bedrift/${one}/roller`, other)])
  expect(told.indexOf('other')).toBeLessThan(150)
})

it('P183: two hundred connections of one key leave another’s its turn of the event loop', async () => {
  const other = { authorization: `Bearer ${await issueToken(service.storage)}` }
  const told: string[] = []
  const ask = async (whose: string, path: string, headers: Record<string, string>) => {
    const { status } = await service.getBare(path, headers)
    expect(status).toBe(200)
    told.push(whose)
  }
  // Made for each who asks: what is held is in Norwegian.
  const mine = { authorization: `Bearer ${service.token}`, 'accept-language': 'en' }
  const crowd = () => Array.from({ length: 200 }, () => ask('crowd', `/api/bedrift/${one}`, mine))
  await Promise.all([...crowd(), ask('other', `/api/bedrift/${one}/roller`, other)])
  told.length = 0
  await Promise.all([...crowd(), ask('other', `/api/bedrift/${one}/roller`, other)])
  expect(told.indexOf('other')).toBeLessThan(150)
})

it.each([
  ['without a key', '/status', () => ({})],
  [
    'with another key each where none is asked for',
    '/status',
    (at: number) => ({ authorization: `Bearer ${at}` }),
  ],
  [
    'with another session each that is none',
    '/status',
    (at: number) => ({ cookie: `bedriftsoppslag=${at}` }),
  ],
  ['where there is nothing', '/tull', (at: number) => ({ authorization: `Bearer ${at}` })],
  [
    'with another key each that is none',
    '/api/bedrift/status',
    (at: number) => ({ authorization: `Bearer ${at}` }),
  ],
])(
  'P183: two hundred connections of one network %s leave another’s its turn of the event loop',
  async (_what, path, headersOf: (at: number) => Record<string, string>) => {
    const { address } = service
    const connections = Array.from({ length: 200 }, () => new Client(address))
    const other = new Client(address, { localAddress: '127.0.0.2' })
    const told: string[] = []
    const ask = async (client: Client, at: number) => {
      const { body } = await client.request({ method: 'GET', path, headers: headersOf(at) })
      await body.dump()
      told.push(client === other ? 'other' : 'crowd')
    }
    const all = [...connections, other]
    try {
      await Promise.all(all.map(ask))
      told.length = 0
      await Promise.all(all.map(ask))
      expect(told.indexOf('other')).toBeLessThan(150)
    } finally {
      await Promise.all(all.map((client) => client.destroy()))
    }
  },
)

it('P183: attack: two hundred networks without a key leave who has logged in their turn of the event loop', async () => {
  const browser = formBrowser(service.address)
  await browser.logIn(await issueToken(service.storage))
  const cookie = browser.cookie()
  const connections = Array.from(
    { length: 200 },
    (_, at) => new Client(service.address, { localAddress: `127.0.9.${at + 1}` }),
  )
  const own = new Client(service.address)
  const told: string[] = []
  const ask = async (client: Client) => {
    const [path, headers] = client === own ? [`/foretak/${one}`, { cookie }] : ['/oppslag?q=tinde', {}]
    const { statusCode, body } = await client.request({ method: 'GET', path, headers })
    await body.dump()
    expect(statusCode).toBe(200)
    told.push(client === own ? 'own' : 'crowd')
  }
  try {
    await Promise.all([...connections, own].map(ask))
    told.length = 0
    await Promise.all([...connections, own].map(ask))
    expect(told.indexOf('own')).toBeLessThan(100)
  } finally {
    await Promise.all([...connections, own].map((client) => client.destroy()))
  }
})

it('P39: attack: whether a process lives and is ready is told at the operators’ port beside two hundred networks', async () => {
  const crowd = Array.from({ length: 200 }, (_, at) => ({
    path: '/oppslag?q=tinde',
    client: new Client(service.address, { localAddress: `127.0.9.${at + 1}` }),
  }))
  const probes = ['/health/live', '/health/ready'].map((path) => ({
    path,
    client: new Client(service.opsAddress),
  }))
  const told: string[] = []
  const ask = async ({ client, path }: { client: Client; path: string }) => {
    const { statusCode, body } = await client.request({ method: 'GET', path })
    await body.dump()
    expect(statusCode).toBe(200)
    told.push(path)
  }
  try {
    await Promise.all([...crowd, ...probes].map(ask))
    told.length = 0
    await Promise.all([...crowd, ...probes].map(ask))
    for (const { path } of probes) expect(told.indexOf(path)).toBeLessThan(100)
  } finally {
    await Promise.all([...crowd, ...probes].map(({ client }) => client.destroy()))
  }
})

it('P61: ten keys of one purchase have the turns of one, and leave another purchase its own', async () => {
  const { frontInFlightMax, frontInFlightForOneMax } = policy.guard
  const lefts = frontInFlightMax - frontInFlightForOneMax
  const other = await issueToken(service.storage)
  const ask = (orgnr: string, token = '') => service.call('GET', `/api/bedrift/${orgnr}`, { token })
  // A first use costs more than a look-up.
  for (const token of [...named, other]) expect((await ask(one, token)).status).toBe(200)
  const [others, wanted] = [crowded.slice(0, lefts), crowded.slice(lefts)]
  const held = Promise.withResolvers<void>()
  register.setFault('enhet', { kind: 'hold', until: held.promise })
  const asked = (orgnrs: readonly string[]) =>
    orgnrs.reduce((sum, orgnr) => sum + register.calls.count('enhet', orgnr), 0)
  const crowd = wanted.map((orgnr, at) => ask(orgnr, named[at % KEYS]))
  await eventually('the crowd has its places', () => asked(wanted) >= frontInFlightForOneMax)
  const beside = others.map((orgnr) => ask(orgnr, other))
  await eventually('another has theirs', () => asked(others) === lefts)
  expect(asked(wanted)).toBe(frontInFlightForOneMax)
  held.resolve()
  register.clearFaults()
  for (const { status } of await Promise.all([...crowd, ...beside])) expect(status).toBe(200)
})

it('P109: the lists of ten keys of one purchase have the turns of one', async () => {
  const other = await issueToken(service.storage)
  const tokens = [...named, other]
  const front = speaking(() => service.address)
  for (const token of tokens) expect((await front.hand(`["${one}"]`, { token })).status).toBe(202)
  const callers: string[] = []
  const work = createBatchWork({
    db: service.storage.database,
    readerFor: () => ({
      async *read(_, { caller }) {
        callers.push(caller)
        yield []
      },
    }),
    // What keys are let to do is dated by another clock, which may be ahead.
    clock: { now: () => new Date(systemClock.now().getTime() + HOUR_MS) },
    policy: policy.batches,
  })
  const right = idIn(service.token) ?? ''
  const ofCustomers = (...those: unknown[]) => those.map((rett) => ({ rett, prove: false }))
  expect(await work.due()).toEqual(ofCustomers(right, idIn(other)))
  while (await work.turn(right, { signal: AbortSignal.timeout(30_000) }));
  expect(callers).toEqual(Array(KEYS).fill(right))
  expect(await work.due()).toEqual(ofCustomers(idIn(other)))
})

it('P109: attack: the lists of hundreds of test keys stand in no customer’s line', async () => {
  const { laneOf } = jobs['go-through-batch']
  expect([{ prove: true }, { prove: false }, {}].map((each) => laneOf(each))).toEqual([
    'bestillinger_prove',
    'bestillinger',
    'bestillinger',
  ])
  const front = speaking(() => service.address)
  const handed = [
    [PUBLIC_TEST_KEY, 'bestillinger_prove'],
    [await issueToken(service.storage), 'bestillinger'],
  ] as const
  for (const [token, lane] of handed) {
    const before = await waitingIn(lane)
    expect((await front.hand(`["${one}"]`, { token, name: 'angrep' })).status).toBe(202)
    await eventually(`it waits in ${lane}`, async () => (await waitingIn(lane)) === before + 1)
  }
  const work = createBatchWork({
    db: service.storage.database,
    readerFor: () => expect.unreachable(),
    clock: { now: () => new Date(systemClock.now().getTime() + HOUR_MS) },
    policy: policy.batches,
  })
  const due = await work.due()
  expect(due.map(({ prove }) => prove).indexOf(true)).toBe(due.length - 1)
})

async function waitingIn(lane: JobLane): Promise<number> {
  const depths = await service.tiers.queue.depths()
  return depths.find((each) => each.lane === lane)?.waiting ?? 0
}

/** Of the purchase the service's own key is of. */
async function makeNamed(): Promise<string[]> {
  const db = service.storage.database
  const keys = createNamedKeys({ db, miljo: 'test', clock: systemClock, policy: policy.keys.named })
  const tokens: string[] = []
  for (let nr = 0; nr < KEYS; nr += 1) {
    const key = await keys.make(idIn(service.token) ?? '', `program ${nr}`)
    if (key.utfall === 'laget') tokens.push(key.token)
  }
  return tokens
}

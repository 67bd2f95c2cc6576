import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { mintKey } from '#src/core/api-key.ts'
import { type JobQueue, openQueue } from '#src/queue/open-queue.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { forgeKey } from '../support/forged-key.ts'
import { formBrowser } from '../support/form-browser.ts'
import { keyIn, linkIn } from '../support/mail-server.ts'
import { logIn, type TestOperator } from '../support/operators.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { type SaleDeployment, startSaleDeployment } from '../support/sale-deployment.ts'
import { holds, wholeFolder } from '../support/search-bytes.ts'
import { secretsIn, withoutSamples } from '../support/secrets-in.ts'
import { startTraceCollector, type TraceCollector } from '../support/trace-collector.ts'
import { wholeDatabase, wholeRedis } from '../support/whole-contents.ts'

const RECORD = `/api/bedrift/${SAMPLE.healthy}`
const STATUS = '/api/bedrift/status'
const BUYER = 'kjoperen@example.no'
const OTHER_BUYER = 'naboen@example.no'
/** Of nobody: the tax administration's test persons have 80 added to the month. */
const IDENTITY_NUMBER = '01819000049'
const DAY_MS = 24 * 60 * 60_000

let register: RegisterStandIn
let shop: SaleDeployment
let traces: TraceCollector
let queue: JobQueue
let operator: TestOperator
/** Every key that was mailed, in the order of the mails, and the one that was shown. */
const keys: string[] = []
/** What messages to its holder's address are signed with, the first and the one that took its place. */
const signing: string[] = []
/** What lets somebody in to a page, or does something, without a key: sessions, addresses and links. */
const openings: Record<string, string> = {}
/** What callers were answered that is no success. */
const problemBodies: string[] = []
/** What a process of ours wrote that was told to write it. */
let writtenBesides = ''

/** The whole life of a key, over real processes; the tests look at what it left behind. */
beforeAll(async () => {
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  traces = await startTraceCollector()
  shop = await startSaleDeployment(register, { OTEL_EXPORTER_OTLP_ENDPOINT: traces.url })
  queue = openQueue({
    redisUrl: shop.queueRedis.url,
    databaseUrl: shop.databaseUrl,
    waitingMax: 100,
    policy: policy.queue,
    onFault: () => {},
  })
  operator = await logIn({ database: shop.database }, opsAddress(), { navn: 'Drift', rolle: 'lese' })
})
afterAll(async () => {
  await queue?.close()
  await shop?.close()
  await traces?.close()
  await register?.close()
})

describe('the life of a key', () => {
  it('is bought, used, replaced, renewed and revoked', async () => {
    const bought = await buy(BUYER)
    for (const front of shop.fronts) {
      expect((await ask(bought, STATUS, front.address)).headers.get('x-nokkel-dager-igjen')).toBeNull()
      expect((await ask(bought, RECORD, front.address)).status).toBe(200)
    }

    await post('/bytt-nokkel', { epost: BUYER, grunn: 'tapt' })
    const replaceLink = await linkTo(BUYER, '/nokkel/erstatt/')
    expect((await post(new URL(replaceLink).pathname, {})).status).toBe(200)
    const replaced = await newKey(BUYER)
    expect((await ask(replaced, STATUS)).status).toBe(200)
    await isRefused(bought)

    // As time would have it.
    const soon = new Date(Date.now() + 7 * DAY_MS)
    await shop.database.query('update api_nokkel set utloper_at = $1', [soon])
    await eventually('the holder is told of the days left, on every way', async () => {
      const told = []
      for (const front of shop.fronts)
        for (const path of [STATUS, RECORD, RECORD])
          told.push((await ask(replaced, path, front.address)).headers.get('x-nokkel-dager-igjen'))
      return told.every((days) => days === '7')
    })
    // Reminders wait for a clock that somebody has counted by a day before (P194).
    await shop.database.query(
      `insert into maaling (minutt, prosess, verdier) values (now() - interval '22 hours', gen_random_uuid(), '{}')`,
    )
    await shop.replaceWorker()
    const renewLink = await linkTo(BUYER, '/nokkel/forny/')
    const { headers } = await post(new URL(renewLink).pathname, { vilkaar: 'ja' })
    approve(headers.get('location'))
    const renewed = await newKey(BUYER)
    expect((await ask(renewed, STATUS)).status).toBe(200)
    expect((await ask(replaced, STATUS)).status).toBe(200)

    for (const front of shop.fronts) expect((await ask(renewed, STATUS, front.address)).status).toBe(200)
    await shop.database.query('update api_nokkel set tilbakekalt_at = now() where id = $1', [idOf(renewed)])
    await isRefused(renewed)
  })

  it('its job fails while it is being mailed', async () => {
    shop.mail.behave({ at: 'end', does: 'hang', to: OTHER_BUYER, times: 1 })
    await order(OTHER_BUYER)
    const mailed = await newKey(OTHER_BUYER)
    // The mail server has the key and has not said so. Now nothing of an order can be read or written any more.
    await shop.database.query('alter table ordre rename to bortgjemt')
    try {
      const [{ id } = { id: '' }] = await shop.database.query<{ id: string }>(
        'select kjede as id from api_nokkel where id = $1',
        [idOf(mailed)],
      )
      await shop.mail.down()
      await eventually('the job has failed', async () => {
        await queue.enqueue('follow-order', [{ gjelder: id }])
        const metrics = await (await fetch(`${shop.opsAddresses().at(-1)}/metrics`)).text()
        return /job_failures_total{[^}]*follow-order[^}]*} [1-9]/.test(metrics)
      })
    } finally {
      await shop.mail.up()
      await shop.database.query('alter table bortgjemt rename to ordre')
    }
    expect((await ask(mailed, STATUS)).status).toBe(200)
  })

  it('another is made beside it by its holder, and used', async () => {
    const [front] = shop.fronts
    const browser = formBrowser(front.address)
    expect((await browser.logIn(keys.at(-1) ?? '')).status).toBe(303)
    const { text: shown } = await browser.send('/nokler', { navn: 'Regnskap' })
    const [made = ''] = /bo_test_\w+/.exec(shown) ?? []
    for (const { address } of shop.fronts) expect((await ask(made, RECORD, address)).status).toBe(200)
    keys.push(made)
  })

  it('its holder has changes sent to an address, and takes a new secret', async () => {
    const call = async (path: string, body?: object) => {
      const answer = await fetch(shop.origin + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${keys.at(-1)}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      expect(answer.ok).toBe(true)
      return (await answer.json()) as { endepunkt: { id: string }; hemmelighet: string }
    }
    const made = await call('/api/endepunkter', { adresse: 'https://mottaker.example/' })
    const renewed = await call(`/api/endepunkter/${made.endepunkt.id}/hemmelighet`)
    for (const { hemmelighet } of [made, renewed]) signing.push(hemmelighet.replace('whsec_', ''))
    expect(signing.every((each) => each.length === 44)).toBe(true)
  })

  it('pages are used with a session, links of mails, an address of its own and an order that nobody pays', async () => {
    const [{ address }] = shop.fronts
    const browser = formBrowser(address)
    expect((await browser.logIn(keys.at(-1) ?? '')).status).toBe(303)
    for (const [, name = '', value = ''] of browser.cookie().matchAll(/(\w+)=([\w-]+)/g))
      openings[name] = value
    const valid = { authorization: `Bearer ${keys.at(-1)}` }
    const made = await fetch(`${address}/api/avstemming-adresse`, { method: 'POST', headers: valid })
    const { adresse } = (await made.json()) as { adresse: string }
    openings.reconciliation = adresse.split('/').at(-1) ?? ''

    const form = randomBytes(24).toString('base64url')
    await post('/kjop', { epost: BUYER, skjema: form })
    await post('/kjop/betal', { epost: BUYER, skjema: form, vilkaar: 'ja' })
    openings.form = form
    openings.order = shop.vipps.payments.all().at(-1)?.returnUrl.split('/').at(-1) ?? ''
    openings.replacement = (await linkTo(BUYER, '/nokkel/erstatt/')).split('/').at(-1) ?? ''
    openings.renewal = (await linkTo(BUYER, '/nokkel/forny/')).split('/').at(-1) ?? ''
    for (const front of shop.fronts) {
      for (const path of [
        `/ordre/${openings.order}`,
        `/nokkel/erstatt/${openings.replacement}`,
        `/nokkel/forny/${openings.renewal}`,
        new URL(adresse).pathname,
        '/nokler',
      ])
        await fetch(front.address + path, { headers: { cookie: browser.cookie() } })
    }
  })

  it('everything that can be wrong with a request is wrong with some', async () => {
    const [key = ''] = keys
    const fresh = mintKey('test').token
    const origin = shop.fronts[1].address
    for (const bad of [
      key,
      fresh,
      forgeKey(key),
      fresh.slice(0, 60),
      `${fresh} ${fresh}`,
      BUYER,
      IDENTITY_NUMBER,
    ])
      problemBodies.push(await (await ask(bad, STATUS, origin)).text())
    const valid = keys.at(-1) ?? ''
    for (const path of [
      `/api/bedrift/${IDENTITY_NUMBER}`,
      `/api/bedrift/sok?q=${encodeURIComponent(BUYER)}&size=${IDENTITY_NUMBER}`,
      `/api/bedrift/sok?q=${IDENTITY_NUMBER}`,
      `/api/bedrift/status?access_token=${fresh}`,
      `/api/bedrift/${fresh}`,
      `/${fresh}/${BUYER}`,
      '/api/bedrift/123',
    ])
      problemBodies.push(await (await ask(valid, path, origin)).text())
    for (const body of [
      { epost: IDENTITY_NUMBER, skjema: fresh },
      { epost: `${BUYER} ${fresh}`, skjema: 'x' },
    ])
      problemBodies.push((await post('/api/bedrift/status', body)).text)
    expect(problemBodies.filter((body) => body.includes('"kode"')).length).toBeGreaterThan(10)
  })
})

/** Each place something may have been left, and how to leave something there. */
const places: {
  name: string
  read: () => Promise<Buffer | string>
  plant: (word: string) => Promise<unknown>
}[] = [
  ...(['cacheRedis', 'queueRedis'] as const).flatMap((which) => [
    {
      name: `${which}: what it holds`,
      read: () => wholeRedis(shop[which].url),
      plant: (word: string) => onRedis(which, (redis) => redis.rpush('plantet-liste', `x${word}`)),
    },
    {
      name: `${which}: its dump (RDB)`,
      read: async () => {
        await onRedis(which, (redis) => redis.save())
        return wholeFolder(shop[which].folder)
      },
      plant: (word: string) => onRedis(which, (redis) => redis.hset('plantet', { felt: `${word}y` })),
    },
    {
      name: `${which}: its append-only file`,
      read: () => wholeFolder(join(shop[which].folder, 'appendonlydir')),
      plant: (word: string) =>
        onRedis(which, (redis) => redis.multi().set('plantet-kort', word).del('plantet-kort').exec()),
    },
  ]),
  {
    name: 'PostgreSQL: every row of every table',
    read: () => wholeDatabase(shop.database),
    plant: (word) => plantRow(`{"bedriftsdata": "${word}"}`),
  },
  {
    name: 'PostgreSQL: its write-ahead log',
    read: () => wholeFolder(join(shop.databaseFolder, 'data', 'pg_wal')),
    plant: (word) => plantRow(word),
  },
  {
    name: 'PostgreSQL: its own files and log',
    read: async () => {
      await shop.database.query('checkpoint')
      return wholeFolder(shop.databaseFolder)
    },
    plant: (word) => plantRow(Buffer.from(`nokkel=${word};`).toString('base64')),
  },
  {
    name: 'the log of every process',
    read: async () => shop.output() + writtenBesides,
    async plant(word) {
      const child = spawn(process.execPath, [
        '-e',
        'console.log(JSON.stringify({ msg: process.argv[1] }))',
        word,
      ])
      writtenBesides += await text(child.stdout)
    },
  },
  {
    name: 'the jobs of every queue, failed or not',
    read: allJobs,
    plant: plantJob,
  },
  {
    name: 'the job board',
    read: async () => (await operator.get(BOARD)).text,
    plant: plantJob,
  },
]
const BOARD = '/jobber/se/api/queues?activeQueue=bedriftsoppslag-levering&status=failed&page=1&jobsPerPage=50'

describe('P34: after a whole purchase', () => {
  it.each(places)('the key in clear is not in $name', async ({ read }) => {
    const found = await read()
    expect(found.length).toBeGreaterThan(0)
    expect(keys).toHaveLength(5)
    for (const key of keys) {
      expect(holds(found, key)).toBe(false)
      expect(holds(found, secretOf(key))).toBe(false)
    }
    expect(signing).toHaveLength(2)
    for (const secret of signing) expect(holds(found, secret)).toBe(false)
  })

  it.each(places)('P34: attack: nothing that opens a page without a key is in $name', async ({ read }) => {
    const found = await read()
    expect(Object.keys(openings)).toHaveLength(7)
    for (const [what, secret] of Object.entries(openings)) {
      expect(secret.length, what).toBeGreaterThan(30)
      const bytes = Buffer.from(secret, 'base64url')
      for (const form of [secret, bytes.toString('hex')]) expect(holds(found, form), what).toBe(false)
      expect(Buffer.from(found).includes(bytes), what).toBe(false)
    }
  })

  it('its id is in most of them: what was searched is what was used', async () => {
    const [key = ''] = keys
    for (const { name, read } of places) {
      if (/PostgreSQL|log of every|cacheRedis: what it holds/.test(name))
        expect(holds(await read(), idOf(key)), name).toBe(true)
    }
  })

  it('P40: nor are keys, addresses, credentials or identity numbers in logs, traces, metrics and problem bodies', async () => {
    const metrics = await Promise.all(
      shop
        .opsAddresses()
        .map(async (address) => (await fetch(`${address}/metrics`).catch(() => null))?.text() ?? ''),
    )
    expect(metrics.filter((page) => page.includes('bedriftsoppslag_')).length).toBeGreaterThanOrEqual(3)
    const overview = await operator.get('/oversikt.json')
    expect(overview.status).toBe(200)
    const known = knownSecrets()
    expect(known.tokens.length).toBeGreaterThan(0)
    expect(secretsIn(withoutMessageIds(shop.output()), known)).toEqual([])
    expect(metrics.flatMap((page) => secretsIn(withoutSamples(page), known))).toEqual([])
    expect(problemBodies.flatMap((body) => secretsIn(body, known))).toEqual([])
    expect(secretsIn(overview.text, known)).toEqual([])
    const isOfOrders = () => traces.steps().some(({ name }) => name === 'job follow-order')
    await eventually('what was traced is sent', isOfOrders)
    expect(secretsIn(traces.text(), known)).toEqual([])
  })

  it('P34: this is found in every one of these places when it is there', async () => {
    for (const { name, read, plant } of places) {
      const { token } = mintKey('test')
      await plant(token)
      expect(holds(await read(), secretOf(token)), name).toBe(true)
    }
  })

  it('P40: each kind of secret is found where it stands', () => {
    const [key = ''] = keys
    const known = knownSecrets()
    const samples = {
      key: `{"nokkel":"${key}"}`,
      authorization: `"authorization":"Bearer ${randomBytes(12).toString('base64url')}"`,
      address: `x{epost="${BUYER}"} y ${encodeURIComponent(BUYER)}`,
      'identity number': `{"q":"${IDENTITY_NUMBER}"}`,
      tokens: `a ${known.tokens[0]} b`,
      credentials: known.credentials.join(),
    }
    for (const [kind, sample] of Object.entries(samples))
      expect(secretsIn(sample, known).join('\n')).toContain(`${kind}: `)
    expect(secretsIn(withoutSamples(`x{a="b"} 1\nx{epost="${BUYER}"} 2`), known)).toHaveLength(2)
    expect(
      secretsIn('Bearer realm="bedriftsoppslag", error="invalid_token"; 12345678901; kl. 07:15', known),
    ).toEqual([])
  })
})

/** The ids of our own mails have the form of addresses. They are logged to find a mail by, and lead to nobody. */
function withoutMessageIds(log: string): string {
  return log.replace(/\b[0-9a-z]{10}\.[a-z]+\.\d+\.\d+@oppslag\.example\b/g, '')
}

/** From the page to the key in the mail. */
async function buy(epost: string): Promise<string> {
  await order(epost)
  return newKey(epost)
}

async function order(epost: string): Promise<void> {
  const skjema = randomBytes(24).toString('base64url')
  expect((await post('/kjop', { epost, skjema })).status).toBe(200)
  const { headers } = await post('/kjop/betal', { epost, skjema, vilkaar: 'ja' })
  approve(headers.get('location'))
}

function approve(landing: string | null): void {
  expect(landing).toContain(shop.vipps.url)
  for (const { reference, state } of shop.vipps.payments.all())
    if (state === 'CREATED') shop.vipps.approve(reference)
}

/** Waits for a mail with a key that is not among those known. */
async function newKey(epost: string): Promise<string> {
  let found: string | undefined
  await eventually(`a new key for ${epost}`, () => {
    const mailed = shop.mail.mails
      .filter(({ envelope }) => envelope.to === epost)
      .flatMap((one) => keyIn(one) ?? [])
    found = mailed.find((key) => !keys.includes(key))
    return found !== undefined
  })
  keys.push(found ?? '')
  return found ?? ''
}

async function linkTo(epost: string, path: string): Promise<string> {
  let link: string | null = null
  await eventually(`a link to ${path}`, () => {
    const mails = shop.mail.mails.filter(({ envelope }) => envelope.to === epost)
    link = mails.map((one) => linkIn(one, shop.origin + path)).find((each) => each !== null) ?? null
    return link !== null
  })
  return link ?? ''
}

function ask(key: string, path: string, origin = shop.origin): Promise<Response> {
  return fetch(origin + path, { headers: { authorization: `Bearer ${key}` } })
}

async function post(path: string, fields: Record<string, string>) {
  const answer = await fetch(shop.origin + path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { origin: shop.origin },
    redirect: 'manual',
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** P26: by every process, sooner than it would have found out by itself. */
async function isRefused(key: string): Promise<void> {
  for (const front of shop.fronts)
    await eventually('refused', async () => (await ask(key, STATUS, front.address)).status === 401)
}

function idOf(key: string): string {
  return key.split('_')[2] ?? ''
}

/** Without the checksum. */
function secretOf(key: string): string {
  return key.slice(21, 64)
}

function opsAddress(): string {
  const [address = ''] = shop.opsAddresses()
  return address
}

function knownSecrets() {
  const { clientId, clientSecret, subscriptionKey } = shop.vipps.credentials
  const tokens = shop.vipps.calls().flatMap(({ headers }) => headers.authorization?.split(' ')[1] ?? [])
  return {
    tokens: [...new Set(tokens)],
    credentials: [clientId, clientSecret, subscriptionKey],
    'webhook secret': shop.vipps.webhooks.registrations().map(({ secret }) => secret),
    'database password': [new URL(shop.databaseUrl).password],
    buyers: [BUYER, OTHER_BUYER, ...[BUYER, OTHER_BUYER].map(encodeURIComponent)],
    'operator token': [operator.token],
    keys: keys.map(secretOf),
    'signing secrets': signing,
    openings: Object.values(openings),
  }
}

/** Every job there is, the failed ones with their reasons and stacks. */
async function allJobs(): Promise<string> {
  const found = []
  for (const lane of await lanes()) {
    for (const job of await lane.getJobs(['failed', 'completed', 'delayed', 'waiting', 'active']))
      found.push(JSON.stringify(job))
  }
  return `jobs: ${found.join('\n')}`
}

async function failedJobs(): Promise<string> {
  const failed = await Promise.all((await lanes()).map((lane) => lane.getJobs(['failed'])))
  return JSON.stringify(failed)
}

async function plantJob(word: string): Promise<void> {
  const delivery = (await lanes()).find(({ name }) => name.includes('levering'))
  await delivery?.add('follow-order', { gjelder: word })
  await eventually('the planted job has failed', async () => (await failedJobs()).includes(word))
}

async function lanes(): Promise<Queue[]> {
  return (await queue.board()) as unknown as Queue[]
}

async function plantRow(word: string): Promise<void> {
  await shop.database.query('create table if not exists plantet (ord text)')
  await shop.database.query('insert into plantet values ($1)', [word])
}

async function onRedis<T>(
  which: 'cacheRedis' | 'queueRedis',
  work: (redis: Redis) => Promise<T>,
): Promise<T> {
  const redis = new Redis(shop[which].url)
  try {
    return await work(redis)
  } finally {
    redis.disconnect()
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { Agent, Client } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { type AttackedFront, startAttackedFront } from '../support/attacked-front.ts'
import { formBrowser } from '../support/form-browser.ts'
import { inventNumbers } from '../support/invented-companies.ts'

const TIMES = 64
const AT_ONCE = 8

type Sent = { path: string; headers?: Record<string, string>; body?: string; method?: string }

const company = `/api/bedrift/${SAMPLE.healthy}`
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
const text = { 'content-type': 'text/plain' }
const lines = { 'content-type': 'application/x-ndjson' }
const parts = { 'content-type': 'multipart/form-data; boundary=BBBBBBBBBBBBBBBB' }
const partOf = (rest: string) =>
  `--BBBBBBBBBBBBBBBB\r\nContent-Disposition: form-data; name=${rest}\r\nb\r\n--BBBBBBBBBBBBBBBB--\r\n`
const fill = (part: string, bytes = 7000) => part.repeat(Math.floor(bytes / part.length))
const HALF = 500_000
const EIGHTH = 120_000
const query = (q: string) => encodeURIComponent(q).slice(0, 7000)
const queries = (name: string) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`q${at}`, { query: name + at }])))

/** What is read by rules of ours, as long as it may be, and made to be looked at as often as possible. */
const requests: Record<string, Sent> = {
  'a list of types': { path: company, headers: { accept: fill('a/b;q=0.5,') } },
  'a list of codings': { path: company, headers: { 'accept-encoding': fill('x;q=0.001,') } },
  'a list of languages': { path: company, headers: { 'accept-language': fill('en-a-b-c;q=0.1,') } },
  'a list of tags': { path: company, headers: { 'if-none-match': fill('W/"a",') } },
  cookies: { path: '/', headers: { cookie: fill('a=b; ') } },
  ranges: { path: '/dokumentasjon/postman.json', headers: { range: `bytes=${fill('0-1,')}0-1` } },
  fields: { path: `${company}?felt=${fill('navn,')}navn` },
  'unknown parameters': { path: `${company}?${fill('a=b&')}` },
  'a name of spaces': { path: `/api/bedrift/sok?q=${query(fill('a ', 2000))}` },
  'a name of one word': { path: `/api/bedrift/sok?q=${query(fill('a'))}` },
  'a name of letters that fold': { path: `/api/bedrift/sok?q=${query(fill('øåæ', 900))}` },
  'a name of marks': { path: `/api/bedrift/sok?q=${query(fill('a\u0301\u0308', 900))}` },
  'a name of signs': { path: `/api/bedrift/sok?q=${query(fill('&+.-', 900))}` },
  'a name of dots': { path: `/api/bedrift/finn?nettsted=${query(fill('a.'))}` },
  'an address of dots': {
    path: `/api/bedrift/finn?epost=${query(`${fill('a.', 3000)}@${fill('b.', 3000)}`)}`,
  },
  'a telephone of signs': { path: `/api/bedrift/finn?telefon=${query(fill('+47 ', 2000))}` },
  'a name on the page': { path: `/oppslag?q=${query(fill('aa oe ', 2000))}` },
  'the beginning of a name': { path: `/oppslag/forslag?q=${query(fill('ab ', 2000))}` },
  'types of change': { path: `/api/endringer?type=${fill('roller.styre,')}a` },
  'fifty long names': {
    path: '/api/avstemming',
    headers: form,
    body: `queries=${encodeURIComponent(queries(fill('ab ', 150)))}`,
  },
  'a call that is nested': {
    path: '/mcp',
    headers: { ...json, accept: 'application/json, text/event-stream' },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roller","arguments":${'['.repeat(7000)}${']'.repeat(7000)}}}`,
  },
  'a call of many keys': {
    path: '/mcp',
    headers: { ...json, accept: 'application/json, text/event-stream' },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roller","arguments":{${Array.from({ length: 1500 }, (_, at) => `"${at}":1`).join()}}}}`,
  },
  'a name in JSON that is nested': {
    path: '/api/bedrift/sok',
    headers: json,
    body: `{"q":${'{"a":'.repeat(2500)}1${'}'.repeat(2500)}}`,
  },
  'a form of lines': { path: '/liste', headers: form, body: `linjer=${fill('a%0A', HALF)}` },
  'a form of one line': { path: '/liste', headers: form, body: `linjer=${fill('a+', HALF)}` },
  'a form of cells': { path: '/liste', headers: form, body: `linjer=${fill('%22%3B', HALF)}` },
  'a form of fields': { path: '/liste', headers: form, body: fill('a=b&', HALF) },
  'a form of the prototype': { path: '/liste', headers: form, body: fill('__proto__=b&', HALF) },
  'a form of signs that stand for others': {
    path: '/liste',
    headers: form,
    body: `linjer=${fill('%01', HALF)}`,
  },
  'a form of broken signs': { path: '/liste', headers: form, body: `linjer=${fill('%zz', HALF)}` },
  'a form of a part of many heads': {
    path: '/liste',
    headers: parts,
    body: partOf(`"a"\r\n${fill('X: a\r\n', HALF)}`),
  },
  'a form of a part of a long head': {
    path: '/liste',
    headers: parts,
    body: partOf(`"a"\r\nX: ${fill('a', HALF)}\r\n`),
  },
  'a form of a part of a long name': {
    path: '/liste',
    headers: parts,
    body: partOf(`"${fill('%22', HALF)}"\r\n`),
  },
  'a form of a file of lines': {
    path: '/liste',
    headers: parts,
    body: partOf(`"fil"; filename="a"\r\n\r\n${fill('\r\n--', HALF)}`),
  },
  'a list that is nested': { path: '/api/bedrift/oppslag', headers: json, body: '['.repeat(EIGHTH) },
  'a list of objects that are nested': {
    path: '/api/bedrift/oppslag',
    headers: json,
    body: fill('{"a":', EIGHTH),
  },
  'a list of what is no text': {
    path: '/api/bedrift/oppslag',
    headers: json,
    body: `[${fill('"\\u0030",', EIGHTH)}1]`,
  },
  'a list of numbers in other words': {
    path: '/api/bedrift/oppslag',
    headers: json,
    body: `[${fill('1e9,', EIGHTH)}1]`,
  },
  'a list of one key, again and again': {
    path: '/api/bedrift/oppslag',
    headers: json,
    body: `{${fill('"__proto__":1,', EIGHTH)}"a":1}`,
  },
  'a list of quotation marks': {
    path: '/api/bedrift/oppslag',
    headers: { 'content-type': 'text/csv' },
    body: fill('"";', EIGHTH),
  },
  'a list of spaces': { path: '/api/bedrift/oppslag', headers: text, body: fill(' ', EIGHTH) },
  'a list of other spaces': {
    path: '/api/bedrift/oppslag',
    headers: text,
    body: fill('\u00a01', EIGHTH / 2),
  },
  'lines that are nested': { path: '/api/bedrift/oppslag', headers: lines, body: fill('[[[[\n', EIGHTH) },
  'a list to be gone through': {
    path: '/api/bedrift/bestillinger',
    headers: { ...json, 'idempotency-key': 'x' },
    body: `[${fill('"923609016",', EIGHTH)}1]`,
  },
  'an endpoint': {
    path: '/api/endepunkter',
    headers: json,
    body: JSON.stringify({ adresse: `https://${fill('a.', 6000)}no/`, typer: [fill('a.', 6000)] }),
  },
  'an order': { path: '/kjop', headers: form, body: `epost=${fill('a.', 1500)}@${fill('b.', 1500)}no` },
  'a key to be replaced': { path: '/bytt-nokkel', headers: form, body: `epost=${fill('a%40', 3500)}` },
  'a login': { path: '/logg-inn', headers: form, body: `nokkel=${fill('a', 3500)}` },
  'a path of slashes': { path: fill('/') },
  'a path of dots': { path: `/dokumentasjon/${fill('%2e%2e/')}` },
  'ownership in depth': { path: `${company}/eierskap?dybde=99` },
}

describe.each(['api', 'start'] as const)(
  'P169: what is read by rules of ours, as long as it may be (%s)',
  (door) => {
    let attacked: AttackedFront
    let agent: Agent

    beforeAll(async () => {
      attacked = await startAttackedFront({ goesFirst: true, door })
      agent = new Agent({ connections: AT_ONCE })
    })
    afterAll(async () => {
      await agent.close()
      await attacked.close()
    })

    it.each(Object.keys(requests))(
      '%s: is answered without a fault, and nobody waits for it',
      async (name) => {
        const { path, headers = {}, body } = requests[name] ?? { path: '/' }
        const statuses = new Set<number>()
        const send = async () => {
          const answer = await agent.request({
            origin: attacked.front.address,
            path,
            method: body === undefined ? 'GET' : 'POST',
            headers: { authorization: `Bearer ${PUBLIC_TEST_KEY}`, ...headers },
            ...(body !== undefined && { body }),
          })
          await answer.body.dump()
          statuses.add(answer.statusCode)
        }
        for (let round = 0; round < 5; round += 1) await send()
        const cost = await attacked.under(async () => {
          for (let round = 0; round < TIMES; round += AT_ONCE)
            await Promise.all(Array.from({ length: AT_ONCE }, send))
        })
        const reads = cost.waitsMs.length
        const figures = {
          p99Ms: cost.p99Ms,
          mostMs: cost.waitsMs.at(-1) ?? 0,
          cpuMs: cost.cpuMs / TIMES,
          reads,
        }
        const told = Object.entries(figures).map(([what, figure]) => `${what} ${figure.toFixed(1)}`)
        process.stdout.write(`${name}: ${[...statuses]} ${told.join(', ')}\n`)
        expect([...statuses].filter((status) => status >= 500)).toEqual([])
        expect(cost.p99Ms).toBeLessThan(50)
      },
    )

    it('lists of five hundred long names, by whoever has no key: nobody waits for them', async () => {
      const { address } = attacked.front
      const page = await fetch(`${address}/liste`)
      const cookie = page.headers
        .getSetCookie()
        .map((each) => each.split(';')[0])
        .join('; ')
      const skjema = /name="skjema" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
      const linjer = Array.from({ length: 500 }, (_, at) => `${fill('tinde våg oe ', 90)}${at}`).join('\n')
      const body = new URLSearchParams({ skjema, linjer }).toString()
      const statuses = new Set<number>()
      const send = async (network: number) => {
        const client = new Client(address, { localAddress: `127.0.9.${1 + network}` })
        try {
          const answer = await client.request({
            method: 'POST',
            path: '/liste',
            headers: { ...form, cookie },
            body,
          })
          await answer.body.dump()
          statuses.add(answer.statusCode)
        } finally {
          await client.destroy()
        }
      }
      await send(0)
      const cost = await attacked.under(async () => {
        for (let round = 0; round < 3; round += 1)
          await Promise.all(Array.from({ length: AT_ONCE }, (_, network) => send(network)))
      })
      process.stdout.write(
        `lists of names: ${[...statuses]} p99Ms ${cost.p99Ms.toFixed(1)}, mostMs ${cost.waitsMs.at(-1)?.toFixed(1)}\n`,
      )
      expect([...statuses]).toEqual([200])
      expect(cost.p99Ms).toBeLessThan(50)
    })
  },
)

const CROWD = 300
/** As a company's own: the register knows it, and it is none of the invented. */
const [REAL = ''] = inventNumbers(1)
const ROUNDS = 8

describe('P183: one key, or whoever has none, with three hundred connections', () => {
  let attacked: AttackedFront
  let agent: Agent
  let bearer: Record<string, string>
  let cookie: string

  beforeAll(async () => {
    attacked = await startAttackedFront({ goesFirst: true, copies: [REAL as never] })
    agent = new Agent({ connections: CROWD })
    const key = await attacked.around.issue()
    bearer = { authorization: `Bearer ${key}` }
    const browser = formBrowser(attacked.front.address)
    await browser.logIn(key)
    cookie = browser.cookie()
  })
  afterAll(async () => {
    await agent.close()
    await attacked.close()
  })

  const roller = { name: 'roller', arguments: { organisasjonsnummer: SAMPLE.healthy } }
  const asked: Record<string, () => Sent> = {
    'a section': () => ({ path: `${company}/roller`, headers: bearer }),
    'a record in English': () => ({ path: company, headers: { ...bearer, 'accept-language': 'en' } }),
    'a tool of agents': () => ({
      path: '/mcp',
      headers: { ...bearer, ...json, accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: roller }),
    }),
    'a page': () => ({ path: `/foretak/${REAL}`, headers: { cookie } }),
    'a table to take home': () => ({ path: `/foretak/${REAL}/csv`, headers: { cookie } }),
    'the watched companies': () => ({ path: '/overvaking', headers: { cookie } }),
    'a page without a key': () => ({ path: `/foretak/${REAL}` }),
    'a search without a key': () => ({ path: '/oppslag?q=tinde' }),
    'what is not there, without a key': () => ({ path: '/her/er/ingenting' }),
    'a company without a key': () => ({ path: company }),
  }
  /** Where it is not 200 alone. */
  const allowed: Record<string, number[]> = {
    // What three hundred of one key want of the database may be too long in its line, on a busy machine: that is said (P61).
    'the watched companies': [200, 503],
    'a page without a key': [401],
    // As often as a person looks.
    'a search without a key': [200, 429],
    'what is not there, without a key': [404],
    'a company without a key': [401],
  }

  it.each(Object.keys(asked))('%s: nobody waits for it', async (name) => {
    const { path, headers = {}, body } = asked[name]?.() ?? { path: '/' }
    const statuses = new Set<number>()
    const send = async () => {
      const answer = await agent.request({
        origin: attacked.front.address,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers,
        ...(body !== undefined && { body }),
      })
      await answer.body.dump()
      statuses.add(answer.statusCode)
    }
    const crowd = () => Promise.all(Array.from({ length: CROWD }, send))
    await crowd()
    const cost = await attacked.under(async () => {
      for (let round = 0; round < ROUNDS; round += 1) await crowd()
    })
    process.stdout.write(
      `${name}: ${[...statuses]} p99Ms ${cost.p99Ms.toFixed(1)}, mostMs ${cost.waitsMs.at(-1)?.toFixed(1)}\n`,
    )
    expect([...statuses].filter((status) => !(allowed[name] ?? [200]).includes(status))).toEqual([])
    expect(cost.p99Ms).toBeLessThan(50)
  })
})

describe.each([
  // The register looks through all it has for each.
  { companies: 400, kinds: ['searches', 'questions after one'] },
  { companies: 12_000, kinds: ['accounts', 'records'] },
])(
  'one key that asks over nine hundred connections of two hundred networks for what is not held',
  ({ companies, kinds }) => {
    const FLOOD = 900
    const NEWCOMERS = 48
    /** Of one network, which has its turns with the others. */
    const OFFICE = '127.6.0.1'
    const numbers = inventNumbers(companies)
    let attacked: AttackedFront

    beforeAll(async () => {
      attacked = await startAttackedFront({ copies: numbers })
    })
    afterAll(() => attacked.close())

    const count = counter()
    const another = () => numbers[count() % numbers.length]
    const name = () => encodeURIComponent(`tindevåg sjømat ${count()}`)
    const asked: Record<string, () => string> = {
      // There is no index of names.
      searches: () => `/api/bedrift/sok?q=${name()}`,
      'questions after one': () => `/api/bedrift/finn?navn=${name()}&sted=oslo`,
      accounts: () => `/api/bedrift/${another()}/regnskap`,
      records: () => `/api/bedrift/${another()}`,
    }

    it.each(kinds)(
      'P43: attack: %s: nobody who has a connection waits for it, nor long who connects meanwhile',
      async (what) => {
        const { address } = attacked.front
        const bearer = { authorization: `Bearer ${await attacked.around.issue()}` }
        /** Over one connection after another, three at a time. */
        async function flood(at: number, isOver: () => boolean): Promise<void> {
          while (!isOver()) {
            const client = new Client(address, { localAddress: `127.5.0.${1 + (at % 200)}`, pipelining: 3 })
            const ask = async () => {
              const answer = await client.request({
                method: 'GET',
                path: asked[what]?.() ?? '/',
                headers: bearer,
              })
              await answer.body.dump()
            }
            await Promise.allSettled([ask(), ask(), ask()])
            await client.destroy()
          }
        }
        async function comes(localAddress: string): Promise<{ status: number; ms: number }> {
          const beganMs = performance.now()
          const client = new Client(address, { localAddress })
          try {
            const answer = await client.request({ method: 'GET', path: '/health/live' })
            await answer.body.dump()
            return { status: answer.statusCode, ms: performance.now() - beganMs }
          } finally {
            await client.destroy()
          }
        }
        const told: ReturnType<typeof comes>[] = []
        const cost = await attacked.under(async () => {
          let isOver = false
          const floods = Array.from({ length: FLOOD }, (_, at) => flood(at, () => isOver))
          for (let at = 0; at < NEWCOMERS; at += 1) {
            await pause(125)
            told.push(comes(at % 2 === 0 ? OFFICE : `127.7.0.${at}`))
          }
          await Promise.all(told)
          isOver = true
          await Promise.all(floods)
        })
        const all = await Promise.all(told)
        const waitsMs = all.map(({ ms }) => ms).sort((a, b) => a - b)
        const medianMs = waitsMs[NEWCOMERS / 2] ?? Number.NaN
        process.stdout.write(
          `${what}: p99Ms ${cost.p99Ms.toFixed(1)}, mostMs ${cost.waitsMs.at(-1)?.toFixed(1)}; newcomers ${medianMs.toFixed(0)}, mostMs ${waitsMs.at(-1)?.toFixed(0)}\n`,
        )
        expect(all.map(({ status }) => status)).toEqual(Array(NEWCOMERS).fill(200))
        expect(medianMs).toBeLessThan(200)
        expect(cost.p99Ms).toBeLessThan(50)
      },
      120_000,
    )
  },
)

function counter(): () => number {
  let count = 0
  return () => ++count
}

import { type ClientRequest, get } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { issueKey } from '#src/access/issue-key.ts'
import { createOwnTestKeys } from '#src/access/own-test-keys.ts'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { createStopLinks } from '#src/changes/mails/stop-links.ts'
import { systemClock } from '#src/core/clock.ts'
import { LIVING } from '#src/samples/living.ts'
import type { NewChange } from '#src/storage/changes/change-log.ts'
import { personSecret } from '#src/storage/person-secret.ts'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { emptied } from '../support/emptied.ts'
import { eventually } from '../support/eventually.ts'
import { formBrowser } from '../support/form-browser.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestAnswer, type TestService } from '../support/service.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { changeOf, writeInLog } from '../support/written-changes.ts'

const ENDPOINTS = '/api/endepunkter'
const WATCHED = '/api/overvaking'
const LOG = '/api/endringer'
const A = SAMPLE.healthy

let register: RegisterStandIn
let receiver: WebhookReceiver
let service: TestService
let other: { token: string; id: string }
let path: string
let nr = 0

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  receiver = await startWebhookReceiver()
  service = await startTestService(register, {
    isLoaded: true,
    variables: { WEBHOOK_HOSTS: receiver.origin },
  })
  other = await newKey()
})
afterAll(async () => {
  await service.close()
  await receiver.close()
  await register.close()
})
beforeEach(async () => {
  path = `/angrep${++nr}`
  await emptied(
    service.storage.database,
    'endring, endring_borte, endepunkt, endepunktbruk, levering, overvaking, blikk',
  )
})

const newKey = () =>
  issueKey({ db: service.storage.database, clock: systemClock }, { epost: 'b@example.com', miljo: 'test' })

const call: TestService['call'] = (...asked) => service.call(...asked)
async function makeEndpoint(token = service.token, at = path): Promise<{ id: string; secret: string }> {
  const { status, body } = await call('POST', ENDPOINTS, { token, body: { adresse: receiver.origin + at } })
  expect(status).toBe(201)
  return { id: body.endepunkt.id, secret: body.hemmelighet }
}
const write = (...changes: NewChange[]) => writeInLog(service.storage.database, ...changes)
const countOf = (answers: readonly TestAnswer[], status: number) =>
  answers.filter((each) => each.status === status).length
const everyEndpoint = () =>
  service.storage.database.query('select id, eier, adresse, typer, salt, av_at from endepunkt order by id')
const everyWatch = () => service.storage.database.query('select * from overvaking order by eier, orgnr')

const list = (nth: number) =>
  Array.from({ length: 100 }, (_, place) => String(810_000_000 + nth * 5000 + place * 50)).flatMap((base) =>
    Array.from({ length: 11 }, (_, digit) => String(Number(base) + digit)),
  )

it('P119: attack: whoever begins to watch and ends it, again and again, is before nobody in it', async () => {
  for (let nth = 0; nth < 3; nth += 1) {
    const body = { organisasjonsnumre: list(nth) }
    for (const what of ['overvak', 'slutt'])
      expect((await call('POST', `${WATCHED}?gjor=${what}`, { body })).status).toBe(200)
  }
  expect((await call('PUT', `${WATCHED}/${A}`, { token: other.token })).status).toBe(201)
  const [line] = await service.storage.database.query<{ antall: string }>(
    'select count(*) as antall from blikk',
  )
  expect(Number(line?.antall)).toBe(1)
})

it('P119: attack: whoever begins to watch a long list is before nobody who begins after it, in either line', async () => {
  expect((await call('POST', WATCHED, { body: list(0) })).status).toBe(200)
  expect((await call('PUT', `${WATCHED}/${A}`, { token: other.token })).status).toBe(201)
  const [before] = await service.storage.database.query<Record<string, string>>(
    `select count(*) filter (where b.neste_at < a.neste_at) as alt, count(*) filter (where b.sene_at < a.sene_at) as sene
     from blikk b, blikk a where a.orgnr = $1`,
    [Number(A)],
  )
  expect([Number(before?.alt), Number(before?.sene)].filter((count) => count > 3)).toEqual([])
})

it('P119: attack: whoever begins, one by one, with all of another’s long list, and ends it at once, brings it before nobody', async () => {
  const third = await newKey()
  expect((await call('POST', WATCHED, { body: list(0) })).status).toBe(200)
  const listed = (await everyWatch()).map(({ orgnr }) => String(orgnr))
  for (const orgnr of listed)
    for (const what of ['overvak', 'slutt']) {
      const body = { organisasjonsnumre: [orgnr] }
      expect((await call('POST', `${WATCHED}?gjor=${what}`, { token: other.token, body })).status).toBe(200)
    }
  expect((await call('PUT', `${WATCHED}/${A}`, { token: third.token })).status).toBe(201)
  const [before] = await service.storage.database.query<Record<string, string>>(
    `select count(*) filter (where b.neste_at <= a.neste_at and b.orgnr <> a.orgnr) as alt,
       count(*) filter (where b.sene_at <= a.sene_at and b.orgnr <> a.orgnr) as sene
     from blikk b, blikk a where a.orgnr = $1`,
    [Number(A)],
  )
  expect(listed.length).toBeGreaterThan(80)
  // Some of the turns it gave are worked off meanwhile.
  const most = Math.max(Number(before?.alt), Number(before?.sene))
  expect(most).toBeLessThan(listed.length - 20)
})

describe('P127, P131: somebody else’s address, as a target', () => {
  it('attack: a flood of tests, all at once and by endpoints made anew, is as many as one owner may in an hour', async () => {
    const { id } = await makeEndpoint()
    const most = policy.push.testsPerHour
    const flood = await Promise.all(
      Array.from({ length: most + 30 }, () => call('POST', `${ENDPOINTS}/${id}/prove`)),
    )
    expect([countOf(flood, 202), countOf(flood, 429)]).toEqual([most, 30])
    expect(flood.find(({ status }) => status === 429)?.body.kode).toBe('for_mange_prover')
    expect((await call('DELETE', `${ENDPOINTS}/${id}`)).status).toBe(204)
    const anew = await makeEndpoint()
    expect((await call('POST', `${ENDPOINTS}/${anew.id}/prove`)).status).toBe(429)
    const others = await makeEndpoint(other.token)
    expect((await call('POST', `${ENDPOINTS}/${others.id}/prove`, other)).status).toBe(202)
    // As an hour would have it.
    await service.storage.database.query(`update endepunktbruk set fra = fra - interval '1 hour'`)
    expect((await call('POST', `${ENDPOINTS}/${anew.id}/prove`)).status).toBe(202)
  })

  it('attack: what is asked for again and again is sent as often as one owner may have it in an hour', async () => {
    const { id } = await makeEndpoint()
    await call('POST', WATCHED, { body: [A] })
    await write(changeOf(A), changeOf(A), changeOf(A))
    await eventually('all have come', () => receiver.received(path).length === 3)
    const span = { fra: '2020-01-01T00:00:00Z', til: '2030-01-01T00:00:00Z' }
    const most = policy.push.againPerHour
    await service.storage.database.query(
      'insert into endepunktbruk (eier, fra, igjen) select eier, now(), $1 from endepunkt',
      [most - 4],
    )
    const again = (body: object) => call('POST', `${ENDPOINTS}/${id}/igjen`, { body })
    await eventually('they are noted', async () => {
      const { body } = await call('GET', `${ENDPOINTS}/${id}/leveringer?leveringstilstand=levert`)
      return body.leveringer.length === 3
    })
    expect((await again(span)).body).toEqual({ antall: 3 })
    const refused = await again(span)
    expect([refused.status, refused.body.kode]).toEqual([429, 'for_mange_prover'])
    const [delivery] = (await call('GET', `${ENDPOINTS}/${id}/leveringer`)).body.leveringer
    expect((await again({ levering: delivery.id })).status).toBe(202)
    expect((await again({ levering: delivery.id })).status).toBe(429)
  })
})

describe('P122, P127: another’s names and numbers', () => {
  it('attack: a delivery, a watch and a place in the log of another say nothing and change nothing', async () => {
    const mine = await makeEndpoint()
    await call('POST', WATCHED, { body: [A] })
    await write(changeOf(A))
    await eventually('it has come', () => receiver.received(path).length === 1)
    const { body: deliveries } = await call('GET', `${ENDPOINTS}/${mine.id}/leveringer`)
    const [{ id: delivery }] = deliveries.leveringer
    const { body: log } = await call('GET', LOG)
    expect(log.endringer).toHaveLength(1)
    const before = [await everyEndpoint(), await everyWatch()]

    const { token } = other
    const theirs = await makeEndpoint(token, `${path}b`)
    const foreign = `${ENDPOINTS}/${theirs.id}`
    expect((await call('GET', `${foreign}/leveringer/${delivery}`, { token })).status).toBe(404)
    expect((await call('POST', `${foreign}/igjen`, { token, body: { levering: delivery } })).status).toBe(404)
    const listed = await call('GET', `${foreign}/leveringer?etter=${Number(delivery) + 1}`, { token })
    expect(listed.body.leveringer).toEqual([])
    for (const method of ['GET', 'DELETE'])
      expect((await call(method, `${WATCHED}/${A}`, { token })).body.kode).toBe('ikke_overvaket')
    expect((await call('POST', `${WATCHED}?gjor=slutt`, { token, body: [A] })).text).toContain(
      '"ikke_overvaket"',
    )
    expect((await call('GET', WATCHED, { token })).body).toMatchObject({ antall: 0, overvakinger: [] })
    for (const query of ['', `?etter=${log.neste}`, `?orgnr=${A}`])
      expect((await call('GET', LOG + query, { token })).body.endringer).toEqual([])

    await call('DELETE', foreign, { token })
    expect([await everyEndpoint(), await everyWatch()]).toEqual(before)
    expect(receiver.received(`${path}b`)).toEqual([])
  })

  it('attack: on the pages, another’s endpoint is as if it were not there', async () => {
    const { id } = await makeEndpoint()
    const before = await everyEndpoint()
    const browser = formBrowser(service.address)
    await browser.logIn(other.token)
    const page = `/endepunkter/${id}`
    expect((await browser.get(page)).status).toBe(404)
    const wish = { adresse: `${receiver.origin}/annet`, typer: '' }
    for (const [act, fields] of Object.entries({
      '/endre': { ...wish, paa: 'ja' },
      '/hemmelighet': {},
      '/prove': {},
      '/igjen': { levering: '1' },
      '/slett': {},
    })) {
      const answer = await browser.send(page + act, fields as Record<string, string>, '/endepunkter')
      expect([act, [404, 303].includes(answer.status), answer.text.includes('whsec_')]).toEqual([
        act,
        true,
        false,
      ])
    }
    expect(await everyEndpoint()).toEqual(before)
    expect(await service.storage.database.query('select 1 from levering')).toEqual([])
  })

  it('attack: the keys of one chain wait in the same places', async () => {
    const first = await newKey()
    const second = await newKey()
    await service.storage.database.query(
      `update api_nokkel set kjede = $2, slutter_at = now() + interval '1 day' where id = any($1)`,
      [[first.id, second.id], first.id],
    )
    const headers = { authorization: `Bearer ${first.token}` }
    const waiting = new Set<ClientRequest>()
    const wait = () => {
      const one = get(`${service.address}${LOG}?vent=40`, { headers, agent: false })
      waiting.add(one.on('error', () => {}))
      // The other key was there first.
      one.on('response', () => waiting.delete(one) && wait())
    }
    for (let place = 0; place < policy.changeLog.waitingOfOneMax; place++) wait()
    await eventually('the other key of the chain is refused', async () => {
      const { status, body } = await call('GET', `${LOG}?vent=1`, second)
      return status === 429 && body.kode === 'for_mange_ventende'
    })
    expect((await call('GET', `${LOG}?vent=1`, other)).status).toBe(200)
    for (const each of waiting) each.destroy()
  })
})

describe('P167: readers who all wait at once', () => {
  it('attack: more than PostgreSQL has room for come at one moment, and are woken at one: each is answered, none with a fault', async () => {
    const headers = { authorization: `Bearer ${PUBLIC_TEST_KEY}` }
    const statuses: (number | undefined)[] = []
    const most = policy.changeLog.waitingOfTestsMax
    const crowd = Array.from({ length: most + 200 }, (_, index) =>
      get(`${service.address}${LOG}?vent=50`, {
        headers,
        agent: false,
        localAddress: `127.0.7.${1 + (index % 100)}`,
      }),
    )
    for (const one of crowd)
      one
        .once('response', (answer) => statuses.push(answer.resume().statusCode))
        .on('error', () => statuses.push(undefined))
    await eventually('those for whom there is no room are told', () => statuses.length >= 200, 120_000)
    expect(new Set(statuses)).toEqual(new Set([429]))
    await write(changeOf(LIVING.renamed, { prove: true }))
    await eventually('all are told', () => statuses.length === most + 200)
    const counts = Map.groupBy(statuses, (status) => status)
    expect([...counts].map(([status, { length }]) => [status, length])).toEqual([
      [429, 200],
      [200, most],
    ])
    for (const one of crowd) one.destroy()
  })
})

describe('P85: a form that another site sends in somebody’s name', () => {
  it('attack: is refused at every address of watches and endpoints, and does nothing', async () => {
    const { id } = await makeEndpoint()
    await call('POST', WATCHED, { body: [A] })
    const before = [await everyEndpoint(), await everyWatch()]
    const browser = formBrowser(service.address)
    const stranger = formBrowser(service.address)
    await browser.logIn(service.token)
    const own = browser.token((await browser.get('/endepunkter')).text)
    const foreign = stranger.token((await stranger.get('/endepunkter')).text)
    expect(own).not.toBe(foreign)
    const forms: Record<string, Record<string, string>> = {
      [`/overvaking/${A}`]: { gjor: 'slutt', fra: 'liste' },
      '/endepunkter': { adresse: `${receiver.origin}/ond`, typer: '' },
      [`/endepunkter/${id}/endre`]: { adresse: `${receiver.origin}/ond`, typer: '', paa: 'ja' },
      [`/endepunkter/${id}/hemmelighet`]: {},
      [`/endepunkter/${id}/prove`]: {},
      [`/endepunkter/${id}/igjen`]: { levering: '1' },
      [`/endepunkter/${id}/slett`]: {},
    }
    for (const [at, fields] of Object.entries(forms)) {
      const post = async (skjema: string | null, headers: Record<string, string>) =>
        (
          await browser.get(at, {
            method: 'POST',
            headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
            body: new URLSearchParams({ ...(skjema !== null && { skjema }), ...fields }).toString(),
          })
        ).status
      const ours = { 'sec-fetch-site': 'same-origin' }
      expect([
        at,
        await post(own, { 'sec-fetch-site': 'cross-site' }),
        await post(own, { 'sec-fetch-site': 'same-site' }),
        await post(own, { origin: 'https://ond.example' }),
        await post(foreign, ours),
        await post(null, ours),
      ]).toEqual([at, 403, 403, 403, 400, 400])
      const asText = await browser.get(at, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', ...ours },
        body: `skjema=${own}`,
      })
      expect([at, asText.status]).toEqual([at, 400])
    }
    expect([await everyEndpoint(), await everyWatch()]).toEqual(before)
    expect(receiver.received('/ond')).toEqual([])
  })
})

describe('P94: invented and real companies', () => {
  it('attack: are never mixed, by whichever way a number of the other kind was put on a list', async () => {
    const secret = await personSecret(service.storage.database)
    const minted = createOwnTestKeys({ secret: () => secret, clock: systemClock, validDays: 90 }).mint()
    const test = { token: minted?.token ?? '' }
    const invented = LIVING.renamed
    for (const key of [{}, test])
      expect((await call('POST', WATCHED, { ...key, body: [A, invented] })).status).toBe(200)
    expect((await call('PUT', `${WATCHED}/${invented}`, { body: {} })).status).toBe(404)
    await makeEndpoint(service.token, `${path}/ekte`)
    await makeEndpoint(test.token, `${path}/prove`)
    const real = [A, invented].map((orgnr) => changeOf(orgnr, { type: 'foretak.navn.endret' }))
    const tried = [A, invented].map((orgnr) => changeOf(orgnr, { type: 'foretak.slettet', prove: true }))
    await write(...real, ...tried)
    for (const kind of ['ekte', 'prove'])
      await eventually('both have come', () => receiver.received(`${path}/${kind}`).length === 2)
    const typesOf = (at: string) => [
      ...new Set(receiver.received(at).map(({ body }) => JSON.parse(body).type)),
    ]
    expect([typesOf(`${path}/ekte`), typesOf(`${path}/prove`)]).toEqual([
      ['foretak.navn.endret'],
      ['foretak.slettet'],
    ])
    const told = async (at: string, key: { token?: string }) =>
      new Set((await call('GET', at, key)).body?.endringer?.map(({ type }: { type: string }) => type))
    const everybodys = { token: PUBLIC_TEST_KEY }
    for (const at of [LOG, `/api/bedrift/${A}/endringer`]) {
      expect(await told(at, {}), at).toEqual(new Set(['foretak.navn.endret']))
      for (const key of [test, everybodys])
        expect(
          [...(await told(at, key))].filter((type) => type !== 'foretak.slettet'),
          at,
        ).toEqual([])
    }
    expect(await told(LOG, test)).toEqual(new Set(['foretak.slettet']))
  })
})

describe('P122: the key that everybody has', () => {
  it('attack: a list that would be answered with megabytes is refused, and a customer’s is not', async () => {
    const wrong = Array.from({ length: policy.watches.test.numbersMax + 1 }, (_, at) => `x${at}`)
    const { status, body } = await call('POST', WATCHED, { token: PUBLIC_TEST_KEY, body: wrong })
    expect([status, body.kode]).toEqual([400, 'ugyldig_parameter'])
    expect((await call('POST', WATCHED, { token: PUBLIC_TEST_KEY, body: wrong.slice(1) })).status).toBe(200)
    expect((await call('POST', WATCHED, { body: wrong })).status).toBe(200)
  })
})

describe('P123: the way out of the mails', () => {
  it('attack: a link that is another’s, or was made up, ends nothing and is no fault', async () => {
    const { database } = service.storage
    const links = createStopLinks({ secret: () => personSecret(database) })
    const [eier, mine] = await Promise.all([links.write(other.id), links.write('annen')])
    await database.query(
      `insert into overvaking (eier, orgnr, prove, fra_nr, epost, opprettet_at)
       values ($1, $2, false, 0, 'straks', now())`,
      [other.id, Number(A)],
    )
    const signature = mine.slice(mine.indexOf('.') + 1)
    const made = [
      `${other.id}.${signature}`,
      `${other.id}.`,
      other.id,
      `${eier}A`,
      `${eier}=`,
      eier.replace('.', '%2e%2e'),
      `${eier}%00`,
      `%2e%2e/${eier}`,
      `${'x'.repeat(41)}.${signature}`,
      'æ'.repeat(43),
      '%ff',
    ]
    for (const token of made)
      for (const method of ['GET', 'HEAD', 'POST']) {
        const { status } = await fetch(`${service.address}/varsling/avslutt/${token}`, { method })
        expect([method, token, status >= 400 && status < 500]).toEqual([method, token, true])
      }
    // A mail program looks ahead.
    for (const method of ['GET', 'HEAD'])
      expect((await fetch(`${service.address}/varsling/avslutt/${eier}`, { method })).status).toBe(200)
    expect(await everyWatch()).toMatchObject([{ epost: 'straks' }])
    const out = await fetch(`${service.address}/varsling/avslutt/${eier}`, { method: 'POST' })
    expect(out.status).toBe(200)
    expect(await everyWatch()).toMatchObject([{ epost: null }])
  })
})

describe('P127: the secret of an endpoint', () => {
  it('attack: sent back to us in every wrong place, stands in no answer', async () => {
    const { id, secret } = await makeEndpoint()
    const bare = secret.slice('whsec_'.length)
    for (const [method, at, body] of [
      ['POST', ENDPOINTS, { adresse: secret }],
      ['POST', ENDPOINTS, { adresse: `https://${secret}@mottaker.example/` }],
      ['POST', ENDPOINTS, { adresse: `${receiver.origin}${path}`, typer: [secret] }],
      ['POST', ENDPOINTS, { adresse: `${receiver.origin}${path}`, [secret]: 1 }],
      ['POST', `${ENDPOINTS}/${id}/igjen`, { levering: secret }],
      ['GET', `${ENDPOINTS}/${encodeURIComponent(secret)}`],
      ['GET', `${ENDPOINTS}?hemmelighet=${encodeURIComponent(secret)}`],
      ['GET', `${ENDPOINTS}/${id}/leveringer?leveringstilstand=${encodeURIComponent(secret)}`],
      ['GET', `${LOG}?etter=${encodeURIComponent(secret.slice(0, 20))}`],
    ] as const) {
      const answer = await call(method, at, { body })
      expect([method, at, answer.status >= 400 && answer.status < 500]).toEqual([method, at, true])
      for (const form of [bare, encodeURIComponent(bare), bare.slice(0, 14)])
        expect(answer.text, `${method} ${at}`).not.toContain(form)
    }
  })
})

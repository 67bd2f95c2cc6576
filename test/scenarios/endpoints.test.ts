import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { issueKey } from '#src/access/issue-key.ts'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { EXAMPLE_ENDPOINT } from '#src/samples/questions.ts'
import type { NewChange } from '#src/storage/changes/change-log.ts'
import { eraseCustomerData, readCustomerData } from '#src/storage/customer-data.ts'
import { restWithoutKey } from '#src/storage/push/upkeep.ts'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { emptied } from '#test/support/emptied.ts'
import { eventually } from '#test/support/eventually.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts'
import { changeOf, writeInLog } from '#test/support/written-changes.ts'

const AT = '/api/endepunkter'
const A = SAMPLE.healthy
let register: RegisterStandIn
let receiver: WebhookReceiver
let service: TestService
let path: string
let nr = 0

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
beforeEach(async () => {
  nr += 1
  path = `/krok${nr}`
  await emptied(service.storage.database, 'endepunkt, levering, overvaking, blikk')
})

const call: TestService['call'] = (...asked) => service.call(...asked)
const add = async (body: object = { adresse: receiver.origin + path }, token?: string) =>
  call('POST', AT, { body, ...(token !== undefined && { token }) })
const changed = (...changes: NewChange[]) => writeInLog(service.storage.database, ...changes)
const judge = (secret: string) => {
  const message = receiver.received(path).at(-1)
  return new Webhook(secret).verify(message?.body ?? '', message?.headers ?? {})
}

describe('P127: endpoints, by the key that has them', () => {
  it('P127: from a watched company’s change to the receiver, with nobody’s help, and told of in the list', async () => {
    expect((await call('PUT', `/api/overvaking/${A}`, { body: { navn: 'Kunde 1001' } })).status).toBe(201)
    const made = await add({ adresse: receiver.origin + path, typer: ['foretak.*'] })
    expect(made.status).toBe(201)
    const { id } = made.body.endepunkt
    await changed(changeOf(A), changeOf(A, { type: 'roller.styre.endret' }))
    await eventually('the change has come', () => receiver.received(path).length === 1)
    expect(judge(made.body.hemmelighet)).toMatchObject({
      type: 'foretak.konkurs.apnet',
      data: { organisasjonsnummer: A, navn: 'Kunde 1001' },
    })
    await eventually('it is noted', async () => {
      const { body } = await call('GET', `${AT}/${id}/leveringer`)
      return body.leveringer[0]?.leveringstilstand === 'levert'
    })
    const { body } = await call('GET', `${AT}/${id}/leveringer`)
    expect(body.leveringer).toHaveLength(1)
    expect(body.leveringer[0]).toMatchObject({
      hendelse: receiver.received(path)[0]?.headers['webhook-id'],
      forsok: [{ status: 204, arsak: null }],
    })
    const whole = await call('GET', `${AT}/${id}/leveringer/${body.leveringer[0].id}`)
    expect(whole.body.endring).toEqual(JSON.parse(receiver.received(path)[0]?.body ?? '').data)
  })

  it('P127: a secret is told once and stored nowhere; a new one is told, and both sign', async () => {
    const made = await add()
    const { id } = made.body.endepunkt
    const secret: string = made.body.hemmelighet
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const rows = await service.storage.database.query('select * from endepunkt')
    const bytes = Buffer.from(secret.slice(6), 'base64')
    expect(JSON.stringify(rows)).not.toContain(secret.slice(6))
    for (const value of Object.values(rows[0] ?? {}))
      expect(Buffer.isBuffer(value) && value.equals(bytes)).toBe(false)
    for (const at of [AT, `${AT}/${id}`, `${AT}/${id}/leveringer`])
      expect((await call('GET', at)).text).not.toContain('whsec_')
    const renewed = await call('POST', `${AT}/${id}/hemmelighet`)
    expect(renewed.body.endepunkt.toHemmeligheterTil).not.toBe(null)
    const test = await call('POST', `${AT}/${id}/prove`)
    expect(test.status).toBe(202)
    await eventually('the test has come', () => receiver.received(path).length === 1)
    expect(judge(secret)).toMatchObject({ type: 'prove' })
    expect(judge(renewed.body.hemmelighet)).toMatchObject({ type: 'prove' })
  })

  it('P127: what a receiver says is shown by its status alone, and sent again when asked for', async () => {
    receiver.conduct({ status: 422, body: 'hemmelig feilmelding' }, path)
    const { id } = (await add()).body.endepunkt
    await call('POST', `${AT}/${id}/prove`)
    await eventually('it failed', async () => {
      const { body } = await call('GET', `${AT}/${id}/leveringer`)
      return body.leveringer[0]?.forsok.length === 1
    })
    const list = await call('GET', `${AT}/${id}/leveringer?leveringstilstand=venter`)
    expect(list.text).not.toContain('hemmelig')
    const [failed] = list.body.leveringer
    expect(failed.forsok).toMatchObject([{ status: 422, arsak: 'status' }])
    receiver.conduct({ status: 200 }, path)
    const again = await call('POST', `${AT}/${id}/igjen`, { body: { levering: failed.id } })
    expect([again.status, again.body]).toEqual([202, { antall: 1 }])
    await eventually('it has come', () => receiver.received(path).length === 2)
    const [first, second] = receiver.received(path)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  })

  it('P127: switched off and on, changed and deleted; another key sees none of it', async () => {
    const { id } = (await add()).body.endepunkt
    const other = await issueKey(
      { db: service.storage.database, clock: systemClock },
      { epost: 'b@example.com', miljo: 'test' },
    )
    for (const [method, at, body] of [
      ['GET', `${AT}/${id}`],
      ['PUT', `${AT}/${id}`, { adresse: receiver.origin }],
      ['DELETE', `${AT}/${id}`],
      ['POST', `${AT}/${id}/hemmelighet`],
      ['POST', `${AT}/${id}/prove`],
      ['GET', `${AT}/${id}/leveringer`],
      ['GET', `${AT}/${id}/leveringer/1`],
      ['POST', `${AT}/${id}/igjen`, { levering: '1' }],
    ] as const) {
      const { status, body: problem } = await call(method, at, { token: other.token, body })
      expect([method, at, status, problem.kode]).toEqual([method, at, 404, 'ukjent_endepunkt'])
    }
    expect((await call('GET', AT, { token: other.token })).body).toEqual({ endepunkter: [] })
    const off = await call('PUT', `${AT}/${id}`, { body: { adresse: receiver.origin + path, paa: false } })
    expect(off.body.avslatt).toMatchObject({ grunn: 'eier' })
    expect((await call('POST', `${AT}/${id}/prove`)).body.kode).toBe('endepunkt_avslatt')
    const on = await call('PUT', `${AT}/${id}`, {
      body: { adresse: `${receiver.origin}${path}?a=1`, typer: ['roller'], paa: true },
    })
    expect(on.body).toMatchObject({ avslatt: null, typer: ['roller'] })
    expect((await call('DELETE', `${AT}/${id}`)).status).toBe(204)
    expect((await call('GET', `${AT}/${id}`)).status).toBe(404)
  })

  it.each([
    [{}, 'body'],
    [{ adresse: 1 }, 'body'],
    [{ adresse: 'https://mottaker.example/', ukjent: 1 }, 'body'],
    [{ adresse: 'https://127.0.0.1/' }, 'adresse'],
    [{ adresse: 'https://[::ffff:a9fe:a9fe]/' }, 'adresse'],
    [{ adresse: 'http://mottaker.example/' }, 'adresse'],
    [{ adresse: 'https://mottaker.example:22/' }, 'adresse'],
    [{ adresse: 'https://mottaker.example/', typer: ['finnes.ikke'] }, 'typer'],
  ])('P124: %j is refused in words', async (body, parameter) => {
    const answer = await add(body)
    expect([answer.status, answer.body.kode, answer.body.parameter]).toEqual([
      400,
      'ugyldig_parameter',
      parameter,
    ])
  })

  it.each([
    {},
    { levering: '1', fra: '2026-11-22T00:00:00Z', til: '2026-11-23T00:00:00Z' },
    { fra: '2026-11-22T00:00:00Z' },
    { fra: '2026-11-23T00:00:00Z', til: '2026-11-22T00:00:00Z' },
    { fra: 'i dag', til: 'i morgen' },
    { fra: '2026-11-22T00:00:00', til: '2026-11-23T00:00:00' },
  ])('P127: what is to be sent again is not %j', async (body) => {
    const { id } = (await add()).body.endepunkt
    expect((await call('POST', `${AT}/${id}/igjen`, { body })).body.kode).toBe('ugyldig_parameter')
  })

  it('P127: there is room for ten of a key, however many ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 14 }, () => add()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(answers.filter(({ body }) => body.kode === 'for_mange_endepunkter')).toHaveLength(4)
  })

  it('P127: everybody’s test key has an example that is answered as if, and none of its own', async () => {
    const token = PUBLIC_TEST_KEY
    expect((await call('GET', AT, { token })).body.endepunkter).toMatchObject([{ id: EXAMPLE_ENDPOINT.id }])
    expect((await call('POST', `${AT}/${EXAMPLE_ENDPOINT.id}/prove`, { token })).status).toBe(202)
    const refused = await add({ adresse: receiver.origin + path }, token)
    expect([refused.status, refused.body.kode]).toEqual([409, 'for_mange_endepunkter'])
    expect(refused.body.detail).toContain('egen testnøkkel')
    expect(await service.storage.database.query('select 1 from endepunkt')).toEqual([])
    expect(receiver.received(path)).toEqual([])
  })

  it('P127: on its page, without a script: added, its secret shown once, tested, sent again and deleted', async () => {
    const cookies = new Map<string, string>()
    const ask = async (at: string, fields?: Record<string, string>) => {
      const answer = await fetch(service.address + at, {
        redirect: 'manual',
        headers: {
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          'accept-language': 'nb',
          ...(fields && {
            'content-type': 'application/x-www-form-urlencoded',
            'sec-fetch-site': 'same-origin',
          }),
        },
        ...(fields && { method: 'POST', body: new URLSearchParams(fields).toString() }),
      })
      for (const each of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
        cookies.set(name, value)
      }
      return { status: answer.status, to: answer.headers.get('location'), text: await answer.text() }
    }
    const token = async (at: string) => /name="skjema" value="([^"]+)"/.exec((await ask(at)).text)?.[1] ?? ''
    const skjema = await token('/endepunkter')
    const inside = await ask('/logg-inn', { skjema, nokkel: service.token, til: '/endepunkter' })
    expect([inside.status, inside.to]).toEqual([303, '/endepunkter'])
    const wrong = await ask('/endepunkter', {
      skjema: await token('/endepunkter'),
      adresse: 'https://127.0.0.1/',
      typer: '',
    })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('Verten må være et navn')
    const form = { skjema: await token('/endepunkter'), adresse: receiver.origin + path, typer: 'foretak' }
    expect((await ask('/endepunkter', { ...form, skjema: 'fremmed' })).status).toBe(400)
    const made = await ask('/endepunkter', form)
    const secret = /whsec_[A-Za-z0-9+/=]+/.exec(made.text)?.[0] ?? ''
    const page = /\/endepunkter\/ep_[0-9A-Za-z]{20}/.exec(made.text)?.[0] ?? ''
    expect((await ask(page)).text).not.toContain('whsec_')
    await ask(`${page}/prove`, { skjema: await token(page) })
    await eventually('the test has come', () => receiver.received(path).length === 1)
    expect(judge(secret)).toMatchObject({ type: 'prove' })
    await eventually('it is told of', async () => (await ask(page)).text.includes('204'))
    const delivery = /name="levering" value="([0-9]+)"/.exec((await ask(page)).text)?.[1] ?? ''
    await ask(`${page}/igjen`, { skjema: await token(page), levering: delivery })
    await eventually('it has come again', () => receiver.received(path).length === 2)
    const span = await ask(`${page}/igjen`, {
      skjema: await token(page),
      fra: '2020-01-01T00:00',
      til: '2020-01-02T00:00',
    })
    expect(span.text).toContain('ingenting å sende igjen')
    const off = await ask(`${page}/endre`, {
      skjema: await token(page),
      adresse: receiver.origin + path,
      typer: '',
    })
    expect([off.status, off.to]).toEqual([303, page])
    expect((await ask(page)).text).toContain('slått av')
    const renewed = await ask(`${page}/hemmelighet`, { skjema: await token(page) })
    expect(renewed.text).toContain('whsec_')
    expect(renewed.text).not.toContain(secret)
    expect((await ask(`${page}/slett`, { skjema: await token(page) })).to).toBe('/endepunkter')
    expect((await ask(page)).status).toBe(404)
  })

  it('P127: an owner without a valid key is sent nothing, and is again when there is one', async () => {
    const { database } = service.storage
    const key = await issueKey(
      { db: database, clock: systemClock },
      { epost: 'c@example.com', miljo: 'test' },
    )
    const { id } = (await add(undefined, key.token)).body.endepunkt
    await database.query('update api_nokkel set utloper_at = now() where id = $1', [key.id])
    await restWithoutKey(database, new Date())
    const state = async () =>
      (
        await database.query<{ hviler: boolean }>(
          'select hviler_fra is not null as hviler from endepunkt where id = $1',
          [id],
        )
      )[0]
    expect(await state()).toEqual({ hviler: true })
    await database.query(`update api_nokkel set utloper_at = now() + interval '1 day' where id = $1`, [
      key.id,
    ])
    await restWithoutKey(database, new Date())
    expect(await state()).toEqual({ hviler: false })
  })

  it('P127: what is kept of a customer has its endpoints, and they are erased with it', async () => {
    const { database } = service.storage
    const { id } = (await add()).body.endepunkt
    expect((await readCustomerData(database, 'a@example.com')).endepunkter).toMatchObject([{ id }])
    const erased = await eraseCustomerData(database, 'a@example.com', {
      hvem: 'kari',
      hvorfor: 'bedt om',
      at: new Date(),
    })
    expect(erased).not.toBe(null)
    expect(await database.query('select 1 from endepunkt')).toEqual([])
  })
})

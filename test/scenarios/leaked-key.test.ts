import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { changeEndpoint, insertEndpoint, renewSecret } from '#src/storage/push/endpoints.ts'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'

import { eventually } from '../support/eventually.ts'
import { inventNumbers } from '../support/invented-companies.ts'
import { keyIn, linkIn, type MailServer, startMailServer } from '../support/mail-server.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { changeOf, writeInLog } from '../support/written-changes.ts'

const A = SAMPLE.healthy
/** Held by nobody, and watched by nobody. */
const COLD = SAMPLE.bankrupt
const [B, C, D] = [SAMPLE.holding, SAMPLE.subsidiary, SAMPLE.usd]
const MANY = Array.from({ length: 400 }, (_, index) => String(index))

let register: RegisterStandIn
let receiver: WebhookReceiver
let mail: MailServer
let service: TestService
let holders = 0

beforeAll(async () => {
  ;[register, receiver, mail] = await Promise.all([
    startRegisterStandIn({ answers: sampleAnswers() }),
    startWebhookReceiver(),
    startMailServer(),
  ])
  service = await startTestService(register, {
    isLoaded: true,
    variables: {
      WEBHOOK_HOSTS: receiver.origin,
      SMTP_URL: mail.url,
      MAIL_FROM: 'Oppslag <nokler@example.no>',
      PUBLIC_URL: 'http://127.0.0.1',
    },
  })
})
afterAll(async () => {
  await service.close()
  await Promise.all([register.close(), receiver.close(), mail.close()])
})

/** Somebody with a key that is mailed to an address of their own. */
async function holder() {
  const epost = `eier-${++holders}@example.no`
  const db = service.storage.database
  const { token, id } = await issueKey({ db, clock: systemClock }, { epost, miljo: 'test' })
  const call = (method: string, path: string, body?: unknown, key = token) =>
    fetch(service.address + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return {
    epost,
    token,
    id,
    call,
    async makeEndpoint(path: string): Promise<{ id: string; secret: string }> {
      const made = await call('POST', '/api/endepunkter', { adresse: receiver.origin + path })
      expect(made.status).toBe(201)
      const { endepunkt, hemmelighet } = (await made.json()) as {
        endepunkt: { id: string }
        hemmelighet: string
      }
      return { id: endepunkt.id, secret: hemmelighet }
    },
    /** By the form, and by the button of the mail. @returns the mail with the key in its place */
    async replace(grunn: 'tapt' | 'lekket') {
      const asked = await fetch(`${service.address}/bytt-nokkel`, {
        method: 'POST',
        body: new URLSearchParams({ epost, grunn }),
        redirect: 'manual',
      })
      expect(asked.status).toBe(303)
      const [first] = await mail.waitForMails({ to: epost })
      const link = (first && linkIn(first, 'http://127.0.0.1/nokkel/erstatt/')) ?? ''
      const pressed = await fetch(service.address + new URL(link).pathname, { method: 'POST' })
      expect(pressed.status).toBe(200)
      const [, withKey] = await mail.waitForMails({ to: epost, count: 2 })
      if (withKey === undefined) throw new Error('expected a mail with a key')
      return { key: keyIn(withKey) ?? '', text: withKey.content.text ?? '' }
    },
  }
}

const write = () => writeInLog(service.storage.database, changeOf(A))

describe('P150: a key that leaked leaves nothing in the hands of who had it', () => {
  it('attack: where changes were led to with it gets nothing more, and its owner is told in the mail with the new key', async () => {
    const owner = await holder()
    await owner.call('POST', '/api/overvaking', [A])
    const own = await owner.makeEndpoint('/eier')
    const foreign = await owner.makeEndpoint('/tyv')
    await write()
    await eventually('both have it', () =>
      ['/eier', '/tyv'].every((path) => receiver.received(path).length === 1),
    )

    const { key, text } = await owner.replace('lekket')
    expect(text).toContain('Webhooks er slått av')
    expect(text).toContain('Webhooks are switched off')
    await write()
    const read = async (path: string) => (await owner.call('GET', path, undefined, key)).json()
    // By the same worker that has gone through the log.
    const beside = await holder()
    await beside.call('POST', '/api/overvaking', [A])
    await beside.makeEndpoint('/annen')
    await write()
    await eventually('another is told', () => receiver.received('/annen').length === 1)
    expect([receiver.received('/tyv').length, receiver.received('/eier').length]).toEqual([1, 1])

    // The owner's own goes on where it was, under a secret nobody else has seen.
    expect(await read(`/api/endepunkter/${own.id}`)).toMatchObject({ avslatt: { grunn: 'eier' } })
    expect((await owner.call('DELETE', `/api/endepunkter/${foreign.id}`, undefined, key)).status).toBe(204)
    const wish = { adresse: `${receiver.origin}/eier`, paa: true }
    expect((await owner.call('PUT', `/api/endepunkter/${own.id}`, wish, key)).status).toBe(200)
    await write()
    await eventually('the owner is told', () => receiver.received('/eier').length === 2)
  })

  it('P159: attack: what was done to the watched companies with it, its owner is told in the mail with the new key', async () => {
    const owner = await holder()
    const watch = (numbers: readonly string[]) => owner.call('POST', '/api/overvaking', numbers)
    const mailed = (epost: string | null) => owner.call('PUT', `/api/overvaking/${B}`, { epost })
    await watch([A, D, B])
    expect((await mailed('daglig')).status).toBe(200)
    const { database } = service.storage
    await database.query(`update overvaking_endret set endret_at = now() - interval '31 days'`)
    // What is as it was is nothing that was done.
    await watch([A])
    expect((await owner.call('DELETE', `/api/overvaking/${D}`)).status).toBe(204)
    await mailed(null)
    await watch([C])

    const { text } = await owner.replace('lekket')
    const spaced = (orgnr: string) => orgnr.replace(/(...)(...)(...)/, '$1 $2 $3')
    for (const [orgnr, norsk, english] of [
      [D, 'tatt bort', 'taken away'],
      [B, 'varsling endret', 'notification changed'],
      [C, 'lagt til', 'added'],
    ] as const) {
      expect(text).toMatch(new RegExp(`${spaced(orgnr)}:? +${norsk} `))
      expect(text).toMatch(new RegExp(`${spaced(orgnr)}:? +${english} `))
    }
    expect(text).not.toContain(spaced(A))
    expect(text).toContain('(3 foretak)')
    expect(text).toContain('http://127.0.0.1/overvaking')
    const beside = await holder()
    expect((await beside.replace('lekket')).text).not.toContain('foretakene du overvåker')
  })

  it('P159: what was done is noted of so many companies, and that it was more is told', async () => {
    const owner = await holder()
    const many = inventNumbers(1100)
    for (const method of ['POST', 'POST'] as const)
      expect((await owner.call(method, '/api/overvaking', many)).status).toBe(200)
    const { database } = service.storage
    const [row] = await database.query<{ antall: number }>(
      'select count(*)::int as antall from overvaking_endret e where exists (select 1 from overvaking o where o.eier = e.eier and o.orgnr = $1)',
      [Number(many[0])],
    )
    expect(row?.antall).toBe(1000)
    const { text } = await owner.replace('lekket')
    expect(text).toContain('(minst 1000 foretak)')
    expect(text).toContain('Bare de 20 siste er med.')
  })

  it('attack: a process that has not heard of it neither makes, changes nor shows anything of an endpoint', async () => {
    const owner = await holder()
    const { id } = await owner.makeEndpoint('/sist')
    await owner.replace('lekket')
    const { database } = service.storage
    const [row] = await database.query<{ eier: string }>('select eier from endepunkt where id = $1', [id])
    const eier = row?.eier ?? ''
    const wish = { adresse: `${receiver.origin}/sist`, typer: null }
    const over = { code: 'tilbakekalt_nokkel' }
    const asked = { eier, prove: false, slutter: null, nokkel: owner.id }
    await expect(insertEndpoint(database, asked, wish, { ofOwner: 9, ofTests: 9 })).rejects.toMatchObject(
      over,
    )
    const changing = changeEndpoint(database, eier, id, { ...wish, isOn: true, by: owner.id })
    await expect(changing).rejects.toMatchObject(over)
    await expect(renewSecret(database, eier, id, { bothForMs: 1, by: owner.id })).rejects.toMatchObject(over)
    expect((await owner.call('GET', '/api/endepunkter')).status).toBe(401)
  })

  it('attack: in a process that is not told of its end it neither shows, sends nor deletes anything of an endpoint, nor changes what is watched', async () => {
    const owner = await holder()
    const { id } = await owner.makeEndpoint('/uhort')
    await owner.call('POST', '/api/overvaking', [A])
    const { database } = service.storage
    await database.transaction(async (connection) => {
      await connection.query('alter table api_nokkel disable trigger nokkel_endret')
      await connection.query('update api_nokkel set tilbakekalt_at = now() where id = $1', [owner.id])
      await connection.query('alter table api_nokkel enable trigger nokkel_endret')
    })
    const at = `/api/endepunkter/${id}`
    for (const [method, path, body] of [
      ['GET', '/api/endepunkter'],
      ['GET', at],
      ['GET', `${at}/leveringer`],
      ['POST', `${at}/prove`],
      ['DELETE', at],
      ['DELETE', `/api/overvaking/${A}`],
      ['PUT', `/api/overvaking/${B}`, {}],
      ['POST', '/api/overvaking', [A, B]],
      ['POST', '/api/overvaking?gjor=slutt', [A]],
    ] as const) {
      const answer = await owner.call(method, path, body)
      expect([method, path, answer.status]).toEqual([method, path, 401])
      expect(await answer.json()).toMatchObject({ kode: 'tilbakekalt_nokkel' })
    }
    expect(await database.query('select 1 from endepunkt where id = $1', [id])).toHaveLength(1)
    const [row] = await database.query<{ eier: string }>('select eier from endepunkt where id = $1', [id])
    expect(await database.query('select orgnr from overvaking where eier = $1', [row?.eier])).toEqual([
      { orgnr: Number(A) },
    ])
  })

  it('attack: who waits for changes with it is told nothing of what comes after', async () => {
    const owner = await holder()
    await owner.call('POST', '/api/overvaking', [A])
    const { neste } = (await (await owner.call('GET', '/api/endringer')).json()) as { neste: string }
    const waiting = owner.call('GET', `/api/endringer?etter=${neste}&vent=50`)
    await owner.replace('lekket')
    await eventually(
      'it is refused',
      async () => (await owner.call('GET', '/api/bedrift/status')).status === 401,
    )
    await write()
    const answer = await waiting
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ kode: 'tilbakekalt_nokkel' })
  })

  it('attack: a list that is under way with it ends there, without the line that says that it is whole', async () => {
    const owner = await holder()
    const over = Promise.withResolvers<void>()
    register.setFault('enhet', { kind: 'hold', until: over.promise }, { orgnr: COLD })
    const asked = await owner.call('POST', '/api/bedrift/oppslag', [...MANY, COLD])
    const reader = asked.body?.pipeThrough(new TextDecoderStream()).getReader()
    await owner.replace('lekket')
    await eventually(
      'it is refused',
      async () => (await owner.call('GET', '/api/bedrift/status')).status === 401,
    )
    over.resolve()
    register.clearFaults()
    let text = ''
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      text += part.value
    expect(text.includes('"oppgitt":"399"')).toBe(true)
    expect([text.includes('oppsummering'), text.includes(COLD)]).toEqual([false, false])
  })

  it('who has only lost one keeps what changes are sent to', async () => {
    const owner = await holder()
    await owner.call('POST', '/api/overvaking', [A])
    await owner.makeEndpoint('/tapt')
    const { text } = await owner.replace('tapt')
    expect(text).not.toContain('Webhooks')
    await write()
    await eventually('it is told', () => receiver.received('/tapt').length === 1)
  })
})

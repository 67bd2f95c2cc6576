import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { changeOf, writeInLog } from '../support/written-changes.ts'

const A = SAMPLE.healthy

let clock: TestClock
let register: RegisterStandIn
let mail: MailServer
let service: TestService

beforeAll(async () => {
  clock = createTestClock()
  mail = await startMailServer()
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  service = await startTestService(register, {
    clock,
    isLoaded: true,
    variables: { SMTP_URL: mail.url, MAIL_FROM: 'Oppslag <nokler@example.no>' },
  })
})
afterAll(async () => {
  await service.close()
  await register.close()
  await mail.close()
})

const epost = async () => (await service.get(`/api/overvaking/${A}`)).body.epost
const change = () =>
  writeInLog(service.storage.database, changeOf(A, { forrige: clock.now(), sett: clock.now() }))

describe('P123: who is mailed of changes', () => {
  it('gets them in words, with a way out that one click, or the mail program’s own button, ends', async () => {
    await fetch(`${service.address}/api/overvaking/${A}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ navn: 'Kunde 1001', epost: 'straks' }),
    })
    await change()
    const { database } = service.storage
    await eventually(
      'it is written down',
      async () => (await database.query('select 1 from varsel')).length > 0,
    )
    clock.advance(11_000)
    const [letter] = await mail.waitForMails({ to: 'a@example.com', count: 1 })
    if (letter === undefined) throw new Error('a mail has come')
    expect(letter.content.subject).toBe('Kunde 1001: Konkurs er åpnet')
    expect(letter.content.text).toContain('Bankruptcy has been opened')
    const url = linkIn(letter, `${service.address}/varsling/avslutt/`) ?? ''
    const raw = letter.raw.toString().replace(/\r\n[ \t]+/g, ' ')
    expect(raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
    expect(/^List-Unsubscribe: ?<([^>]+)>\r$/m.exec(raw)?.[1]?.replaceAll(' ', '')).toBe(url)
    expect(raw).not.toContain(service.token)

    for (const language of ['nb', 'en'] as const) {
      const page = await service.getBare(`${url.slice(service.address.length)}?lang=${language}`)
      expect([page.status, page.text.includes('<form')]).toEqual([200, true])
    }
    expect(await epost()).toBe('straks')

    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    for (const body of [new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }), form]) {
      await database.query(`update overvaking set epost = 'straks'`)
      expect((await fetch(url, { method: 'POST', body })).status).toBe(200)
      expect(await epost()).toBeNull()
    }
    const forged = `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`
    const ofAnother = url.replace(/(?<=avslutt\/)./, (first) => (first === '0' ? '1' : '0'))
    await database.query(`update overvaking set epost = 'daglig'`)
    for (const each of [forged, ofAnother]) {
      expect((await fetch(each, { method: 'POST' })).status).toBe(404)
      expect((await fetch(each)).status).toBe(404)
    }
    const elsewhere = await fetch(url, { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } })
    expect(elsewhere.status).toBe(403)
    expect(await epost()).toBe('daglig')
    expect(mail.mails).toHaveLength(1)
  })
})

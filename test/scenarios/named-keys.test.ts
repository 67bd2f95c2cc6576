import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleAnswers } from '#test/fixtures/samples/index.ts'
import { formBrowser } from '#test/support/form-browser.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let register: RegisterStandIn
let service: TestService

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  service = await startTestService(register, { isLoaded: true, workers: false })
})
afterAll(() => register.close())

const keyIn = (text: string) => /bo_test_[0-9A-Za-z_]+/.exec(text)?.[0]
const status = (token: string) =>
  service.getBare('/api/bedrift/status', { authorization: `Bearer ${token}` }).then((answer) => answer.status)

describe('P133: the keys of a purchase, on their page, without a script', () => {
  it('are made, shown once, used, named anew and ended one by one', async () => {
    const browser = formBrowser(service.address)
    const outside = await browser.get('/nokler')
    expect([outside.status, outside.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const inside = await browser.logIn(service.token)
    expect([inside.status, inside.headers.get('location')]).toEqual([303, '/nokler'])

    const made = await browser.send('/nokler', { navn: 'Regnskap <b>' })
    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const token = keyIn(made.text) ?? ''
    expect(await status(token)).toBe(200)
    expect(made.text).toContain('Regnskap &#60;b&#62;')

    const list = await browser.get('/nokler')
    expect(list.text).not.toContain(token)
    expect(keyIn(list.text)).toBeUndefined()
    const [, , id = ''] = token.split('_')
    expect(list.text).toContain(id)
    // Sent once more, as by a reload: nothing more is made.
    const again = await browser.send('/nokler', { navn: 'regnskap <B>' })
    expect([again.status, keyIn(again.text)]).toEqual([400, undefined])
    expect(again.text).toContain('aria-invalid="true"')

    expect((await browser.send(`/nokler/${id}/navn`, { navn: 'CRM' }, `/nokler/${id}`)).status).toBe(303)
    expect((await browser.get('/nokler?lang=en')).text).toMatch(/CRM[\s\S]+not yet/)
    const ended = await browser.send(`/nokler/${id}/avslutt`, {}, `/nokler/${id}`)
    expect([ended.status, ended.headers.get('location')]).toEqual([303, '/nokler'])
    await expect.poll(() => status(token)).toBe(401)
    expect(await status(service.token)).toBe(200)
    expect((await browser.get(`/nokler/${id}`)).status).toBe(404)
    expect((await browser.get('/nokler')).text).toMatch(/Avsluttet[\s\S]+CRM/)
  })

  it('who is in with one of them sees none, and no form of another browser is taken', async () => {
    const owner = formBrowser(service.address)
    await owner.logIn(service.token)
    const token = keyIn((await owner.send('/nokler', { navn: 'Kollega' })).text) ?? ''
    const colleague = formBrowser(service.address)
    expect((await colleague.logIn(token)).status).toBe(303)
    const shown = await colleague.get('/nokler')
    expect(shown.status).toBe(403)
    expect(shown.text).not.toContain('Kollega')
    const skjema = owner.token((await owner.get('/nokler')).text)
    for (const [path, fields] of [
      ['/nokler', { navn: 'Tyvens' }],
      [`/nokler/${token.split('_')[2]}/avslutt`, {}],
    ] as const) {
      const stolen = await colleague.get(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ ...fields, skjema }).toString(),
      })
      expect(stolen.status).toBe(400)
    }
    expect(await status(token)).toBe(200)
  })

  it('a key typed for a name is refused and not repeated', async () => {
    const owner = formBrowser(service.address)
    await owner.logIn(service.token)
    const refused = await owner.send('/nokler', { navn: service.token })
    expect(refused.status).toBe(400)
    expect(refused.text).not.toContain(service.token)
  })

  it('the day they were last used is in the database when the process has ended', async () => {
    const { close, database } = service.storage
    service.storage.close = async () => {}
    await service.close()
    const rows = await database.query('select id from api_nokkel where sist_brukt is not null')
    await close()
    expect(rows).toHaveLength(3)
  })
})

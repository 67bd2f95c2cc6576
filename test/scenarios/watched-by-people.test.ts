import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { changeOf, writeInLog } from '../support/written-changes.ts'

const [A = ''] = inventNumbers(1)

let register: RegisterStandIn
let service: TestService
let cookies: string

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: answersWithCopies(inventNumbers(1)) })
  service = await startTestService(register, { workers: false, isLoaded: true })
  cookies = await loggedIn()
})
afterAll(async () => {
  await service.close()
  await register.close()
})

const cookiesOf = (answer: Response) => answer.headers.getSetCookie().map((each) => each.split(';')[0] ?? '')
const tokenIn = (page: string) =>
  /name="skjema" value="([^"]+)"/.exec(page)?.[1]?.replaceAll('&#61;', '=') ?? ''

async function loggedIn(): Promise<string> {
  const form = await fetch(`${service.address}/logg-inn`)
  const [before = ''] = cookiesOf(form)
  const answer = await fetch(`${service.address}/logg-inn`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: before },
    body: new URLSearchParams({
      skjema: tokenIn(await form.text()),
      nokkel: service.token,
      til: '/overvaking',
    }),
  })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/overvaking'])
  return [before, ...cookiesOf(answer)].join('; ')
}
const see = async (path: string) =>
  (await fetch(service.address + path, { headers: { cookie: cookies } })).text()
async function choose(from: string, fields: Record<string, string>, changed: { cookie?: string } = {}) {
  const skjema = tokenIn(await see(from))
  const answer = await fetch(`${service.address}/overvaking/${A}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: changed.cookie ?? cookies },
    body: new URLSearchParams({ skjema, fra: from === '/overvaking' ? 'liste' : 'foretak', ...fields }),
  })
  return [answer.status, answer.headers.get('location')]
}

describe('P122: a person who does not write code', () => {
  it('watches a company on its page, chooses how to be told, sees what changed, and stops', async () => {
    const company = `/foretak/${A}`
    expect(await see(company)).toContain('<summary>Overvåk</summary>')
    expect(await see('/overvaking')).toContain('Ingen ennå.')
    expect(await choose(company, { gjor: 'overvak', epost: 'daglig' })).toEqual([303, company])
    expect(await see(`${company}?lang=en`)).toContain('You watch this company')
    // Nobody works behind this front: nothing has been looked at.
    expect(await see(company)).toMatch(/Kunngjøringer: ikke sett ennå\. .* Ventes /)
    const [stored] = await service.storage.database.query('select orgnr, navn, epost from overvaking')
    expect(stored).toEqual({ orgnr: Number(A), navn: expect.stringContaining('AS'), epost: 'daglig' })

    const now = new Date()
    await writeInLog(service.storage.database, changeOf(A, { forrige: now, sett: now }))
    const list = await see('/overvaking')
    for (const text of [
      'Ett foretak overvåkes',
      'Konkurs er åpnet',
      `href="${company}"`,
      'value="daglig" selected',
    ])
      expect(list).toContain(text)
    expect(await see('/overvaking?lang=en')).toContain('Bankruptcy has been opened')
    expect(await choose('/overvaking', { gjor: 'overvak', epost: 'ingen' })).toEqual([303, '/overvaking'])
    expect(await service.storage.database.query('select epost from overvaking')).toEqual([{ epost: null }])
    expect(await choose('/overvaking', { gjor: 'slutt' })).toEqual([303, '/overvaking'])
    expect(await service.storage.database.query('select 1 from overvaking')).toEqual([])
  })

  it('is let in with a session alone, and no form of another is taken', async () => {
    expect(await choose('/overvaking', { gjor: 'overvak', skjema: 'x' })).toEqual([400, null])
    expect(await choose('/overvaking', { gjor: 'noe' })).toEqual([400, null])
    const stranger = await service.getBare('/overvaking')
    expect([stranger.status, stranger.text.includes('name="nokkel"')]).toEqual([200, true])
    expect((await service.getBare(`/foretak/${SAMPLE.healthy}`)).text).not.toContain('/overvaking/')
  })
})

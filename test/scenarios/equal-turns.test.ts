import { afterAll, beforeAll, expect, it } from 'vitest'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { issueToken, startTestService, type TestService } from '../support/service.ts'

const [one = '', ...many] = inventNumbers(31)

let register: RegisterStandIn
let service: TestService

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: answersWithCopies([one, ...many] as never) })
  service = await startTestService(register, { isLoaded: true, workers: false })
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

import { afterAll, beforeAll, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { buildFrom } from './built-index.ts'

let register: RegisterStandIn
let service: TestService

beforeAll(async () => {
  const answers = sampleAnswers()
  const unit = answers.companies.get(SAMPLE.healthy)?.enhet as { json: object }
  register = await startRegisterStandIn({ answers })
  service = await startTestService(register, {
    isLoaded: true,
    workers: false,
    variables: { SOKEINDEKS: 'paa' },
    seed: async ({ url }) => void (await buildFrom(url, { enheter: [unit.json], underenheter: [] })),
  })
})
afterAll(async () => {
  await service.close()
  await register.close()
})

// A question each: what was found for one is remembered.
it.each([
  ['sok_navn', 'as tindevåg sjømat'],
  ['sok_foretak', 'sjømat tindevåg'],
  ['sok_tekst', 'tindevåg sjømat as'],
])(
  'P51: attack: where PostgreSQL can not have at %s of the search index, the register is asked',
  async (table, q) => {
    const search = (text: string) => service.get(`/api/bedrift/sok?q=${encodeURIComponent(text)}`)
    expect((await search('tindevåg sjømat')).body).toMatchObject({ grunnlag: 'indeks' })
    await service.storage.database.query(`revoke all on ${table} from current_user`)
    try {
      const { status, body } = await search(q)
      expect([status, body.grunnlag ?? body]).toEqual([200, 'register'])
      expect(body.treff[0].organisasjonsnummer).toBe(SAMPLE.healthy)
    } finally {
      await service.storage.database.query(`grant all on ${table} to current_user`)
    }
  },
)

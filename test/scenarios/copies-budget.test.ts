import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'

const numbers = inventNumbers(14)
/** As many as may come together. */
const TOGETHER = 10

let register: RegisterStandIn
let service: TestService

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: answersWithCopies(numbers) })
  service = await startTestService(register, {
    isLoaded: true,
    workers: false,
    // The least there may be: on a busy machine the companies before it take as long as the next turn would.
    variables: { REGNSKAPSKOPI_CALLS_PER_SECOND: '0.1', ANSWER_DEADLINE_MS: '20000' },
  })
})
afterAll(async () => {
  await service.close()
  await register.close()
})

describe('P103: the copies of accounts', () => {
  it('that few may ask for cost no record its wholeness: what was not asked for says so', async () => {
    const records = []
    for (const orgnr of numbers) records.push((await service.get(`/api/bedrift/${orgnr}`)).body)
    for (const { komplett, kilder } of records)
      expect([komplett, kilder.regnskapskopier.tilstand]).toEqual([true, 'fersk'])
    const fetched = records.filter(({ regnskapskopier }) => regnskapskopier.data.opplysning === 'oppgitt')
    const others = records.filter(({ regnskapskopier }) => regnskapskopier.data.opplysning === 'ikke_hentet')
    expect(fetched.length + others.length).toBe(numbers.length)
    expect(fetched.length).toBeGreaterThanOrEqual(TOGETHER)
    expect(others.length).toBeGreaterThan(0)
    for (const { regnskapskopier } of others)
      expect(regnskapskopier.data).toMatchObject({ kopier: null, sisteInnsendteAarsregnskap: '2025' })
    const [first] = fetched
    expect(first.regnskapskopier.data.kopier[0]).toEqual({
      aar: 2025,
      lenke: `https://data.brreg.no/regnskapsregisteret/regnskap/aarsregnskap/kopi/${first.organisasjonsnummer}/2025`,
    })
    const asked = numbers.reduce((sum, orgnr) => sum + register.calls.count('regnskapskopier', orgnr), 0)
    expect(asked).toBe(fetched.length)
  })

  it('are not missed of a company that has filed no accounts, though its turn does not come', async () => {
    const { body } = await service.get(`/api/bedrift/${SAMPLE.association}`)
    expect(body).toMatchObject({
      sisteInnsendteAarsregnskap: null,
      regnskapskopier: { tilstand: 'ikke_funnet' },
    })
    expect(register.calls.count('regnskapskopier', SAMPLE.association)).toBe(0)
  })
})

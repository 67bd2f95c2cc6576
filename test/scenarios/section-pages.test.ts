import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { type SampleService, startSampleService } from '#test/support/sample-service.ts'
import type { RegisterStandIn } from '../support/register-stand-in.ts'

let register: RegisterStandIn
let service: SampleService

beforeAll(async () => {
  service = await startSampleService({ workers: false })
  register = service.register
})
afterAll(() => service.close())

const at = (orgnr: string, query = '') => `/api/bedrift/${orgnr}/underenheter${query}`
const numbersOf = (body: { underenheter: { data: { alle: { organisasjonsnummer: string }[] } } }) =>
  body.underenheter.data.alle.map(({ organisasjonsnummer }) => organisasjonsnummer)

describe('P101: all of a section’s list, page by page at its own address', () => {
  it('comes once each and in order, however large the pages are, and every page leads to the next', async () => {
    const { body } = await service.get(`/api/bedrift/${SAMPLE.usd}`)
    expect(body.underenheter.data).toMatchObject({ antall: 143, alle: null })
    expect(body.underenheter.data.storste).toHaveLength(10)
    const calls = register.calls.count()
    for (const size of [10, 100, 143, 500]) {
      const seen: string[] = []
      for (let path: string | null = at(SAMPLE.usd, `?size=${size}`); path !== null; ) {
        const page = await service.get(path)
        expect([page.status, page.body.komplett, page.body.underenheter.data.antall]).toEqual([
          200,
          true,
          143,
        ])
        seen.push(...numbersOf(page.body))
        const link = page.headers.get('link')
        const [, next = null] = /^<([^>]+)>; rel="next"$/.exec(link ?? '') ?? []
        expect(next === null).toBe(page.body.neste === null)
        path = next
      }
      expect([seen.length, seen]).toEqual([143, [...new Set(seen)].sort()])
    }
    expect(register.calls.count()).toBe(calls)
  })

  it('of a company that has none is an empty page that says so, and of a sub-unit why there is none', async () => {
    const none = await service.get(at(SAMPLE.holding))
    expect(none.body).toMatchObject({
      underenheter: { tilstand: 'fersk', data: { antall: 0, alle: [] } },
      neste: null,
    })
    const sub = await service.get(at(SAMPLE.subUnit))
    expect(sub.body).toMatchObject({ underenheter: { tilstand: 'ikke_relevant', data: null }, neste: null })
    expect(sub.body.kilder.underenheter.arsak.kode).toBe('gjelder_overordnet_enhet')
    expect((await service.get(at(SAMPLE.healthy))).body.underenheter.data.alle).toMatchObject([
      { organisasjonsnummer: SAMPLE.subUnit, antallAnsatte: { antall: 31 } },
    ])
  })

  it('may be the companies it holds roles in', async () => {
    const seen: string[] = []
    for (
      let path: string | null = `/api/bedrift/${SAMPLE.auditor}/rollerIAndreForetak?size=3`;
      path !== null;
    ) {
      const { body, headers } = await service.get(path)
      expect(body.kilder.rollerIAndreForetak.arsak).toBeNull()
      expect(body.rollerIAndreForetak.data).toMatchObject({ antallForetak: 4, roller: [{ antall: 3 }] })
      for (const { organisasjonsnummer } of body.rollerIAndreForetak.data.alle) seen.push(organisasjonsnummer)
      const [, next = null] = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? []
      path = next
    }
    expect(seen).toEqual([SAMPLE.healthy, SAMPLE.holding, SAMPLE.usd, SAMPLE.bank].sort())
    const { body } = await service.get(`/api/bedrift/${SAMPLE.holding}`)
    expect(body.rollerIAndreForetak).toEqual({ tilstand: 'ikke_funnet', data: null })
  })

  it('is told by the tag whether the page changed', async () => {
    const first = await service.get(at(SAMPLE.usd, '?size=50'))
    const tag = first.headers.get('etag') ?? ''
    const known = await service.get(at(SAMPLE.usd, '?size=50'), { 'if-none-match': tag })
    expect([known.status, known.text, known.headers.get('link')]).toEqual([
      304,
      '',
      first.headers.get('link'),
    ])
    const second = await service.get(at(SAMPLE.usd, `?size=50&etter=${first.body.neste}`))
    expect(second.headers.get('etag')).not.toBe(tag)
  })

  it('refuses what is no place in this list, and every other parameter', async () => {
    const { body } = await service.get(at(SAMPLE.usd, '?size=10'))
    const refusals = [
      at(SAMPLE.healthy, `?etter=${body.neste}`),
      at(SAMPLE.usd, '?etter=tull'),
      at(SAMPLE.usd, `?etter=${body.neste}x`),
      at(SAMPLE.usd, `?etter=${Buffer.from('roller.901023239.901023239').toString('base64url')}`),
      at(SAMPLE.usd, '?size=0'),
      at(SAMPLE.usd, '?size=501'),
      at(SAMPLE.usd, '?side=2'),
    ]
    for (const path of refusals) {
      const refused = await service.get(path)
      expect([refused.status, refused.body.kode], path).toEqual([400, 'ugyldig_parameter'])
    }
    expect((await service.get(at('901200998'))).status).toBe(404)
    expect((await service.get(at(SAMPLE.removed))).status).toBe(410)
  })

  it('that can not be had is a page that says so, and when to come again', async () => {
    register.setFault('underenheter', { kind: 'status', code: 503 })
    const lacking = await service.get(at(SAMPLE.bank))
    expect(lacking.body).toMatchObject({
      komplett: false,
      underenheter: { tilstand: 'utilgjengelig', data: null },
      neste: null,
    })
    expect(lacking.headers.get('retry-after')).toBe('30')
    register.clearFaults()
  })
})

describe('a source that the unit says has nothing', () => {
  it('is not asked: of a company that is in no group, the group', async () => {
    const { body } = await service.get(`/api/bedrift/${SAMPLE.associate}`)
    expect(body).toMatchObject({ erIKonsern: false, konsern: { tilstand: 'ikke_funnet' } })
    expect(register.calls.count('konsern', SAMPLE.associate)).toBe(0)
    expect(register.calls.count('underenheter', SAMPLE.associate)).toBe(1)
    await service.get(`/api/bedrift/${SAMPLE.healthy}`)
    expect(register.calls.count('konsern', SAMPLE.healthy)).toBe(1)
  })
})

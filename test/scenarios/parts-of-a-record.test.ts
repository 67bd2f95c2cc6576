import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fields } from '#src/record/fields.ts'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'

const [cold = '', whole = '', forced = '', lacked = ''] = inventNumbers(4)

let register: RegisterStandIn
let service: TestService

beforeAll(async () => {
  register = await startRegisterStandIn({
    answers: answersWithCopies(inventNumbers(4)),
  })
  service = await startTestService(register, { isLoaded: true, workers: false })
})
afterAll(async () => {
  await service.close()
  await register.close()
})

describe('P92: whoever asks for parts of a company', () => {
  it('costs calls to the sources of those parts alone, and each of them once', async () => {
    const before = register.calls.count()
    const part = await service.get(`/api/bedrift/${cold}?felt=roller,navn,status`)
    expect(part.status).toBe(200)
    expect(Object.keys(part.body)).toEqual([
      'organisasjonsnummer',
      'navn',
      'status',
      'roller',
      'komplett',
      'kilder',
    ])
    expect(part.body.komplett).toBe(true)
    expect(part.body.roller.data.styre).not.toEqual([])
    expect(Object.keys(part.body.kilder)).toEqual(['enhet', 'status', 'roller'])
    expect(register.calls.count() - before).toBe(2)

    const again = await service.get(`/api/bedrift/${cold}?felt=navn,status,roller`)
    expect(again.text).toBe(part.text)
    expect(again.headers.get('cache-status')).toContain('hit')
    expect(register.calls.count() - before).toBe(2)
  })

  it('is answered from what the whole is held in, and the whole from what the parts were', async () => {
    const before = register.calls.count()
    const all = await service.get(`/api/bedrift/${whole}`)
    const calls = register.calls.count() - before
    for (const field of fields) {
      const part = await service.get(`/api/bedrift/${whole}?felt=${field}`)
      const { konsern, ...others } = part.body
      expect(others[field], field).toEqual(field === 'konsern' ? undefined : all.body[field])
      if (field === 'konsern')
        expect({ ...konsern, data: { ...konsern.data, tre: null } }).toEqual(all.body.konsern)
    }
    expect(register.calls.count() - before).toBe(calls)

    const sections = [
      'signatur',
      'prokura',
      'regnskap',
      'kunngjoringer',
      'overordnetEnhet',
      'adresser',
      'naering',
    ]
    for (const section of sections) {
      const answer = await service.get(`/api/bedrift/${cold}/${section}`)
      expect(answer.body[section], section).toEqual(JSON.parse(all.text.replaceAll(whole, cold))[section])
    }
    for (const section of ['konsern', 'underenheter', 'rollerIAndreForetak', 'regnskapskopier'])
      await service.get(`/api/bedrift/${cold}/${section}`)
    const beforeWhole = register.calls.count()
    expect((await service.get(`/api/bedrift/${cold}`)).body.komplett).toBe(true)
    expect(register.calls.count()).toBe(beforeWhole)
  })

  it('P81: is told the whole group at its own address, from the same copy', async () => {
    const calls = register.calls.count()
    const { body } = await service.get(`/api/bedrift/${whole}/konsern`)
    expect(body.konsern.data.tre).toHaveLength(body.konsern.data.antallPlasser)
    expect(body.konsern.data.tre[0]).toMatchObject({ over: null, ledd: body.konsern.data.konsernspiss })
    expect((await service.get(`/api/bedrift/${whole}`)).body.konsern.data.tre).toBeNull()
    expect(register.calls.count()).toBe(calls)
  })

  it('is told by the tag whether those parts changed, at either address', async () => {
    const part = await service.get(`/api/bedrift/${whole}?felt=roller`)
    const own = await service.get(`/api/bedrift/${whole}/roller`)
    expect(own.text).toBe(part.text)
    const tag = part.headers.get('etag') ?? ''
    expect(own.headers.get('etag')).toBe(tag)
    expect((await service.get(`/api/bedrift/${whole}`)).headers.get('etag')).not.toBe(tag)
    const known = await service.get(`/api/bedrift/${whole}/roller`, { 'if-none-match': tag })
    expect([known.status, known.text]).toEqual([304, ''])
  })

  it('is told which there are, when one is not among them', async () => {
    for (const felt of ['navn,rolle', '', 'navn,,roller', 'kilder', '__proto__']) {
      const refused = await service.get(`/api/bedrift/${whole}?felt=${felt}`)
      expect([refused.status, refused.body.kode, refused.body.parameter], felt).toEqual([
        400,
        'ugyldig_parameter',
        'felt',
      ])
      for (const field of fields) expect(refused.body.detail).toContain(field)
    }
  })

  it('may want them fresh: then their sources are asked, and no other', async () => {
    await service.get(`/api/bedrift/${forced}/signatur`)
    const before = register.calls.count()
    const anew = await service.get(`/api/bedrift/${forced}/signatur?fersk=true`)
    expect(anew.headers.get('x-fersk')).toBe('gitt')
    expect(register.calls.count() - before).toBe(2)
  })

  it('of a company that is unknown or removed is told so, as whoever asks for all of it', async () => {
    for (const [orgnr, status] of [
      ['901200998', 404],
      [SAMPLE.removed, 410],
    ] as const) {
      for (const path of [`${orgnr}?felt=roller`, `${orgnr}/roller`])
        expect((await service.get(`/api/bedrift/${path}`)).status, path).toBe(status)
    }
  })

  it('hears when it is worth asking again for what could not be had now', async () => {
    register.setFault('roller', { kind: 'status', code: 503 })
    const lacking = await service.get(`/api/bedrift/${lacked}?felt=navn,roller`)
    expect([lacking.status, lacking.body.komplett, lacking.body.roller.tilstand]).toEqual([
      200,
      false,
      'utilgjengelig',
    ])
    expect(lacking.headers.get('retry-after')).toBe('30')
    expect(lacking.headers.get('x-ko')).toBe('0')
    const rest = await service.get(`/api/bedrift/${lacked}?felt=navn,status`)
    expect([rest.body.komplett, rest.headers.get('retry-after')]).toEqual([true, null])
    register.clearFaults()
  })
})

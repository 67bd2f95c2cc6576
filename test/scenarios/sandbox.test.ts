import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { LIVING } from '#src/samples/living.ts'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { documentedCalls } from '#test/support/documented-calls.ts'
import { type SampleService, startSampleService } from '#test/support/sample-service.ts'
import { createTestClock, HOUR_MS, MINUTE_MS, type TestClock } from '../support/clock.ts'
import type { RegisterStandIn } from '../support/register-stand-in.ts'

let clock: TestClock
let register: RegisterStandIn
let service: SampleService

beforeAll(async () => {
  clock = createTestClock()
  service = await startSampleService({ clock, workers: false })
  register = service.register
})
afterAll(() => service.close())

const bearer = { authorization: `Bearer ${PUBLIC_TEST_KEY}` }
const get = (path: string) => service.getBare(path, bearer)
const company = (orgnr: string) => get(`/api/bedrift/${orgnr}`)

describe('P94: with the public test key', () => {
  it('every call of the documentation can be tried, about invented companies, and no register is asked', async () => {
    const before = register.calls.count()
    const calls = await documentedCalls(service)
    for (const { name, good, send } of calls) {
      const answer = await send()
      expect([answer.status, answer.headers.get('x-provedata')], name).toEqual([good, 'true'])
      await answer.arrayBuffer()
    }
    expect(calls.length).toBeGreaterThan(30)
    expect(register.calls.count()).toBe(before)
  })

  it('a company is as it would be, and says in its sources that it is invented', async () => {
    const { body } = await company(SAMPLE.healthy)
    expect(body).toMatchObject({ navn: 'TINDEVÅG SJØMAT AS', komplett: true })
    expect(body.aksjonaerer.data.storste.length).toBeGreaterThan(2)
    for (const { kilde } of Object.values<{ kilde: string }>(body.kilder))
      expect(kilde).toMatch(/ \(oppdiktet\)$/)
    const found = await get('/api/bedrift/sok?q=tindev%C3%A5g%20sj%C3%B8mat')
    expect(found.body.treff[0].organisasjonsnummer).toBe(SAMPLE.healthy)
    const part = await get(`/api/bedrift/${SAMPLE.healthy}?felt=navn,roller`)
    expect(part.body.roller).toEqual(body.roller)
    const again = await fetch(`${service.address}/api/bedrift/${SAMPLE.healthy}`, {
      headers: { ...bearer, 'if-none-match': (await company(SAMPLE.healthy)).headers.get('etag') ?? '' },
    })
    expect(again.status).toBe(304)
  })

  it('nothing real is told, and with another key nothing invented is', async () => {
    register.clearFaults()
    expect((await company('974760673')).status).toBe(404)
    const living = await service.get(`/api/bedrift/${LIVING.renamed}`)
    expect([living.status, living.headers.get('x-provedata')]).toEqual([404, null])
    const real = await service.get(`/api/bedrift/${SAMPLE.healthy}`)
    expect(real.text).not.toContain('oppdiktet')
    expect(real.headers.get('x-provedata')).toBeNull()
    const mistyped = await service.getBare(`/api/bedrift/${SAMPLE.healthy}`, {
      authorization: `Bearer ${PUBLIC_TEST_KEY.slice(0, -1)}P`,
    })
    expect([mistyped.status, mistyped.body.kode]).toEqual([401, 'feilskrevet_nokkel'])
  })

  it('a company is renamed every ten minutes, and found by the name it has now', async () => {
    const names = new Set<string>()
    for (let round = 0; round < 4; round++) {
      const { body } = await company(LIVING.renamed)
      names.add(body.navn)
      const found = await get(`/api/bedrift/finn?navn=${encodeURIComponent(body.navn)}`)
      expect(found.body.foretak?.organisasjonsnummer).toBe(LIVING.renamed)
      clock.advance(10 * MINUTE_MS)
      const next = await company(LIVING.renamed)
      expect(next.body.historiskeNavn[0].navn).toBe(body.navn)
    }
    expect(names.size).toBe(4)
  })

  it('a company is bankrupt for an hour a day', async () => {
    const day = 24 * HOUR_MS
    const noon = (Math.floor(clock.now().getTime() / day) + 1) * day + 12 * HOUR_MS
    const stateAt = async (time: number) => {
      clock.advance(time - clock.now().getTime())
      return (await company(LIVING.bankruptAtNoon)).body.status.data.foretakstilstand
    }
    const states = []
    for (const time of [noon - 1000, noon, noon + HOUR_MS - 1000, noon + HOUR_MS])
      states.push(await stateAt(time))
    expect(states).toEqual(['aktiv', 'konkurs', 'konkurs', 'aktiv'])
  })

  it('each state a client has to handle has a number that has it', async () => {
    const tooMany = await company(LIVING.tooMany)
    expect([tooMany.status, tooMany.headers.get('retry-after')]).toEqual([429, '7'])
    const unavailable = await company(LIVING.unavailable)
    expect([unavailable.status, unavailable.headers.get('retry-after')]).toEqual([503, '7'])
    expect((await company(SAMPLE.removed)).status).toBe(410)
    expect((await company('901200998')).status).toBe(404)
    const away = await company(SAMPLE.sourceAway)
    expect([away.body.komplett, away.body.kunngjoringer.tilstand]).toEqual([false, 'utilgjengelig'])
    expect(away.headers.get('retry-after')).toBe('30')
    expect((await company(SAMPLE.stale)).body.roller.tilstand).toBe('utdatert')
  })

  it('requests are in a count of their own, and in no other', async () => {
    const { text } = await fetchMetrics()
    const own = [
      ...text.matchAll(
        /^bedriftsoppslag_test_requests_total\{[^}]*rute="\/api\/bedrift\/:orgnr"[^}]*\} (\d+)$/gm,
      ),
    ]
    expect(own.length).toBeGreaterThan(0)
    const others = /^bedriftsoppslag_request_seconds_count\{[^}]*status="429"[^}]*\} (\d+)$/m.exec(text)
    expect(others).toBeNull()
  })
})

async function fetchMetrics(): Promise<{ text: string }> {
  const answer = await fetch(`${service.opsAddress}/metrics`)
  return { text: await answer.text() }
}

import { describe, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { auditedBy, doomed, gone } from '../support/doomed-company.ts'
import { startRedis } from '../support/redis.ts'
import { startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService } from '../support/service.ts'
import { putYear } from '../support/share-books.ts'

const path = (orgnr: string) => `/api/bedrift/${orgnr}`

/** Over several processes and a shared cache: test/processes. */
describe('P11: in one process without a shared cache', () => {
  it('memory has nothing left, also of what was searched for and of its sub-units', async () => {
    const word = 'LUNDEGLEMSEL'
    const register = await startRegisterStandIn({ answers: sampleAnswers() })
    for (const [name, answer] of Object.entries(doomed(SAMPLE.healthy, word)))
      register.set(SAMPLE.healthy, name as 'enhet', answer)
    const service = await startTestService(register, { isLoaded: true, workers: false })
    try {
      const { body: subUnit } = await service.get(path(SAMPLE.subUnit))
      expect(subUnit.overordnetEnhet.data.navn).toBe(`${word} AS`)
      await service.get(path(SAMPLE.healthy))
      expect((await service.get(`/api/bedrift/sok?q=${word}`)).text).toContain(word)
      expect(service.tiers.cache.stats().memory.companies).toBeGreaterThan(2)

      register.set(SAMPLE.healthy, 'enhet', gone(SAMPLE.healthy))
      const told = await service.get(`${path(SAMPLE.healthy)}?fersk=true`)
      expect([told.status, told.body.slettedato]).toEqual([410, '2026-11-01'])
      expect(service.tiers.answers.get(SAMPLE.healthy)).toBeNull()
      expect(service.tiers.cache.stats().memory.companies).toBe(1)
      await expect(service.tiers.cache.read(SAMPLE.healthy)).rejects.toMatchObject({
        code: 'foretak_fjernet',
      })
      expect((await service.get(path(SAMPLE.subUnit))).text).not.toContain(word)
      expect((await service.get(`/api/bedrift/sok?q=${word}`)).text).not.toContain(word)
      expect((await service.get(`/api/bedrift/sok?q=${SAMPLE.healthy}`)).body.treff).toEqual([])
    } finally {
      await service.close()
      await register.close()
    }
  })
  it('P11: attack: nothing says that it was another’s auditor, though the register still does', async () => {
    const register = await startRegisterStandIn({ answers: sampleAnswers() })
    register.set(SAMPLE.subsidiary, 'roller', auditedBy(SAMPLE.healthy, 'LUNDEGLEMSEL', SAMPLE.subsidiary))
    const service = await startTestService(register, { isLoaded: true, workers: false })
    const namesIt = async (way: string) => {
      const { text } = await service.get(path(SAMPLE.subsidiary) + way)
      return [text.includes('"REVI"'), /LUNDEGLEMSEL/.test(text) || text.includes(SAMPLE.healthy)]
    }
    try {
      expect(await namesIt('')).toEqual([true, true])
      register.set(SAMPLE.healthy, 'enhet', gone(SAMPLE.healthy))
      expect((await service.get(`${path(SAMPLE.healthy)}?fersk=true`)).status).toBe(410)
      expect(await namesIt('')).toEqual([true, false])
      expect(await namesIt('?fersk=true')).toEqual([true, false])
    } finally {
      await service.close()
      await register.close()
    }
  })
})

describe('P11: over a shared cache that nobody has erased it from yet', () => {
  it('P11: attack: nothing says that it owned another, or was owned, though no worker runs', async () => {
    const word = 'LUNDEGLEMSEL'
    const [register, redis] = await Promise.all([
      startRegisterStandIn({ answers: sampleAnswers() }),
      startRedis(),
    ])
    const owner = { n: 'EIER AS', o: Number(SAMPLE.usd), a: [[0, 100]] as [number, number][] }
    const shares = { n: `${word} AS`, o: Number(SAMPLE.healthy), a: [[0, 60]] as [number, number][] }
    const books = [
      { orgnr: SAMPLE.healthy, navn: `${word} AS`, holders: [owner] },
      { orgnr: SAMPLE.holding, navn: 'DATTER AS', holders: [shares] },
    ]
    const service = await startTestService(register, {
      isLoaded: true,
      workers: false,
      variables: { CACHE_REDIS_URL: redis.url },
      seed: async ({ database }) => void (await putYear(database, { aar: 2024, books })),
    })
    const read = () => Promise.all([SAMPLE.holding, SAMPLE.usd].map((orgnr) => service.get(path(orgnr))))
    try {
      for (const { text } of await read()) expect(text).toContain(`${word} AS`)
      register.set(SAMPLE.healthy, 'enhet', gone(SAMPLE.healthy))
      expect((await service.get(`${path(SAMPLE.healthy)}?fersk=true`)).status).toBe(410)
      const [owned, owning] = await read()
      for (const answer of [owned, owning]) expect(answer?.text).not.toContain(word)
      expect(owned?.body.aksjonaerer.data.storste).toMatchObject([{ navn: null, aksjer: 60 }])
      expect(owning?.body.eierskap.tilstand).toBe('ikke_funnet')
    } finally {
      await service.close()
      await Promise.all([redis.close(), register.close()])
    }
  })
})

import { describe, expect, it } from 'vitest'
import { createReadiness } from '#src/ops/readiness.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'

const policy = { holdForMs: 0, deadlineMs: 60_000 }
const away = async () => {
  throw new StorageUnavailableError(new Error('postgres://bruker:hemmelig@db'))
}
const faulty = async () => {
  throw new Error('postgres://bruker:hemmelig@db')
}
const checks = [
  { del: 'database', check: away },
  { del: 'queue', check: faulty },
] as const

describe('P39: readiness', () => {
  it('names every part that is away, in our own words; what answers readers is ready all the same', async () => {
    const front = await createReadiness({ checks, worksWithout: true, policy })()
    const worker = await createReadiness({ checks, worksWithout: false, policy })()
    const missing = [
      { del: 'database', kode: 'lager_utilgjengelig', tekst: expect.any(String) },
      { del: 'queue', kode: 'ukjent', tekst: expect.any(String) },
    ]
    expect(front).toEqual({ klar: true, hindringer: [], mangler: missing })
    expect(worker).toEqual({ klar: false, hindringer: missing, mangler: [] })
    expect(JSON.stringify([front, worker])).not.toContain('hemmelig')
  })

  it('a part that does not answer is away, before whoever asks gives up', async () => {
    const readiness = createReadiness({
      checks: [{ del: 'database', check: () => new Promise(() => {}) }],
      worksWithout: true,
      policy: { holdForMs: 0, deadlineMs: 10 },
    })
    expect((await readiness()).mangler).toMatchObject([{ del: 'database', kode: 'tidsfrist' }])
  })

  it('is asked once in a while, however many want to know', async () => {
    let asked = 0
    const check = async () => {
      asked += 1
    }
    const readiness = createReadiness({
      checks: [{ del: 'database', check }],
      worksWithout: false,
      policy: { ...policy, holdForMs: 60_000 },
    })
    await Promise.all(Array.from({ length: 100 }, readiness))
    expect(asked).toBe(1)
  })
})

import { describe, expect, it } from 'vitest'
import { createReadiness } from '#src/ops/readiness.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'

const fit = { del: 'queue', check: async () => {} }

describe('P39: readiness', () => {
  it('names every part that is not fit, in our own words', async () => {
    const readiness = createReadiness({
      checks: [
        fit,
        {
          del: 'database',
          check: async () => {
            throw new StorageUnavailableError(new Error('postgres://bruker:hemmelig@db'))
          },
        },
        {
          del: 'noe',
          check: async () => {
            throw new Error('postgres://bruker:hemmelig@db')
          },
        },
      ],
      holdForMs: 0,
    })
    const { klar, hindringer } = await readiness()
    expect(klar).toBe(false)
    expect(hindringer.map(({ del, kode }) => [del, kode])).toEqual([
      ['database', 'lager_utilgjengelig'],
      ['noe', 'ukjent'],
    ])
    expect(JSON.stringify(hindringer)).not.toContain('hemmelig')
  })

  it('is asked once in a while, however many want to know', async () => {
    let asked = 0
    const check = async () => {
      asked += 1
    }
    const readiness = createReadiness({ checks: [{ del: 'database', check }], holdForMs: 60_000 })
    await Promise.all(Array.from({ length: 100 }, readiness))
    expect(asked).toBe(1)
  })
})

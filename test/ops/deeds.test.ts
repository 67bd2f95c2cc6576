import { beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '#src/core/clock.ts'
import { OppslagError } from '#src/core/errors.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import type { Queryable } from '#src/storage/database.ts'

const intent = { hvem: 'Kari', handling: 'noe.gjor', gjelder: null, hvorfor: 'en prøve' }

/** What was written: what it was done to, and how it ended. A row that ends so is refused. */
let written: [gjelder: unknown, utfall: unknown][]
let refused: string | null
beforeEach(() => {
  written = []
  refused = null
})
const db: Queryable = {
  async query(_, values = []) {
    const [, , , gjelder, , utfall] = values
    if (utfall === refused) throw new Error('the database went away')
    written.push([gjelder, utfall])
    return []
  },
}
const ground = { db, clock: systemClock }

describe('a deed', () => {
  it('is written before it is done and after, with what is known only then', async () => {
    const act = async () => {
      expect(written).toEqual([[null, 'begynt']])
      return 'abc'
    }
    expect(await actOnRecord(ground, intent, act, (id) => ({ gjelder: id }))).toBe('abc')
    expect(written).toEqual([
      [null, 'begynt'],
      ['abc', 'gjort'],
    ])
  })

  it('says how it ended when that was not as wanted', async () => {
    await actOnRecord(
      ground,
      intent,
      async () => {},
      () => ({ utfall: 'uendret' }),
    )
    const failure = new OppslagError('for_mange', 'For mange.')
    await expect(actOnRecord(ground, intent, () => Promise.reject(failure))).rejects.toBe(failure)
    expect(written.map(([, utfall]) => utfall)).toEqual(['begynt', 'uendret', 'begynt', 'for_mange'])
  })

  it('is not done when it can not be written down', async () => {
    refused = 'begynt'
    let isDone = false
    const act = async () => {
      isDone = true
    }
    await expect(actOnRecord(ground, intent, act)).rejects.toThrow('went away')
    expect(isDone).toBe(false)
  })

  it.each([
    'kari@example.no ba om det',
    'gjelder bo_live_abc',
    'tokenet bodrift_abc er borte',
    'kunde 01019012345',
    'kunde 010190 12345',
    'kunde 010190-12345',
    'kunde 010190.12345',
    'sak 9010190 12345',
  ])('P19: is not done, nor written down, for a reason with a person or a key in it: %s', async (hvorfor) => {
    const done = actOnRecord(ground, { ...intent, hvorfor }, async () => 'abc')
    await expect(done).rejects.toMatchObject({ code: 'ugyldig_hvorfor' })
    expect(written).toEqual([])
  })

  it('that was done is never written down as failed, also when its end can not be written', async () => {
    refused = 'gjort'
    await expect(actOnRecord(ground, intent, async () => {})).rejects.toThrow('went away')
    expect(written).toEqual([[null, 'begynt']])
  })
})

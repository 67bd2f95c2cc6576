import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import type { ValidKey } from '#src/access/verify.ts'
import { closedPages, crowdedReader, noChanges } from '#test/support/closed-pages.ts'
import { KEY, startPageFront } from '../pages/page-front.ts'

const { sizeMax } = policy.watches

it('P183: attack: of sixty who ask at once by one key for as much as a page has of what is watched, some are told at a time, and another’s is told meanwhile', async () => {
  let [held, heldMost] = [0, 0]
  const anothersIsTold = Promise.withResolvers<void>()
  const watch = (at: number) => ({
    orgnr: '923609016',
    navn: `TINDEVÅG ${at}`,
    epost: null,
    opprettet: new Date('2026-11-21T08:00:00Z'),
    get typer() {
      if (at === sizeMax - 1) held -= 1
      return ['foretak']
    },
  })
  const others: ValidKey = { ...KEY, id: 'b1b2c3d4e5f6', right: 'b1b2c3d4e5f6' }
  const front = await startPageFront(closedPages(), {
    changes: {
      verifier: {
        verify: (token: string) => ({ ok: true, key: token.includes('annen') ? others : KEY }),
        atHand: () => null,
      },
      reader: crowdedReader,
      changes: {
        ...noChanges,
        watcherOf: async ({ right }: ValidKey) => ({ eier: right, prove: false }),
        watches: {
          ...noChanges.watches,
          list: async ({ eier }) => {
            held += 1
            heldMost = Math.max(heldMost, held)
            if (eier === KEY.right) await anothersIsTold.promise
            return {
              watches: Array.from({ length: sizeMax }, (_, at) => watch(at)),
              count: sizeMax,
              hasMore: false,
            }
          },
        },
      },
    },
  })
  const ask = async (token: string) => {
    const { status } = await front.get(`/api/overvaking?size=${sizeMax}`, {
      authorization: `Bearer ${token}`,
    })
    return status
  }
  try {
    const greedy = Array.from({ length: 60 }, () => ask('bo_test'))
    const another = await ask('bo_test_annen')
    expect(another).toBe(200)
    anothersIsTold.resolve()
    expect(new Set(await Promise.all(greedy))).toEqual(new Set([200]))
    expect(heldMost).toBeLessThan(10)
  } finally {
    await front.close()
  }
})

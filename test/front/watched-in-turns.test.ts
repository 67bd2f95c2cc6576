import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import type { ValidKey } from '#src/access/verify.ts'
import { noChanges } from '#test/support/closed-pages.ts'
import { KEY } from '../pages/page-front.ts'
import { askedBySixtyAndAnother } from './sixty-and-another.ts'

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
  const list = async ({ eier }: { eier: string | null }) => {
    held += 1
    heldMost = Math.max(heldMost, held)
    if (eier === KEY.right) await anothersIsTold.promise
    return {
      watches: Array.from({ length: sizeMax }, (_, at) => watch(at)),
      count: sizeMax,
      hasMore: false,
    }
  }
  await askedBySixtyAndAnother(
    `/api/overvaking?size=${sizeMax}`,
    {
      watcherOf: async ({ right }: ValidKey) => ({ eier: right, prove: false }),
      watches: { ...noChanges.watches, list },
    },
    anothersIsTold.resolve,
  )
  expect(heldMost).toBeLessThan(10)
})

import { expect } from 'vitest'
import type { ValidKey } from '#src/access/verify.ts'
import { closedPages, crowdedReader, noChanges } from '#test/support/closed-pages.ts'
import { KEY, startPageFront } from '../pages/page-front.ts'

/**
 * Sixty ask at once by one key for what is at this path, and one by another's; all are answered.
 *
 * @param changes what they are told of
 * @param onAnothers told that the other's question is answered
 */
export async function askedBySixtyAndAnother(
  path: string,
  changes: Partial<typeof noChanges>,
  onAnothers: () => void,
): Promise<void> {
  const others: ValidKey = { ...KEY, id: 'b1b2c3d4e5f6', right: 'b1b2c3d4e5f6' }
  const front = await startPageFront(closedPages(), {
    changes: {
      verifier: {
        verify: (token: string) => ({ ok: true, key: token.includes('annen') ? others : KEY }),
        atHand: () => null,
      },
      reader: crowdedReader,
      changes: { ...noChanges, ...changes },
    },
  })
  const ask = async (token: string) => (await front.get(path, { authorization: `Bearer ${token}` })).status
  try {
    const greedy = Array.from({ length: 60 }, () => ask('bo_test'))
    expect(await ask('bo_test_annen')).toBe(200)
    onAnothers()
    expect(new Set(await Promise.all(greedy))).toEqual(new Set([200]))
  } finally {
    await front.close()
  }
}

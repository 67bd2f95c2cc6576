import { pino } from 'pino'
import { expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { DAY_MS } from '#src/core/units.ts'
import type { StoredIndustryCodes } from '#src/storage/industry-codes.ts'
import { createTestClock } from '#test/support/clock.ts'
import { refreshIndustryCodes } from '#workers/refresh-industry-codes.ts'

const codes = (count: number) =>
  Array.from({ length: count }, (_, nr) => ({ kode: `10.${100 + nr}`, navn: `Næring ${nr}` }))
const pairs = (count: number) =>
  codes(count).map(({ kode, navn }) => ({ sn2025: kode, sn2025Navn: navn, sn2007: kode, sn2007Navn: navn }))
const whole = { correspondences: pairs(100), sn2025Codes: codes(100), sn2007Codes: codes(100) }

/** One look of the background work, `days` after what is held was loaded. */
async function look(days: number, held: Omit<StoredIndustryCodes, 'loadedAt'> | null, came: typeof whole) {
  const clock = createTestClock()
  const loadedAt = new Date(clock.now().getTime() - days * DAY_MS)
  const stored: StoredIndustryCodes[] = []
  const what = await refreshIndustryCodes({
    readHeld: async () => held && { ...held, loadedAt },
    fetch: async () => came,
    replace: async (codes) => void stored.push(codes),
    clock,
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
    policy: policy.industryCodes,
  }).catch((error: Error) => error.message)
  return { what, stored: stored.map(({ correspondences }) => correspondences.length) }
}

test('the industry codes are loaded when there are none, when they are old, and sooner when a list of them did not come along', async () => {
  expect(await look(0, null, whole)).toEqual({ what: 'loaded', stored: [100] })
  expect(await look(29, whole, whole)).toEqual({ what: 'fresh', stored: [] })
  expect(await look(31, whole, whole)).toEqual({ what: 'loaded', stored: [100] })
  expect(await look(2, { ...whole, sn2007Codes: null }, whole)).toEqual({ what: 'loaded', stored: [100] })
})

test.each(['correspondences', 'sn2025Codes', 'sn2007Codes'] as const)(
  'P184: industry codes of which %s was cut do not take the place of those that are held',
  async (list) => {
    const cut = { ...whole, [list]: whole[list].slice(0, 89) }
    expect(await look(31, whole, cut)).toEqual({
      what: `industry codes: ${list} has 89 lines of 100`,
      stored: [],
    })
    const fewer = { ...whole, [list]: whole[list].slice(0, 95) }
    expect(await look(31, whole, fewer)).toMatchObject({ what: 'loaded' })
    expect(await look(0, null, cut)).toMatchObject({ what: 'loaded' })
  },
)

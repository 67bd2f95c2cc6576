import { expect, it } from 'vitest'
import { industryCodes } from '#src/record/industry-codes.ts'
import { createMadeUnder } from '#src/record/made-under.ts'
import { createPersonIds, NO_PERSON_IDS } from '#src/record/person-ids.ts'
import { addressesAt } from '#src/sources/addresses.ts'

const loadedAt = new Date('2026-11-02T08:00:00Z')
const codesAt = (at: Date, isFresh = true) =>
  industryCodes({ loadedAt: at, correspondences: [], sn2025Codes: [], sn2007Codes: [] }, isFresh)
const hosts = {
  registerUrl: 'https://register.example',
  kunngjoringUrl: 'https://kunngjoring.example',
  klassUrl: 'https://klass.example',
}
type Under = Parameters<typeof createMadeUnder>[0]

/** What a process of the same release over the same stores has: made anew for each, as in another process. */
function same(): Under {
  const [edition, lifetimes, codes] = [[{ id: 7 }], {}, codesAt(loadedAt)]
  const ids = createPersonIds(Buffer.from('a secret'))
  return {
    release: '0.1.0+abc',
    edition: () => edition,
    lifetimes: () => lifetimes,
    industryCodes: () => codes,
    personIds: () => ids,
    addresses: addressesAt(hosts),
    erased: () => '',
  }
}

it('P129: whatever else a record depends on makes it another maker’s, and nothing else does', () => {
  const word = createMadeUnder(same())()
  expect(word).toMatch(/^[\w-]{22}$/)
  expect(createMadeUnder(same())()).toBe(word)
  const codes = [codesAt(new Date(loadedAt.getTime() + 1)), codesAt(loadedAt, false)]
  const otherIds = createPersonIds(Buffer.from('another'))
  const lived = { enhet: { freshMs: 1, staleMs: 2, keepMs: 3 } } as ReturnType<Under['lifetimes']>
  const others: Partial<Under>[] = [
    { release: '0.1.0+abd' },
    { edition: () => [{ id: 8 }] },
    { lifetimes: () => lived },
    { industryCodes: () => codes[0] ?? null },
    { industryCodes: () => codes[1] ?? null },
    { personIds: () => otherIds },
    { addresses: addressesAt({ ...hosts, registerUrl: 'https://other.example' }) },
    { addresses: addressesAt({ ...hosts, kunngjoringUrl: 'https://other.example' }) },
    { addresses: addressesAt({ ...hosts, klassUrl: 'https://other.example' }) },
    { erased: () => 'x' },
  ]
  const words = others.map((other) => createMadeUnder({ ...same(), ...other })())
  expect(words).not.toContain(word)
  expect(words).not.toContain(null)
})

it('P129: what changes is heeded at once, and what is not known yet makes no answer for others', () => {
  let erased = ''
  let codes: ReturnType<Under['industryCodes']> = codesAt(loadedAt)
  const under = createMadeUnder({ ...same(), erased: () => erased, industryCodes: () => codes })
  const word = under()
  erased = 'one more'
  expect(under()).not.toBe(word)
  erased = ''
  expect(under()).toBe(word)
  codes = null
  expect(under()).toBeNull()
  expect(createMadeUnder({ ...same(), personIds: () => NO_PERSON_IDS })()).toBeNull()
})

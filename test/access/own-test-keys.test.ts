import { describe, expect, it } from 'vitest'
import { createOwnTestKeys } from '#src/access/own-test-keys.ts'
import { mintKey, readKey } from '#src/core/api-key.ts'
import { createTestClock } from '#test/support/clock.ts'

const DAY_MS = 24 * 60 * 60_000
const clock = createTestClock()
const keysOf = (secret: Buffer | null) => createOwnTestKeys({ secret: () => secret, clock, validDays: 90 })
const own = keysOf(Buffer.alloc(32, 1))
const minted = () => {
  const key = own.mint()
  if (key === null) throw new Error('the secret is there')
  return key
}

describe('P106: a test key', () => {
  it('is told from any other by computing, in every process that has the secret', () => {
    const { token, id, utloper } = minted()
    expect(readKey(token)).toEqual({ id, miljo: 'test', token })
    expect(keysOf(Buffer.alloc(32, 1)).read(token)).toEqual({ id, miljo: 'test', right: id, utloper })
    expect(keysOf(Buffer.alloc(32, 2)).read(token)).toBeNull()
    expect(keysOf(null).read(token)).toBe('ukjent_ennaa')
    expect(keysOf(null).mint()).toBeNull()
    expect(own.read(mintKey('test').token)).toBeNull()
    expect(own.read('')).toBeNull()
  })

  it('is another each time, and lasts the days it says after the one it was made on', () => {
    const ids = new Set(Array.from({ length: 500 }, () => minted().id))
    expect(ids.size).toBe(500)
    const lastsMs = minted().utloper.getTime() - clock.now().getTime()
    expect(lastsMs).toBeGreaterThanOrEqual(90 * DAY_MS)
    expect(lastsMs).toBeLessThanOrEqual(91 * DAY_MS)
  })

  it('attack: neither the day in its id nor any letter of it can be changed', () => {
    const { token } = minted()
    for (let place = 'bo_test_Prv'.length; place < token.length; place += 1) {
      const other = token[place] === '0' ? '1' : '0'
      expect(own.read(token.slice(0, place) + other + token.slice(place + 1)), String(place)).toBeNull()
    }
  })

  it('attack: addresses of one mailbox are counted as one', () => {
    const print = (address: string) => own.fingerprintOf(address)?.toString('hex')
    for (const same of ['Ola+1@Example.no', 'o.l.a@example.no', '.ola..+.x@example.no'])
      expect(print(same)).toBe(print('ola@example.no'))
    expect(print('ola@exampleno')).not.toBe(print('ola@example.no'))
    expect(print('ola@example.com')).not.toBe(print('ola@example.no'))
    expect(keysOf(Buffer.alloc(32, 2)).fingerprintOf('ola@example.no')?.toString('hex')).not.toBe(
      print('ola@example.no'),
    )
    expect(keysOf(null).fingerprintOf('ola@example.no')).toBeNull()
  })
})

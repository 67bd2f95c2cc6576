import { createHmac, timingSafeEqual } from 'node:crypto'
import { type ApiKey, randomText, readKey, writeApiKey } from '#src/core/api-key.ts'
import type { Clock } from '#src/core/clock.ts'
import { DAY_MS } from '#src/core/units.ts'
import type { ValidKey } from './verdict.ts'

/** `ukjent_ennaa`: it looks like one, and whether it is can not be told before the secret has been read. */
export type OwnTestKey = ValidKey | 'ukjent_ennaa' | null

/**
 * Test keys of one's own (P106). Nothing of one is stored anywhere: its id says on which day it was made, and its secret
 * follows from its id by HMAC-SHA256 with a secret of the installation. So every process tells a real one by computing, in
 * microseconds, nobody can make one without the secret, and there is nothing to erase. Of one that its holder has ended before its
 * time the id is kept, and nothing else (P134).
 *
 * @param secret null while it has not been read
 */
export function createOwnTestKeys({
  secret,
  clock,
  validDays,
}: {
  secret: () => Uint8Array | null
  clock: Clock
  validDays: number
}) {
  const under = (base: Uint8Array, name: string, text: string) =>
    createHmac('sha256', createHmac('sha256', base).update(name).digest()).update(text).digest()

  function keyWithId(base: Uint8Array, id: string): ApiKey {
    return writeApiKey('test', id, under(base, 'testnokkel', id))
  }

  /** Valid for so many whole days after the one it was made on. */
  function endOf(day: number): Date {
    return new Date((day + 1 + validDays) * DAY_MS)
  }

  return {
    /** @returns null while the secret has not been read */
    mint(): (ValidKey & { token: string }) | null {
      const base = secret()
      if (base === null) return null
      const day = Math.floor(clock.now().getTime() / DAY_MS)
      const id = `${MARK}${day.toString(36).padStart(DAY_LENGTH, '0')}${randomText(RANDOM_LENGTH)}`
      return { ...keyWithId(base, id), right: id, utloper: endOf(day) }
    },

    /** Whose key a text is; also one that has expired. Null when it is none of these. */
    read(text: string): OwnTestKey {
      if (!text.startsWith(`bo_test_${MARK}`)) return null
      const key = readKey(text)
      if (typeof key === 'string') return null
      const day = /^[0-9a-z]{4}$/.test(dayIn(key.id)) ? Number.parseInt(dayIn(key.id), 36) : null
      if (day === null) return null
      const base = secret()
      if (base === null) return 'ukjent_ennaa'
      const made = keyWithId(base, key.id)
      if (!timingSafeEqual(Buffer.from(made.token), Buffer.from(key.token))) return null
      return { id: key.id, miljo: key.miljo, right: key.id, utloper: endOf(day) }
    },

    isOfTheseIds: (id: string): boolean => id.startsWith(MARK),

    /**
     * What an address is counted by: who has not the secret can not tell whose it is. What stands behind a plus is left out, and so
     * are dots, as the same mailbox has them, or may have: Gmail's does. Null while the secret has not been read.
     */
    fingerprintOf(address: string): Buffer | null {
      const base = secret()
      const [, mailbox = address, domain = ''] = /^([^@+]+)[^@]*(@.*)$/.exec(address.toLowerCase()) ?? []
      return base === null ? null : under(base, 'testnokkeladresse', mailbox.replaceAll('.', '') + domain)
    },

    /** The same of whoever asks. */
    networkFingerprintOf(network: string): Buffer | null {
      const base = secret()
      return base === null ? null : under(base, 'testnokkelnettverk', network)
    },
  }
}

const MARK = 'Prv'
const DAY_LENGTH = 4
/** 62^5 for each day: two with one id would be one key. */
const RANDOM_LENGTH = 5

function dayIn(id: string): string {
  return id.slice(MARK.length, MARK.length + DAY_LENGTH)
}

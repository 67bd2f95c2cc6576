import { hash } from 'node:crypto'
import type { Addresses } from '#src/sources/addresses.ts'
import type { LifetimesNow } from '#src/sources/lifetime.ts'
import { NO_PERSON_IDS, type PersonIds } from './person-ids.ts'
import type { IndustryCodes } from './sections/naering.ts'

/**
 * A word for everything that a record depends on besides the copies it is made of: two processes with the same word make the same
 * bytes of the same copies. Null while something of it is not known yet.
 *
 * @param release two that differ in anything have two names
 * @param edition the years of the archive there are; another list when it changes, and so is each of the others
 * @param erased another word for each set of companies that are not to be named
 */
export function createMadeUnder({
  release,
  edition,
  lifetimes,
  industryCodes,
  personIds,
  addresses,
  erased,
}: {
  release: string
  edition: () => unknown
  lifetimes: () => LifetimesNow
  industryCodes: () => IndustryCodes
  personIds: () => PersonIds
  addresses: Addresses
  erased: () => string
}): () => string | null {
  let known: readonly unknown[] = []
  let word: string | null = null

  function make(): string | null {
    const codes = industryCodes()
    const ids = personIds()
    if (codes === null || ids === NO_PERSON_IDS) return null
    const all = [
      release,
      edition(),
      lifetimes(),
      [codes.loadedAt, codes.isFresh],
      // The secret itself is nobody's to tell; whose ids these are shows in any of them.
      [ids.rolleinnehaver('A', '1900-01-01'), ids.aksjonaer('A', 1900)],
      [
        addresses('enhet', '999999999'),
        addresses('kunngjoringer', '999999999'),
        addresses('klass', '999999999'),
      ],
      erased(),
    ]
    return hash('sha256', JSON.stringify(all), 'base64url').slice(0, 22)
  }

  return () => {
    const now = [edition(), lifetimes(), industryCodes(), personIds(), erased()]
    if (now.length !== known.length || now.some((each, index) => each !== known[index])) {
      known = now
      word = make()
    }
    return word
  }
}

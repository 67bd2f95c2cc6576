import { type Miljo, mintKey } from '#src/core/api-key.ts'
import type { Clock } from '#src/core/clock.ts'
import { InputError } from '#src/core/errors.ts'
import { hashKey } from '#src/core/key-hash.ts'
import type { Database } from '#src/storage/database.ts'
import {
  endNamedKey,
  findKeyRight,
  type HeldKey,
  insertNamedKey,
  type KeyChange,
  listEndedKeys,
  listHeldKeys,
  renameKey,
} from '#src/storage/named-keys.ts'

export type NamedKeys = ReturnType<typeof createNamedKeys>
export type { HeldKey, KeyChange } from '#src/storage/named-keys.ts'

/** `token` exists here and nowhere else: it is shown once, then gone. */
export type MadeKey =
  | { utfall: 'laget'; token: string; id: string; navn: string; utloper: Date }
  | { utfall: Exclude<KeyChange, 'gjort' | 'ukjent'> | 'for_mange' }

/**
 * The keys of one right, as its holder sees and changes them (P133). Whoever has the key that was bought makes others beside it,
 * each with a name, for a program or a colleague each, and ends one without the others. They live no longer than the right:
 * when its chain is revoked, refunded or replaced because it leaked, so are they, and they end when it does.
 *
 * A key with a name can neither see nor change any of this, so that one that leaked makes no other.
 */
export function createNamedKeys({
  db,
  miljo,
  clock,
  policy,
}: {
  db: Database
  miljo: Miljo
  clock: Clock
  policy: { inUseMax: number; madeMax: number; madeInAllMax: number; endedShownMax: number }
}) {
  return {
    inUseMax: policy.inUseMax,

    /** @returns null for whoever shows a key with a name, or none that is stored */
    async list(by: string): Promise<{ held: HeldKey[]; ended: HeldKey[] } | null> {
      const right = await findKeyRight(db, by)
      if (right === null || right.isNamed) return null
      const at = clock.now()
      const held = await listHeldKeys(db, right.right, at)
      return { held, ended: await listEndedKeys(db, right.right, at, policy.endedShownMax) }
    },

    /** @throws InputError when it is no name */
    async make(by: string, typed: string): Promise<MadeKey> {
      const navn = parseKeyName(typed)
      const { id, token } = mintKey(miljo)
      // Outside the transaction, which is to be short: this is 15 ms of a core.
      const hash = await hashKey(token)
      const made = await insertNamedKey(db, { id, miljo, navn, hash }, { ...policy, by, at: clock.now() })
      return typeof made === 'string' ? { utfall: made } : { utfall: 'laget', token, id, navn, ...made }
    },

    /** @throws InputError when it is no name */
    rename: (by: string, id: string, typed: string): Promise<KeyChange> =>
      renameKey(db, { id, navn: parseKeyName(typed) }, { by, at: clock.now() }),

    end: (by: string, id: string): Promise<KeyChange> => endNamedKey(db, id, { by, at: clock.now() }),
  }
}

const LENGTH_MAX = 60

/** One line of text. @throws InputError; the text does not repeat what was sent, which may be a key */
function parseKeyName(text: string): string {
  const name = text.normalize('NFC').replace(/\s+/gu, ' ').trim()
  if (
    name !== '' &&
    name.length <= LENGTH_MAX &&
    !/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(name) &&
    !/bo_(live|test)_/i.test(name)
  )
    return name
  throw new InputError('ugyldig_navn', 'navn', {
    norsk: `Skriv et navn på høyst ${LENGTH_MAX} tegn, for eksempel «Regnskapssystemet». Skriv aldri inn selve nøkkelen.`,
    english: `Give a name of at most ${LENGTH_MAX} characters, for example “Accounting system”. Never type the key itself.`,
  })
}

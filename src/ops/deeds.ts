import type { Clock } from '#src/core/clock.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import { mayHoldIdentityNumber } from '#src/sources/aksjonaerregisteret/identity-number.ts'
import type { Queryable } from '#src/storage/database.ts'
import { recordDeed } from '#src/storage/operator-trail.ts'

type Intent = { hvem: string; handling: string; gjelder: string | null; hvorfor: string }

/** What is known only when it is done: what it was done to, and how it ended when `gjort` would say too much or too little. */
export type DeedEnding = { gjelder?: string; utfall?: string }

/**
 * Does what an operator wants, and writes down who, what, why and how it ended. It is written before as well: what a process
 * died with is seen to have been begun.
 *
 * @param endOf how it ended, from what `act` gave; otherwise it was done to what the intent says
 * @throws InputError when no reason is given, or one that names a person or holds a key; whatever `act` throws
 */
export async function actOnRecord<T>(
  { db, clock }: { db: Queryable; clock: Clock },
  intent: Intent,
  act: (hvorfor: string) => Promise<T>,
  endOf: (done: T) => DeedEnding = () => ({}),
): Promise<T> {
  const hvorfor = readReason(intent.hvorfor)
  const note = (ending: Required<Pick<DeedEnding, 'utfall'>> & DeedEnding) =>
    recordDeed(db, { ...intent, hvorfor, at: clock.now(), ...ending })
  await note({ utfall: 'begynt' })
  let done: T
  try {
    done = await act(hvorfor)
  } catch (error) {
    await note({ utfall: error instanceof OppslagError ? error.code : 'feil' }).catch(() => {})
    throw error
  }
  // Not inside the try: what was done is never written down as failed, even when this can not be written.
  await note({ utfall: 'gjort', ...endOf(done) })
  return done
}

/** The trail is kept for good: nothing of a person, and no secret, may stand in it. */
export function namesPersonOrKey(text: string): boolean {
  // Six and five digits with a space between are refused here within longer numbers too.
  return /@|bo_(live|test)_\w|bodrift_|\d{6} \d{5}/.test(text) || mayHoldIdentityNumber(text)
}

/** @throws InputError for one that can not stand in the trail */
export function readReason(text: string): string {
  const reason = text.trim().replace(/\s+/g, ' ')
  if (reason.length < 3 || reason.length > 300 || /\p{Cc}/u.test(reason)) {
    throw new InputError('mangler_hvorfor', 'hvorfor', {
      norsk: 'Skriv hvorfor, med 3 til 300 tegn.',
      english: 'Say why, in 3 to 300 characters.',
    })
  }
  if (namesPersonOrKey(reason)) {
    throw new InputError('ugyldig_hvorfor', 'hvorfor', {
      norsk: 'Begrunnelsen kan ikke inneholde e-postadresser, fødselsnumre eller nøkler.',
      english: 'The reason can not contain e-mail addresses, identity numbers or keys.',
    })
  }
  return reason
}

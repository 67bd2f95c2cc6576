import type { Clock } from '#src/core/clock.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import type { Queryable } from '#src/storage/database.ts'
import { recordDeed } from '#src/storage/operator-trail.ts'

export type Intent = { hvem: string; handling: string; gjelder: string | null; hvorfor: string }

/**
 * Does what an operator wants, and writes down who, what, why and how it ended. It is written before as well: what a process
 * died with is seen to have been begun.
 *
 * @throws InputError when no reason is given, or one that names a person or holds a key; whatever `act` throws
 */
export async function actOnRecord<T>(
  { db, clock }: { db: Queryable; clock: Clock },
  intent: Intent,
  act: (hvorfor: string) => Promise<T>,
): Promise<T> {
  const hvorfor = readReason(intent.hvorfor)
  const note = (utfall: string) => recordDeed(db, { ...intent, hvorfor, at: clock.now(), utfall })
  await note('begynt')
  try {
    const done = await act(hvorfor)
    await note('gjort')
    return done
  } catch (error) {
    await note(error instanceof OppslagError ? error.code : 'feil').catch(() => {})
    throw error
  }
}

/** @throws InputError */
export function readReason(text: string): string {
  const reason = text.trim().replace(/\s+/g, ' ')
  if (reason.length < 3 || reason.length > 300 || /\p{Cc}/u.test(reason)) {
    throw new InputError('mangler_hvorfor', 'hvorfor', {
      norsk: 'Skriv hvorfor, med 3 til 300 tegn.',
      english: 'Say why, in 3 to 300 characters.',
    })
  }
  // The trail is kept for good: nothing of a person, and no secret, may stand in it.
  if (/@|bo_(live|test)_\w|bodrift_|\d{6} ?\d{5}/.test(reason)) {
    throw new InputError('ugyldig_hvorfor', 'hvorfor', {
      norsk: 'Begrunnelsen kan ikke inneholde e-postadresser, fødselsnumre eller nøkler.',
      english: 'The reason can not contain e-mail addresses, identity numbers or keys.',
    })
  }
  return reason
}

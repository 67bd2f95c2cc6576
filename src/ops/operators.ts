import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '#src/core/clock.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import type { Queryable } from '#src/storage/database.ts'
import {
  deleteSession,
  findOperatorByHash,
  findSession,
  hasOperators,
  insertOperator,
  insertSession,
  type Operator,
  type OperatorRole,
} from '#src/storage/operators.ts'

export type { Operator, OperatorRole }
export type Operators = ReturnType<typeof createOperators>

/**
 * Who may see and steer. A token is 256 random bits and is stored as its SHA-256: there is nothing to guess, so a slow hash
 * would protect nothing, and would let whoever reaches the port spend our processor. The same holds for sessions.
 */
export function createOperators({
  db,
  clock,
  policy,
}: {
  db: Queryable
  clock: Clock
  policy: { sessionMs: number; loginsMax: number; loginsPerMs: number }
}) {
  const failures: number[] = []

  /** Tokens can not be guessed, but trying fills the log and asks the database. */
  function mayTry(): boolean {
    const now = performance.now()
    while (failures[0] !== undefined && now - failures[0] > policy.loginsPerMs) failures.shift()
    return failures.length < policy.loginsMax
  }

  async function byToken(token: string): Promise<Operator | null> {
    if (!TOKEN.test(token)) return failed()
    return (await findOperatorByHash(db, hashOf(token))) ?? failed()
  }

  function failed(): null {
    failures.push(performance.now())
    return null
  }

  return {
    areThere: () => hasOperators(db),
    mayTry,
    /** Null for a token that is not known or no longer good. */
    byToken,

    /** Begins a session for whoever has the token. `value` goes into the cookie and is stored nowhere. */
    async begin(token: string): Promise<{ operator: Operator; value: string; utloper: Date } | null> {
      const operator = await byToken(token)
      if (operator === null) return null
      const value = randomBytes(32).toString('base64url')
      const at = clock.now()
      const utloper = new Date(at.getTime() + policy.sessionMs)
      await insertSession(db, { hash: hashOf(value), operator: operator.id, utloper }, at)
      return { operator, value, utloper }
    },

    async bySession(value: string): Promise<Operator | null> {
      return SESSION.test(value) ? findSession(db, hashOf(value), clock.now()) : null
    },

    async end(value: string): Promise<void> {
      if (SESSION.test(value)) await deleteSession(db, hashOf(value))
    },
  }
}

/**
 * Makes an operator. The token is shown by whoever calls, once.
 *
 * @throws InputError for a name that is none, OppslagError when there is one already
 */
export async function makeOperator(
  { db, clock }: { db: Queryable; clock: Clock },
  { navn, rolle }: { navn: string; rolle: OperatorRole },
): Promise<{ operator: Operator; token: string }> {
  const name = navn.trim()
  if (!NAME.test(name)) {
    throw new InputError('ugyldig_navn', 'navn', {
      norsk: 'Navnet er 2 til 40 bokstaver, tall, mellomrom, punktum, bindestrek eller understrek.',
      english: 'The name is 2 to 40 letters, digits, spaces, dots, hyphens or underscores.',
    })
  }
  const token = `bodrift_${randomBytes(32).toString('base64url')}`
  const operator: Operator = { id: randomBytes(6).toString('hex'), navn: name, rolle }
  if (!(await insertOperator(db, { ...operator, hash: hashOf(token) }, clock.now()))) {
    throw new OppslagError(
      'finnes_fra_for',
      'Det finnes en operatør med dette navnet. Tilbakekall den først.',
    )
  }
  return { operator, token }
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,38}[\p{L}\p{N}]$/u
const TOKEN = /^bodrift_[A-Za-z0-9_-]{43}$/
const SESSION = /^[A-Za-z0-9_-]{43}$/

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

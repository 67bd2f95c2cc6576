import { createHash, randomBytes } from 'node:crypto'
import { networkOf } from '#src/core/client-network.ts'
import type { Clock } from '#src/core/clock.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import { createWindowedCount } from '#src/core/windowed-count.ts'
import type { Queryable } from '#src/storage/database.ts'
import {
  deleteSession,
  findOperatorByHash,
  findSession,
  insertOperator,
  insertSession,
  listGoodHashes,
  type Operator,
  type OperatorRole,
} from '#src/storage/operators.ts'
import { createKnownCredentials } from './known-credentials.ts'

export type { Operator, OperatorRole }
export type Operators = ReturnType<typeof createOperators>

/** A token that is not let in; `for_mange_forsok`: nor were many before it from the same network. */
export type NotLetIn = 'ukjent_operator' | 'for_mange_forsok'

/**
 * Who may see and steer. A token is 256 random bits and is stored as its SHA-256: there is nothing to guess, so a slow hash
 * would protect nothing, and would let whoever reaches the port spend our processor. The same holds for sessions.
 *
 * A right token is let in however many wrong ones there were, since shutting out would be what they are sent for (P45). Wrong
 * ones are counted for each network, for the log and to be told off.
 */
export function createOperators({
  db,
  clock,
  policy,
}: {
  db: Queryable
  clock: Clock
  policy: {
    sessionMs: number
    credentialsLookMs: number
    wrongTokensMax: number
    wrongTokensPerMs: number
    networksMax: number
  }
}) {
  const known = createKnownCredentials({
    read: () => listGoodHashes(db, clock.now()),
    everyMs: policy.credentialsLookMs,
  })
  const wrong = createWindowedCount({
    clock,
    windowMs: policy.wrongTokensPerMs,
    namesMax: policy.networksMax,
  })

  async function byToken(token: string, ip: string): Promise<Operator | NotLetIn> {
    const hash = hashOf(token)
    const operator = TOKEN.test(token) && (await known.has(hash)) ? await findOperatorByHash(db, hash) : null
    if (operator !== null) return operator
    const { count } = wrong.add(networkOf(ip))
    return count > policy.wrongTokensMax ? 'for_mange_forsok' : 'ukjent_operator'
  }

  return {
    areThere: known.any,
    byToken,

    /** Begins a session for whoever has the token. `value` goes into the cookie and is stored nowhere. */
    async begin(
      token: string,
      ip: string,
    ): Promise<{ operator: Operator; value: string; utloper: Date } | NotLetIn> {
      const operator = await byToken(token, ip)
      if (typeof operator === 'string') return operator
      const value = randomBytes(32).toString('base64url')
      const at = clock.now()
      const utloper = new Date(at.getTime() + policy.sessionMs)
      await insertSession(db, { hash: hashOf(value), operator: operator.id, utloper }, at)
      return { operator, value, utloper }
    },

    async bySession(value: string): Promise<Operator | null> {
      const hash = hashOf(value)
      return SESSION.test(value) && (await known.has(hash)) ? findSession(db, hash, clock.now()) : null
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

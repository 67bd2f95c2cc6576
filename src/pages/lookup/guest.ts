import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KeySessions } from '#src/access/key-sessions.ts'
import type { ValidKey } from '#src/access/verify.ts'
import { askerIs } from '#src/core/asker.ts'
import { networkOf } from '#src/core/client-network.ts'
import { turnOfLoop } from '../../http/loop-turn.ts'
import { createSessionCookie } from '../../http/session-cookie.ts'
import { PageFailure } from '../failures.ts'

/**
 * Who looks. `key`: whose session this is, and may read. `ended`: there was a session, and why it is no more; told once, since
 * the cookie goes with it.
 */
export type Guest = { key: ValidKey | null; ended: 'over' | 'utlopt' | 'tilbakekalt' | null }

export const sessionCookie = createSessionCookie('bedriftsoppslag')

export const NOBODY: Guest = { key: null, ended: null }

/**
 * Reads the session of a request. Whether its key may still read is asked as for any call, so that what ends a key ends this.
 *
 * @throws PageFailure `lager` when that can not be found out now; StorageUnavailableError likewise
 */
export async function guestOf(
  sessions: Pick<KeySessions, 'who' | 'end'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Guest> {
  const value = sessionCookie.read(request)
  if (value === null) return NOBODY
  const verdict = await sessions.who(value)
  if (verdict?.ok === true) {
    askerIs(verdict.key.right)
    await turnOfLoop(reply)
    return { key: verdict.key, ended: null }
  }
  if (verdict !== null && 'retryAfterSeconds' in verdict)
    throw new PageFailure('lager', { retryAfterSeconds: verdict.retryAfterSeconds })
  if (verdict !== null) await sessions.end(value)
  sessionCookie.set(request, reply, null)
  const why = verdict?.why
  return { key: null, ended: why === 'utlopt' || why === 'tilbakekalt' ? why : 'over' }
}

/** By whom turns are counted: whoever holds a key, and networks without one. */
export function turnNameOf({ key }: Guest, request: FastifyRequest): string {
  return key?.right ?? networkOf(request.ip)
}

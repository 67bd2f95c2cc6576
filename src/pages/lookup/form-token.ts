import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createSessionCookie } from '../../http/session-cookie.ts'
import { PageFailure } from '../failures.ts'
import { sessionCookie } from './guest.ts'

const formCookie = createSessionCookie('bedriftsskjema')
const SECONDS = 12 * 3600

/**
 * What a form of ours carries besides what was typed, so that no page of another can send one in a visitor's name: a hash of
 * what only this browser has, in a cookie no page can read, and of its session. A form from before a login does nothing after.
 */
export function formToken(request: FastifyRequest, reply: FastifyReply): string {
  const known = formCookie.read(request)
  const value = known ?? randomBytes(32).toString('base64url')
  if (known === null) formCookie.set(request, reply, { value, seconds: SECONDS })
  return tokenOf(request, value)
}

/** @throws PageFailure `skjema` unless the form carries the token of this browser */
export function checkFormToken(request: FastifyRequest, given: string): void {
  const value = formCookie.read(request)
  if (value === null) throw new PageFailure('skjema')
  const expected = Buffer.from(tokenOf(request, value))
  const found = Buffer.from(given)
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) throw new PageFailure('skjema')
}

function tokenOf(request: FastifyRequest, value: string): string {
  return createHash('sha256')
    .update(`skjema ${value} ${sessionCookie.read(request) ?? ''}`)
    .digest('base64url')
}

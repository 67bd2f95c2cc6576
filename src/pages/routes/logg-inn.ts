import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Verdict } from '#src/access/verdict.ts'
import { askerIs } from '#src/core/asker.ts'
import { type ProblemCode, problems } from '../../http/problems.ts'
import { formReader, Typed } from '../forms.ts'
import { checkFormToken, formToken } from '../lookup/form-token.ts'
import { guestOf, sessionCookie } from '../lookup/guest.ts'
import { enterPage, leavePage } from '../lookup/key-pages.ts'
import type { PageTools } from '../page-tools.ts'
import { visitorOf } from '../visitor.ts'

const readKey = formReader({ skjema: Typed, nokkel: Typed, til: Type.Optional(Typed) })
const readEnd = formReader({ skjema: Typed })

/**
 * In with a key, out with a button. The key goes to where every call's key goes, and to nowhere else: it is checked by the same
 * verifier, with the same bounds on wrong ones (P24), and what is refused is told in the words of its problem (P22, P27).
 * A test key, everybody's or one's own, opens what is open to all without it.
 */
export function loggInnRoutes(app: FastifyInstance, { lookup, send }: PageTools): void {
  const hidden = { schema: { hide: true } }
  const IN = '/logg-inn'
  const OUT = '/logg-ut'

  app.get(IN, hidden, async (request, reply) => {
    const visitor = visitorOf(request, IN)
    const token = formToken(request, reply)
    const page = enterPage({ token, leadsTo: visitor.at('/oppslag'), fault: null, wanted: null }, visitor)
    return send.own(reply, page, visitor)
  })

  app.post(IN, hidden, async (request, reply) => {
    const visitor = visitorOf(request, IN)
    const { skjema, nokkel, til } = readKey(request.body)
    checkFormToken(request, skjema)
    const leadsTo = ourPath(til) ?? visitor.at('/oppslag')
    if (lookup.sandbox.isTestKey(nokkel.trim()))
      return reply.header('cache-control', 'no-store').redirect(visitor.at('/eksempler'), 303)
    const verdict = await lookup.verifier.verify(nokkel.trim(), request)
    if (!verdict.ok) {
      request.isOfMany = 'isOwn' in verdict && verdict.isOwn === true
      const kode = codeOf(verdict)
      const { status, title, detail } = problems[kode]
      const { language } = visitor
      const fault = `${title[language]}. ${detail[language]}`
      const page = enterPage({ token: formToken(request, reply), leadsTo, fault, wanted: null }, visitor)
      return send.own(reply, page, visitor, {
        status,
        headers:
          'retryAfterSeconds' in verdict
            ? { 'retry-after': String(verdict.retryAfterSeconds) }
            : { 'www-authenticate': 'Bearer realm="bedriftsoppslag", error="invalid_token"' },
      })
    }
    // From however many networks somebody logs in with one key, it has that key's turns: others who come have theirs besides.
    askerIs(verdict.key.right)
    // The session before, of whichever key, ends with the new one: a browser has one.
    const before = sessionCookie.read(request)
    if (before !== null) await lookup.sessions.end(before)
    sessionCookie.set(request, reply, await lookup.sessions.begin(verdict.key))
    return reply.header('cache-control', 'no-store').redirect(leadsTo, 303)
  })

  app.get(OUT, hidden, async (request, reply) => {
    const visitor = visitorOf(request, OUT)
    const { key } = await guestOf(lookup.sessions, request, reply)
    if (key === null) return reply.header('cache-control', 'no-store').redirect(visitor.at(IN), 303)
    return send.own(reply, leavePage({ token: formToken(request, reply), keyId: key.id }, visitor), visitor)
  })

  app.post(OUT, hidden, async (request, reply) => {
    const visitor = visitorOf(request, OUT)
    checkFormToken(request, readEnd(request.body).skjema)
    const session = sessionCookie.read(request)
    if (session !== null) await lookup.sessions.end(session)
    sessionCookie.set(request, reply, null)
    return reply.header('cache-control', 'no-store').redirect(visitor.at(IN), 303)
  })
}

/** A page of ours that a visitor may have wanted; null for anything else that a form may say. */
function ourPath(text: string | undefined): string | null {
  return text !== undefined &&
    /^\/(?:oppslag|liste|nokler|endepunkter|overvaking|foretak\/[0-9]{9})(?:\?lang=(?:nb|en))?$/.test(text)
    ? text
    : null
}

function codeOf(verdict: Extract<Verdict, { ok: false }>): ProblemCode {
  switch (verdict.why) {
    case 'for_mange_forsok':
    case 'overbelastet':
      return verdict.why
    case 'lager_utilgjengelig':
      return 'nokkellager_utilgjengelig'
    case 'utlopt':
      return 'utlopt_nokkel'
    case 'tilbakekalt':
      return 'tilbakekalt_nokkel'
    case 'annet_miljo':
      return 'nokkel_fra_annet_miljo'
    case 'ikke_en_nokkel':
    case 'feil_kontrollsum':
      return 'feilskrevet_nokkel'
    case 'ukjent':
      return 'ugyldig_nokkel'
  }
}

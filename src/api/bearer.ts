import type { FastifyReply, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import type { ValidKey, Verdict, Verifier } from '#src/access/verify.ts'
import { askerIs } from '#src/core/asker.ts'
import type { Clock } from '#src/core/clock.ts'
import { goOnInTurn, turnOfLoop } from '../http/loop-turn.ts'
import { Problem } from '../http/problem.ts'
import { DAYS_LEFT, daysLeftHeader } from './days-left.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Nobody is let in without a key. */
    takesKey?: boolean
  }
  interface FastifyRequest {
    /** The key this request was made with; set on every guarded route, before its handler. */
    readerKey: ValidKey | null
    /** Looks at the key again; set with it. Throws, or rejects, as the first look would. */
    lookAgain: (() => void | Promise<void>) | null
  }
}

/**
 * Guards every route of the instance it is registered in. RFC 6750, section 3: no credentials get a bare challenge, a bad
 * key `invalid_token`, doubled credentials `invalid_request`. Nothing of the key is ever put in an answer or a log (P22);
 * how long it lasts is told to its holder alone (P27).
 */
export const bearer = plugin<{ verifier: Pick<Verifier, 'verify'>; clock: Clock }>(
  async (app, { verifier, clock }) => {
    app.addHook('onRoute', (route) => {
      route.config = { ...route.config, takesKey: true }
    })
    app.decorateRequest('readerKey', null)
    app.decorateRequest('lookAgain', null)
    app.addHook('onRequest', (request, reply, done) => {
      try {
        const shown = credentials(request)
        const verdict = verifier.verify(shown, request)
        if (verdict instanceof Promise) {
          verdict
            .then((settled) => admit(settled, shown, request, reply))
            .then(
              () => done(),
              (error) => refuse(error, reply, done),
            )
          return
        }
        const turn = admit(verdict, shown, request, reply)
        if (turn === null) done()
        else turn.then(() => done())
      } catch (error) {
        refuse(error as Error, reply, done)
      }
    })

    /** In a turn of the network: to be told takes as long as to be answered. */
    function refuse(error: Error, reply: FastifyReply, done: (error: Error) => void): void {
      goOnInTurn(reply, () => done(error))
    }

    /** @returns comes back when it is its turn; null when it is now */
    function admit(
      verdict: Verdict,
      shown: string,
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<void> | null {
      if (!verdict.ok) throw refusal(verdict)
      request.readerKey = verdict.key
      request.lookAgain = () => {
        const now = verifier.verify(shown, request)
        return now instanceof Promise ? now.then(mustBeValid) : mustBeValid(now)
      }
      // Of a test key, which everybody may have, it is still the network.
      if (!request.isTest) askerIs(verdict.key.right)
      const days = daysLeftHeader(verdict.key.utloper, clock.now().getTime())
      if (days !== null) reply.header(DAYS_LEFT, days)
      return turnOfLoop(reply)
    }
  },
  { name: 'bearer' },
)

function mustBeValid(verdict: Verdict): void {
  if (!verdict.ok) throw refusal(verdict)
}

/** The guarded request's key; asking on an open route is a fault of ours. */
export function readerKey(request: FastifyRequest): ValidKey {
  if (request.readerKey === null) throw new Error('a guarded route ran without a key')
  return request.readerKey
}

/**
 * What takes its time is told to whoever may read when it is told: a key that has ended meanwhile gets nothing more (P26).
 *
 * @throws (also rejects) Problem, as any call with it
 */
export function stillLetIn(request: FastifyRequest): void | Promise<void> {
  if (request.lookAgain === null) throw new Error('a guarded route ran without a key')
  return request.lookAgain()
}

function credentials(request: FastifyRequest): string {
  refuseKeyInAddress(request)
  const found = authorizationValues(request.raw.rawHeaders)
  if (found.length > 1) throw doubled()
  const [value] = found
  if (value === undefined) throw challenge('mangler_nokkel')
  const [scheme = '', token = '', ...rest] = value.trim().split(/ +/)
  if (scheme.toLowerCase() !== 'bearer' || token === '') throw challenge('mangler_nokkel')
  if (rest.length > 0) throw doubled()
  return token
}

/** Node keeps only the first of several Authorization headers in `headers`; the raw list shows them all. */
function authorizationValues(rawHeaders: readonly string[]): string[] {
  const values: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'authorization') values.push(rawHeaders[index + 1] ?? '')
  }
  return values
}

const KEY_PARAMETERS = /^(access_token|token|api[-_]?key|key|nokkel|n%c3%b8kkel|authorization|bearer)$/i

function refuseKeyInAddress(request: FastifyRequest): void {
  const query = request.raw.url?.split('?', 2)[1]
  if (query === undefined || query === '') return
  for (const [name, value] of new URLSearchParams(query)) {
    if (KEY_PARAMETERS.test(name) || /^\s*(bearer\s+)?bo_(live|test)_/i.test(value)) {
      throw new Problem('nokkel_i_adressen', { headers: authenticate('invalid_request') })
    }
  }
}

function refusal(verdict: Extract<Verdict, { ok: false }>): Problem {
  switch (verdict.why) {
    case 'for_mange_forsok':
    case 'overbelastet':
      return new Problem(verdict.why, {
        headers: { 'retry-after': String(verdict.retryAfterSeconds) },
        isOwn: verdict.isOwn === true,
      })
    case 'lager_utilgjengelig':
      return new Problem('nokkellager_utilgjengelig', {
        headers: { 'retry-after': String(verdict.retryAfterSeconds) },
      })
    case 'utlopt': {
      // Told only here: the secret itself was right, so whoever asks holds the key.
      const utloper = verdict.utloper.toISOString()
      return new Problem('utlopt_nokkel', {
        detail: {
          nb: `Nøkkelen utløp ${utloper}. Kjøp et nytt år for å fortsette.`,
          en: `The key expired ${utloper}. Buy another year to go on.`,
        },
        headers: authenticate('invalid_token'),
        extra: { utloper },
      })
    }
    case 'tilbakekalt':
      return challenge('tilbakekalt_nokkel')
    case 'annet_miljo':
      return challenge('nokkel_fra_annet_miljo')
    case 'ikke_en_nokkel':
    case 'feil_kontrollsum':
      return challenge('feilskrevet_nokkel')
    default:
      return challenge('ugyldig_nokkel')
  }
}

function challenge(
  kode:
    | 'mangler_nokkel'
    | 'ugyldig_nokkel'
    | 'feilskrevet_nokkel'
    | 'nokkel_fra_annet_miljo'
    | 'tilbakekalt_nokkel',
): Problem {
  return new Problem(kode, { headers: authenticate(kode === 'mangler_nokkel' ? null : 'invalid_token') })
}

function doubled(): Problem {
  return new Problem('doble_nokler', { headers: authenticate('invalid_request') })
}

function authenticate(error: 'invalid_token' | 'invalid_request' | null): Record<string, string> {
  const realm = 'Bearer realm="bedriftsoppslag"'
  return { 'www-authenticate': error === null ? realm : `${realm}, error="${error}"` }
}

import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { readJson, TooMuchJsonError } from '#src/upstream/read-json.ts'
import type { RegisterResponse } from './register-client.ts'
import { type Answer, SourceError } from './source.ts'

/**
 * The body as JSON. The content type is looked at first: error pages in HTML come with every status, also 200 and 404.
 *
 * @throws SourceError `ugyldig_svar` for another content type, more than a register would send, bytes that are not UTF-8, or
 *   text that is not JSON
 */
export function parseJson(source: string, response: RegisterResponse, valuesMax?: number): unknown {
  const before = parsed.get(response)
  if (before !== undefined) return before.body
  if (!isJson(response)) throw invalid(source, response, 'the answer is not of a JSON type')
  try {
    const body = readJson(response.body, valuesMax)
    parsed.set(response, { body })
    return body
  } catch (cause) {
    if (cause instanceof TooMuchJsonError)
      throw invalid(source, response, `the answer is not believed: ${cause.message}`)
    throw invalid(source, response, 'the answer is not whole, readable JSON', cause)
  }
}

/**
 * What came of it, as long as the answer is looked at: of one in parts each is asked whether it is the last, with every part that
 * comes, before it is believed. Nobody changes a body.
 */
const parsed = new WeakMap<RegisterResponse, { body: unknown }>()

/** Plain JSON or a type built on it, but not `application/problem+json`: the registers send that for a wrong path. */
export function isJson(response: RegisterResponse): boolean {
  const type = mediaTypeOf(response)
  return /^application\/(?:[\w.+-]+\+)?json$/.test(type) && type !== 'application/problem+json'
}

export function isEmpty(response: RegisterResponse): boolean {
  return response.body.length === 0
}

/** The error for a status that has no meaning for this source. A redirect is never followed, so it is no answer at all. */
export function refusedStatus(source: string, response: RegisterResponse): SourceError {
  const { status, retryAfterSeconds } = response
  if (status >= 300 && status < 400)
    return invalid(source, response, 'redirected; redirects are not followed')
  return new SourceError(source, 'feilstatus', `answered with status ${status}`, {
    status,
    retryAfterSeconds,
  })
}

export function invalid(
  source: string,
  response: RegisterResponse,
  message: string,
  cause?: unknown,
): SourceError {
  return new SourceError(source, 'ugyldig_svar', message, { status: response.status, cause })
}

/** @throws SourceError `ugyldig_svar` when something was listed and nothing of it could be read: that is no answer */
export function refuseUnread(
  source: string,
  response: RegisterResponse,
  { list, avvik }: { list: readonly unknown[]; avvik: readonly string[] },
): void {
  if (list.length === 0 || list.some((item) => item !== null)) return
  throw new SourceError(source, 'ugyldig_svar', 'nothing that the answer lists can be read', {
    status: response.status,
    field: avvik[0] ?? null,
  })
}

/**
 * @param field where in the answer the number was found
 * @throws SourceError `feil_foretak` unless that number, if there was one, is the one that was asked for
 */
export function assertSameCompany(
  source: string,
  asked: Organisasjonsnummer,
  found: string | null | undefined,
  field: string,
): void {
  if (found === null || found === undefined || found === asked) return
  throw new SourceError(
    source,
    'feil_foretak',
    'the answer is about another company than the one asked for',
    {
      field,
    },
  )
}

/** The organisation number in one of the registers' own links (`…/enheter/923609016/roller`), null when there is none. */
export function numberInLink(href: string | null | undefined): string | null {
  return href?.match(/\/(?:under)?enheter\/(\d{9})(?![^/?#])/)?.[1] ?? null
}

/** `avvik` is shown to readers and stored: a body that is wrong in thousands of places is cut to a stated number. */
export function found<T>(value: T, avvik: string[], fetchedAt: Date): Answer<T> {
  const named = avvik.map((path) => path.slice(0, AVVIK_LENGTH_MAX))
  if (named.length <= AVVIK_MAX) return { outcome: 'found', value, avvik: named, fetchedAt }
  const rest = named.length - AVVIK_MAX
  return { outcome: 'found', value, avvik: [...named.slice(0, AVVIK_MAX), `(${rest} flere)`], fetchedAt }
}

const AVVIK_MAX = 50
const AVVIK_LENGTH_MAX = 200

/** `text/html;charset=UTF-8` → `text/html` */
export function mediaTypeOf(response: RegisterResponse): string {
  return (response.contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

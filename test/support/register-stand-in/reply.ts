import { randomUUID } from 'node:crypto'
import type { RegisterAnswer } from '#src/samples/answers.ts'

/** An answer as it goes over the wire, before any fault touches it. */
export type Reply = { status: number; headers: Record<string, string>; body: Buffer }

const JSON_TYPE = 'application/json;charset=UTF-8'

/** The announcements are ISO-8859-1 and say so; everything else is UTF-8. */
const HTML_LATIN1 = 'text/html;charset=ISO-8859-1'

export function replyOf(answer: RegisterAnswer, jsonType = JSON_TYPE): Reply {
  return 'html' in answer
    ? htmlReply(answer.status, answer.html)
    : jsonReply(answer.status, answer.json, jsonType)
}

export function jsonReply(status: number, json: unknown, contentType = JSON_TYPE): Reply {
  return { status, headers: { 'content-type': contentType }, body: Buffer.from(JSON.stringify(json)) }
}

export function htmlReply(status: number, html: string): Reply {
  return { status, headers: { 'content-type': HTML_LATIN1 }, body: Buffer.from(html, 'latin1') }
}

/** "No such number" in every JSON register: 404 and not one byte. */
export function nothingHere(): Reply {
  return { status: 404, headers: {}, body: Buffer.alloc(0) }
}

/** "No such path", which must not be read as "no such company". */
export function noSuchPath(path: string): Reply {
  const problem = {
    detail: `No static resource ${path.slice(1)}.`,
    instance: path,
    status: 404,
    title: 'Not Found',
  }
  return jsonReply(404, problem, 'application/problem+json')
}

/** The entity register's 400: one entry per parameter that was refused. */
export function badRequest(path: string, refusals: readonly Refusal[]): Reply {
  return jsonReply(400, {
    tidsstempel: Date.now(),
    status: 400,
    feilmelding: 'Feilaktig forespørsel',
    valideringsfeil: refusals.map(({ message, parameter, value }) => ({
      feilmelding: message,
      parametere: [parameter],
      ...(value === undefined ? {} : { feilaktigVerdi: value }),
    })),
    sti: path,
    antallFeil: refusals.length,
  })
}

export type Refusal = { parameter: string; message: string; value?: string }

/** Spring's error body as the accounts register sends it: `status` is a string there. */
export function springError(status: number, error: string, message: string, path: string): Reply {
  const timestamp = new Date().toISOString().replace('Z', '+0000')
  return jsonReply(status, { timestamp, status: String(status), error, message, path, trace: randomUUID() })
}

/**
 * The content type the register answers with for what was accepted, or null when it serves none of that.
 * Without an `Accept`, or with anything goes, the newest version of its own type is sent.
 */
export function contentTypeFor(accept: string | undefined, ownType: string): string | null {
  const accepted = (accept ?? '*/*')
    .split(',')
    .map((part) => part.split(';', 1)[0]?.trim().toLowerCase() ?? '')
  if (accepted.some((type) => type === ownType || type === '*/*')) return `${ownType};charset=UTF-8`
  if (accepted.some((type) => type === 'application/json' || type === 'application/*')) return JSON_TYPE
  return accepted.includes('application/hal+json') ? 'application/hal+json;charset=UTF-8' : null
}

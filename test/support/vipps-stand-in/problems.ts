import { randomBytes } from 'node:crypto'
import { jsonReply, type Reply } from '../register-stand-in/reply.ts'

/** A refusal as Vipps words it: RFC 7807 with its own number among the details. */
export function problem(
  status: number,
  title: string,
  details: { errorCode?: number; field?: string } = {},
  headers: Record<string, string> = {},
): Reply {
  const { errorCode, field } = details
  const extraDetails = [
    ...(errorCode === undefined ? [] : [{ name: 'ErrorCode', reason: String(errorCode) }]),
    ...(field === undefined ? [] : [{ name: field, reason: 'not as specified' }]),
  ]
  const body = {
    type: `https://httpstatuses.io/${status}`,
    title,
    detail: title,
    status,
    extraDetails,
    traceId: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`,
  }
  const reply = jsonReply(status, body, 'application/problem+json')
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

/** What the gateway in front says of a path that does not exist: not a problem of Vipps' own, and without a trace. */
export function nowhere(): Reply {
  return jsonReply(404, { statusCode: 404, message: 'Resource not found' })
}

/** Thrown inside the stand-in where an operation is refused; becomes the reply. */
export class Refusal extends Error {
  readonly reply: Reply

  constructor(status: number, title: string, details?: { errorCode?: number; field?: string }) {
    super(title)
    this.reply = problem(status, title, details)
  }
}

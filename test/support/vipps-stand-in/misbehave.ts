import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { jsonReply, type Reply } from '../register-stand-in/reply.ts'
import type { VippsFault } from './faults.ts'
import { problem } from './problems.ts'

/** The answer that takes the place of the work; null when the work is done, whatever becomes of its answer. */
export function insteadOfWork(fault: VippsFault | null): Reply | null {
  switch (fault?.kind) {
    case 'status':
      return fault.accepts === true ? null : statusReply(fault)
    case 'locked':
      return problem(423, 'Order processing', { errorCode: 6160 })
    case 'refused':
      return problem(400, 'Refused', { errorCode: fault.errorCode })
    case 'hang':
    case 'reset':
      // Not an answer that could be kept for a key: the request is lost before it reaches anything.
      return fault.accepts === true ? null : problem(503, 'Never seen')
    default:
      return null
  }
}

/** Sends the reply, or what the fault makes of it. `gone` aborts when the connection ended, from either side. */
export async function send(
  response: ServerResponse,
  reply: Reply,
  fault: VippsFault | null,
  gone: AbortSignal,
): Promise<void> {
  switch (fault?.kind) {
    case 'hang':
      return
    case 'reset':
      response.socket?.resetAndDestroy()
      return
    case 'late':
      await pause(fault.byMs, undefined, { signal: gone }).catch(() => {})
      return whole(response, reply)
    case 'hold':
      await Promise.race([fault.until, once(gone, 'abort')])
      return whole(response, reply)
    case 'status':
      return whole(response, fault.accepts === true ? statusReply(fault) : reply)
    case 'notJson':
      return whole(response, text(200, fault.text ?? '<html><body>Vi er snart tilbake.</body></html>'))
    case 'huge':
      return whole(response, text(200, ' '.repeat(fault.bytes)))
    case 'redirect':
      return whole(response, {
        ...text(302, ''),
        headers: { location: fault.location ?? '/accesstoken/get' },
      })
    case 'wrongAmount':
      return whole(
        response,
        altered(reply, (body) => recounted(body, { value: fault.amountOre })),
      )
    case 'wrongCurrency':
      return whole(
        response,
        altered(reply, (body) => recounted(body, { currency: fault.currency })),
      )
    case 'wrongMerchant':
      return whole(
        response,
        altered(reply, (body) => ({ ...body, merchantSerialNumber: fault.merchantSerialNumber })),
      )
    case 'wrongReference':
      return whole(
        response,
        altered(reply, (body) => ({ ...body, reference: fault.reference })),
      )
    case 'altered':
      return whole(
        response,
        altered(reply, (body) => ({ ...body, ...fault.change })),
      )
    default:
      return whole(response, reply)
  }
}

function whole(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, 'content-length': String(body.length) }).end(body)
}

function statusReply({ status, errorCode, headers = {} }: Extract<VippsFault, { kind: 'status' }>): Reply {
  return problem(status, 'Told to', errorCode === undefined ? {} : { errorCode }, headers)
}

function text(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'text/html;charset=UTF-8' }, body: Buffer.from(body) }
}

type Json = Record<string, unknown>

/** Only a success can be about something else; a refusal stays as it is. */
function altered(reply: Reply, change: (body: Json) => Json): Reply {
  if (reply.status >= 300 || reply.body.length === 0) return reply
  return jsonReply(reply.status, change(JSON.parse(reply.body.toString()) as Json))
}

/** What was asked for, and what was reserved of it where anything was: a payment that was another one from the start. */
function recounted(body: Json, change: { value: number } | { currency: string }): Json {
  const changed = (amount: unknown, isWhole: boolean) => {
    const known = amount as { currency: string; value: number }
    return { ...known, ...('currency' in change || isWhole ? change : {}) }
  }
  const sums = Object.entries((body.aggregate ?? {}) as Json).map(([name, amount]) => [
    name,
    changed(amount, name === 'authorizedAmount' && (amount as { value: number }).value > 0),
  ])
  return { ...body, amount: changed(body.amount, true), aggregate: Object.fromEntries(sums) }
}

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from './faults.ts'
import type { Reply } from './reply.ts'

/** The company that `wrongCompany` answers about: a number with a right check digit that no sample has. */
export const SOMEBODY_ELSE = '900000006'

const PADDING = Buffer.alloc(64 * 1024, ' ')

/**
 * Sends the reply, or what the fault makes of it. Returns when there is no more to do; `gone` aborts when the
 * connection has ended, from either side, and ends every wait.
 */
export async function send(
  response: ServerResponse,
  reply: Reply,
  fault: Fault | null,
  { path, orgnr, gone }: { path: string; orgnr: string | null; gone: AbortSignal },
): Promise<void> {
  switch (fault?.kind) {
    case undefined:
      return whole(response, reply)
    case 'delay':
      await orGone(pause(fault.ms, undefined, { signal: gone }))
      return whole(response, reply)
    case 'hold':
      await orGone(Promise.race([fault.until, once(gone, 'abort')]))
      return whole(response, reply)
    case 'hang':
      return
    case 'refuse':
      response.socket?.resetAndDestroy()
      return
    case 'reset':
      return halfThenReset(response, reply)
    case 'drip':
      return drip(response, reply, fault, gone)
    case 'status':
      return whole(response, {
        status: fault.code,
        headers: { 'content-type': 'application/json', ...fault.headers },
        body: Buffer.from(fault.body ?? ''),
      })
    case 'html':
      return whole(response, {
        status: 200,
        headers: { 'content-type': 'text/html;charset=UTF-8' },
        body: Buffer.from(
          '<html><head><title>Driftsforstyrrelse</title></head><body>Vi er snart tilbake.</body></html>',
        ),
      })
    case 'redirect':
      return whole(response, {
        status: 302,
        headers: { location: `/omdirigert${path}` },
        body: Buffer.alloc(0),
      })
    case 'truncated':
      return whole(response, { ...reply, body: reply.body.subarray(0, reply.body.length >> 1) })
    case 'huge':
      return huge(response, reply, fault.bytes, gone)
    case 'wrongShape':
      return whole(response, { ...reply, body: misshapen(reply) })
    case 'wrongCompany':
      return whole(response, { ...reply, body: renumbered(reply.body, orgnr) })
  }
}

function whole(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, 'content-length': String(body.length) }).end(body)
}

/** The end of a wait, whichever way: that the client has left meanwhile is no error, there is just nobody to answer. */
async function orGone(wait: Promise<unknown>): Promise<void> {
  await wait.catch(() => undefined)
}

/** An empty answer has no middle: its connection breaks before it. */
function halfThenReset(response: ServerResponse, { status, headers, body }: Reply): void {
  if (body.length === 0) {
    response.socket?.resetAndDestroy()
    return
  }
  response.writeHead(status, { ...headers, 'content-length': String(body.length) })
  response.write(body.subarray(0, body.length >> 1), () => response.socket?.resetAndDestroy())
}

async function drip(
  response: ServerResponse,
  { status, headers, body }: Reply,
  { chunkBytes = 1, everyMs = 20 }: { chunkBytes?: number; everyMs?: number },
  gone: AbortSignal,
): Promise<void> {
  response.writeHead(status, headers)
  for (let sent = 0; sent < body.length && !gone.aborted; sent += chunkBytes) {
    response.write(body.subarray(sent, sent + chunkBytes))
    await orGone(pause(everyMs, undefined, { signal: gone }))
  }
  response.end()
}

/** Without a content-length, so that only a reader that counts will notice. */
async function huge(
  response: ServerResponse,
  { status, headers, body }: Reply,
  bytes: number,
  gone: AbortSignal,
): Promise<void> {
  response.writeHead(status, headers)
  for (let left = bytes; left > 0 && !gone.aborted; left -= PADDING.length) {
    const taken = response.write(PADDING.subarray(0, Math.min(left, PADDING.length)))
    if (!taken) await orGone(once(response, 'drain', { signal: gone }))
  }
  response.end(body)
}

/** A page keeps its title and loses its table; JSON keeps its names and, so that only the shape is wrong, its number. */
function misshapen({ headers, body }: Reply): Buffer {
  if (headers['content-type']?.startsWith('text/html')) {
    return Buffer.from(
      '<html><head><title>Kunngj\u00f8ringer</title></head><body><main></main></body></html>',
      'latin1',
    )
  }
  if (body.length === 0) return body
  const json: unknown = JSON.parse(body.toString())
  if (Array.isArray(json)) return Buffer.from(JSON.stringify({ ...json }))
  const changed = Object.entries(json as object).map(([name, value]) => [
    name,
    name === 'organisasjonsnummer' ? value : ofAnotherType(value),
  ])
  return Buffer.from(JSON.stringify(Object.fromEntries(changed)))
}

function ofAnotherType(value: unknown): unknown {
  if (Array.isArray(value)) return { ...value }
  if (typeof value === 'object') return [value]
  return typeof value === 'string' ? { tekst: value } : String(value)
}

function renumbered(body: Buffer, orgnr: string | null): Buffer {
  if (orgnr === null) return body
  return Buffer.from(body.toString('latin1').replaceAll(orgnr, SOMEBODY_ELSE), 'latin1')
}

import type { IncomingHttpHeaders } from 'node:http'
import type { VippsCallName } from './faults.ts'

export type ApiRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: string
}

/** Which call a request is. `reference` is in the path, or in the body of `create`; for a webhook it is the id, for a report the day. */
export type Route = { call: VippsCallName; reference: string | null }

/** null: no such path here. */
export function routeOf({ method, path, body }: ApiRequest): Route | null {
  if (method === 'POST' && path === '/accesstoken/get') return { call: 'token', reference: null }
  const payment = /^\/epayment\/v1\/payments(?:\/([^/]+)(?:\/(capture|cancel|refund|events))?)?$/.exec(path)
  if (payment !== null) {
    const [, reference = null, act] = payment
    if (reference === null) return method === 'POST' ? { call: 'create', reference: referenceIn(body) } : null
    if (method === 'GET' && act === undefined) return { call: 'get', reference }
    if (method === 'GET' && act === 'events') return { call: 'events', reference }
    const isChange = act === 'capture' || act === 'cancel' || act === 'refund'
    return method === 'POST' && isChange ? { call: act, reference } : null
  }
  if (method === 'GET' && path === '/settlement/v1/ledgers') return { call: 'ledgers', reference: null }
  const [, day] = /^\/report\/v2\/ledgers\/302321\/funds\/dates\/(\d{4}-\d{2}-\d{2})$/.exec(path) ?? []
  if (method === 'GET' && day !== undefined) return { call: 'report', reference: day }
  const webhook = /^\/webhooks\/v1\/webhooks(?:\/([^/]+))?$/.exec(path)
  if (webhook === null) return null
  const [, id = null] = webhook
  if (id !== null) return method === 'DELETE' ? { call: 'deleteWebhook', reference: id } : null
  if (method === 'POST') return { call: 'registerWebhook', reference: null }
  return method === 'GET' ? { call: 'listWebhooks', reference: null } : null
}

function referenceIn(body: string): string | null {
  return /"reference":"([^"]*)"/.exec(body)?.[1] ?? null
}

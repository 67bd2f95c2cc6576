import { createHash, createHmac } from 'node:crypto'

/**
 * The headers Vipps sends along with a delivery (Webhooks API, request authentication). Written from the document and apart
 * from the service's own check, so that a mistake in one is found by the other.
 */
export function signWebhook(delivery: { url: string; body: Uint8Array; secret: string; date: Date }) {
  const { host, pathname, search } = new URL(delivery.url)
  const date = delivery.date.toUTCString()
  const hash = createHash('sha256').update(delivery.body).digest('base64')
  const signature = createHmac('sha256', delivery.secret)
    .update(['POST', pathname + search, [date, host, hash].join(';')].join('\n'))
    .digest('base64')
  return {
    'x-ms-date': date,
    'x-ms-content-sha256': hash,
    authorization: `HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=${signature}`,
  }
}

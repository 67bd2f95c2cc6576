import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export type SignedDelivery = {
  method: string
  /** The address as it was registered. Host and path are taken from here: a proxy in front of us may change both. */
  registeredUrl: string
  /** Names in lower case, as Node gives them. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The bytes as they came; a body that was parsed and written again has another hash. */
  rawBody: Uint8Array
  /** Two while one registration replaces another. */
  secrets: readonly string[]
}

/**
 * Whether one of our registrations at Vipps signed this delivery (Vipps, Webhooks API, request authentication):
 *
 *     string to sign = METHOD \n path and query \n x-ms-date ; host ; x-ms-content-sha256
 *     Authorization  = HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=<base64>
 *
 * An old date is no reason to refuse: deliveries are repeated for seven days, and it is not documented that the date is
 * renewed. Against a delivery that is played again stands that every event is read back and may come twice.
 */
export function verifyWebhook(delivery: SignedDelivery): boolean {
  const { method, headers, rawBody, secrets } = delivery
  const date = headers['x-ms-date']
  const hash = headers['x-ms-content-sha256']
  const authorization = headers.authorization
  if (typeof date !== 'string' || typeof hash !== 'string' || typeof authorization !== 'string') return false

  const isHashOfBody = isSameText(hash, createHash('sha256').update(rawBody).digest('base64'))
  const { host, pathname, search } = new URL(delivery.registeredUrl)
  const signed = `${method}\n${pathname}${search}\n${date};${host};${hash}`
  // Every secret is tried, so that the time taken does not tell which of them it was.
  const matches = secrets.filter((secret) => isSameText(authorization, authorizationOf(secret, signed)))
  return isHashOfBody && matches.length > 0
}

/** The secret looks like base64 and is used as the text it is. The whole header is compared, so base64 has one spelling. */
function authorizationOf(secret: string, signed: string): string {
  const signature = createHmac('sha256', Buffer.from(secret, 'utf8')).update(signed, 'utf8').digest('base64')
  return `HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=${signature}`
}

function isSameText(given: string, expected: string): boolean {
  const a = Buffer.from(given, 'utf8')
  const b = Buffer.from(expected, 'utf8')
  return a.length === b.length && timingSafeEqual(a, b)
}

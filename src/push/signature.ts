import { createHmac } from 'node:crypto'

/** Standard Webhooks: 24 to 64 bytes. */
export const SECRET_BYTES = 32

/** A secret as its holder is shown it, and as receivers' libraries take it. */
export function writtenSecret(secret: Uint8Array): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`
}

/**
 * The three headers of Standard Webhooks: the message's id, the same on each attempt; when this attempt is made, in whole seconds;
 * and `v1,` with the HMAC-SHA256 of `id.timestamp.body` over the bytes as they are sent, one for each secret.
 *
 * @param id without a full stop, so that what is signed can be read in one way
 */
export function signatureHeaders({
  id,
  at,
  body,
  secrets,
}: {
  id: string
  at: Date
  body: Uint8Array
  secrets: readonly Uint8Array[]
}): { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string } {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signed = (secret: Uint8Array) =>
    createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${signed(secret)}`).join(' '),
  }
}

import { changeId, endringOf } from '#src/changes/change.ts'
import type { Message } from '#src/storage/push/sending.ts'

/** What a test event is called. */
export const TEST_TYPE = 'prove'

/**
 * The id of a message, `webhook-id`: the same on every attempt and the same as in the log.
 *
 * @param endring the change's line in the log; null of a test, which is called by its delivery
 */
export function webhookId(endring: { nr: number; sett: Date } | null, delivery: string): string {
  return endring === null ? `${TEST_TYPE}_${delivery}` : changeId(endring)
}

/**
 * A message as it is sent: its id, and the bytes that are signed. One that is too
 * long has where the whole is in place of the fields.
 *
 * @param whole the address of the delivery, where its owner reads it with the key
 */
export function writeMessage(
  { type, laget, endring }: Pick<Message, 'type' | 'laget' | 'endring'>,
  { delivery, whole, bytesMax }: { delivery: string; whole: string; bytesMax: number },
): { id: string; body: Buffer } {
  const id = webhookId(endring, delivery)
  if (endring === null) {
    const data = { melding: 'En prøve: mottakeren virker. / A test: the receiver works.' }
    return { id, body: bytesOf(type, laget, data) }
  }
  const data = endringOf(endring)
  const body = bytesOf(type, endring.sett, data)
  if (body.length < bytesMax) return { id, body }
  return { id, body: bytesOf(type, endring.sett, { ...data, felter: null, hentFra: whole }) }
}

function bytesOf(type: string, timestamp: Date, data: unknown): Buffer {
  return Buffer.from(JSON.stringify({ type, timestamp: timestamp.toISOString(), data }))
}

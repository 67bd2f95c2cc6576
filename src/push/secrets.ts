import { createHmac } from 'node:crypto'
import { SECRET_BYTES } from './signature.ts'

/**
 * The secret an endpoint's messages are signed with: HMAC-SHA256 of the endpoint's salt under the installation's secret, which is made
 * for this use. So it is stored nowhere: who reads a row, or a list of endpoints, can sign nothing, and one that was deleted is gone.
 * Whoever has a copy of the whole database has the installation's secret too, as whoever is to sign must; a secret that is only
 * compared with could be kept as a hash, and this one can not.
 */
export function endpointSecret(installation: Uint8Array, salt: Uint8Array): Buffer {
  const base = createHmac('sha256', installation).update('webhook').digest()
  return createHmac('sha256', base).update(salt).digest().subarray(0, SECRET_BYTES)
}

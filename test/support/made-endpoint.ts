import { endpointSecret } from '#src/push/secrets.ts'
import { writtenSecret } from '#src/push/signature.ts'
import type { Database } from '#src/storage/database.ts'
import { personSecret } from '#src/storage/person-secret.ts'
import { insertEndpoint } from '#src/storage/push/endpoints.ts'

/**
 * An endpoint of a key's, as if its owner had made it.
 *
 * @param eier the chain of the key
 * @returns its secret too, as its owner is shown it once
 */
export async function makeEndpoint(
  database: Database,
  eier: string,
  adresse: string,
): Promise<{ id: string; secret: string }> {
  const made = await insertEndpoint(
    database,
    { eier, prove: false, slutter: null, nokkel: null },
    { adresse, typer: null },
    { ofOwner: 10, ofTests: 10 },
  )
  if ('full' in made) throw new Error(`no room for an endpoint of ${eier}`)
  const secret = endpointSecret(await personSecret(database), made.salt)
  return { id: made.endpoint.id, secret: writtenSecret(secret) }
}

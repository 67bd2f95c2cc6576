import type pg from 'pg'
import { OppslagError } from '#src/core/errors.ts'

/** Somebody else is loading or tidying share registers on this database. */
export class ImportBusyError extends OppslagError {
  constructor() {
    super(
      'import_pagar',
      'En annen innlesing av aksjonærregisteret pågår mot samme database. Prøv igjen når den er ferdig, eller bruk --vent.',
    )
  }
}

/** Everyone who makes or drops tables of deliveries holds this. The number means nothing but must never change. */
const LOCK = 7_202_511_210_003

/**
 * Takes the lock for as long as this connection lasts, however it ends: a delivery that is still being loaded while nobody
 * holds it is one whose import was killed.
 *
 * @returns false when somebody has it and `isPatient` is not set
 */
export async function takeImportLock(
  client: Pick<pg.ClientBase, 'query'>,
  { isPatient = false }: { isPatient?: boolean } = {},
): Promise<boolean> {
  if (isPatient) {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    return true
  }
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK])
  return rows[0]?.taken === true
}

export async function leaveImportLock(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query('select pg_advisory_unlock($1)', [LOCK])
}

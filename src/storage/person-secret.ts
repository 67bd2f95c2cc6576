import { randomBytes } from 'node:crypto'
import type { Queryable } from './database.ts'

/**
 * The secret that people's ids are made with: one for the installation, made by whoever asks first. However many ask at once
 * are given the same.
 */
export async function personSecret(db: Queryable): Promise<Buffer> {
  await db.query('insert into personhemmelighet (nummer, verdi) values (1, $1) on conflict do nothing', [
    randomBytes(32),
  ])
  const [row] = await db.query<{ verdi: Buffer }>('select verdi from personhemmelighet')
  if (row === undefined) throw new Error('the secret of people’s ids was stored and is not there')
  return row.verdi
}

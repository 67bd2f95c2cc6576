import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OWNER } from '#src/embedded/names.ts'
import { onServer } from '../database-server.ts'

/** Runs statements on an embedded database as PostgreSQL's superuser: what a test may do there, and the service may not. */
export async function asOwner(databaseUrl: string, dataDir: string, ...statements: string[]): Promise<void> {
  const url = new URL(databaseUrl)
  url.username = OWNER
  url.password = await readFile(join(dataDir, 'postgres', 'password'), 'utf8')
  for (const statement of statements) await onServer(url.href, statement)
}

import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { policy } from '#config/policy.ts'
import { createDatabase } from '#src/storage/database.ts'
import { openStorage } from '#src/storage/open-storage.ts'
import { readIndexState } from '#src/storage/search/build-state.ts'
import type { Bulk } from '#test/search/built-index.ts'
import type { Aim } from '../row.ts'
import { writeBulkFiles } from './bulk-files.ts'
import { serveBulkFiles } from './served-files.ts'

export type Place = Awaited<ReturnType<typeof openPlace>>

/**
 * The bulk files, the register that serves them, and the database: in a folder that is kept, so that measuring again needs no
 * new index, or in one that goes.
 */
export async function openPlace(kept: string | undefined, scale: number, bulk: Bulk) {
  const folder = kept === undefined ? await mkdtemp(join(tmpdir(), 'bench-search-')) : resolve(kept)
  await mkdir(folder, { recursive: true })
  if (!existsSync(join(folder, 'underenheter.json.gz'))) {
    console.error('writing the bulk files')
    await writeBulkFiles(folder, scale, bulk)
  }
  const files = await serveBulkFiles(folder)
  const storage = await openStorage({
    databaseUrl: null,
    dataDir: join(folder, 'data'),
    applicationName: 'bench',
    poolMax: 2,
    statementTimeoutMs: 600_000,
  })
  const db = createDatabase({
    url: storage.url,
    poolMax: policy.search.connectionsMax,
    applicationName: 'bench search',
    connectTimeoutMs: 5000,
    statementTimeoutMs: 60_000,
  })
  const note = join(folder, 'built.json')

  return {
    folder,
    storage,
    db,
    registerUrl: files.url,
    /** What the last build of this folder took; null when there is no index to go with it. */
    async built(): Promise<Aim[] | null> {
      const { live } = await readIndexState(storage.database)
      return live === null || !existsSync(note) ? null : JSON.parse(await readFile(note, 'utf8'))
    },
    noteBuilt: (rows: readonly Aim[]) => writeFile(note, JSON.stringify(rows)),
    async close() {
      await db.close()
      await files.close()
      await storage.close()
      if (kept === undefined) await rm(folder, { recursive: true })
    },
  }
}

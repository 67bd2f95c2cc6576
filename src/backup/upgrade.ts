import { execFile } from 'node:child_process'
import { realpath, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { OppslagError } from '#src/core/errors.ts'
import { urlOf } from '../embedded/address.ts'
import { binariesIn } from '../embedded/binaries.ts'
import { type Cluster, clusterVersion, findCluster, upgradedFolder } from '../embedded/cluster.ts'
import { isEmbeddedDatabaseRunning, openEmbeddedDatabase } from '../embedded/embedded-database.ts'
import { MAJOR, OWNER } from '../embedded/names.ts'
import { enterAlone } from '../embedded/presence.ts'
import { ClusterError } from '../embedded/run-program.ts'
import { lastWords, startCluster, stopCluster } from '../embedded/running.ts'
import type { BackupProgress } from './progress.ts'
import { restoreBackup } from './restore-backup.ts'
import { writeBackup } from './write-backup.ts'

const run = promisify(execFile)
const VERSION_DEADLINE_MS = 10_000
/** A cluster that is not whole yet. */
const STAGING = 'postgres-oppgraderes'

export type Upgrade = {
  from: string | null
  to: string
  /** Where what there was before lies, untouched. */
  kept: string | null
  backup: string | null
}

/**
 * Takes the cluster in `dataDir`, of an older PostgreSQL, along to the one this release runs: by a backup, made with the programs
 * of the old one and read into a new one, which takes its place when it is whole. What there was stays beside it. Interrupted
 * anywhere, the old one is in its place, or the next run finishes the last step.
 *
 * @param programs the folder of PostgreSQL's programs of the old version
 * @throws OppslagError, ConfigurationError: nothing was changed
 */
export async function upgradeEmbeddedDatabase({
  dataDir,
  programs,
  now,
  onProgress,
  signal,
}: {
  dataDir: string
  programs: string | null
  now: Date
  onProgress?: ((progress: BackupProgress) => void) | undefined
  signal?: AbortSignal | undefined
}): Promise<Upgrade> {
  const root = await realpath(dataDir).catch((error: unknown) => {
    throw new OppslagError('ingen_database', `Det er ingen database i ${dataDir}.`, { cause: error })
  })
  const folder = join(root, 'postgres')
  const upgraded = upgradedFolder(root)
  const from = await clusterVersion(root)
  if (from === null && (await isThere(upgraded)) && !(await isThere(folder))) {
    await rename(upgraded, folder)
    return { from: null, to: MAJOR, kept: null, backup: null }
  }
  if (from === null) throw new OppslagError('ingen_database', `Det er ingen database i ${root}.`)
  if (from === MAJOR)
    throw new OppslagError(
      'ikke_nodvendig',
      `Databasen i ${root} er PostgreSQL ${MAJOR} alt. Ingenting er endret.`,
    )
  if (Number(from) > Number(MAJOR))
    throw new OppslagError(
      'nyere_database',
      `Databasen i ${root} er PostgreSQL ${from}, nyere enn ${MAJOR}. Kjør utgaven som laget den, eller en nyere.`,
    )
  if (programs === null)
    throw new OppslagError(
      'mangler_programmer',
      `Databasen i ${root} er PostgreSQL ${from}: si hvor programmene til ${from} er, med --programmer <mappe>.`,
    )
  const binaries = await binariesIn(programs)
  await refuseOthersPrograms(binaries.pgCtl, from)

  const stamp = now.toISOString().replace(/[-:]|\..*/g, '')
  const backup = join(root, 'sikkerhetskopier', `oppslag-${stamp}-postgres-${from}.sql.gz`)
  const older = await findCluster(root, binaries)
  const staging = join(root, STAGING)
  await haveAlone(older, root, from)
  try {
    const url = urlOf(older.address, OWNER, older.ownerPassword)
    await writeBackup({ url, path: backup, now, onProgress, signal })
    await endLeftBehind(staging, signal)
    for (const leftover of [staging, upgraded]) await rm(leftover, { recursive: true, force: true })
    const made = await openEmbeddedDatabase({ dataDir: staging })
    try {
      await restoreBackup({ url: made.url, path: backup, onProgress, signal })
    } finally {
      await made.close()
    }
  } finally {
    await stopCluster(older)
  }
  const kept = join(root, `postgres-${from}-${stamp}`)
  await rename(join(staging, 'postgres'), upgraded)
  await rename(folder, kept)
  await rename(upgraded, folder)
  await rm(staging, { recursive: true, force: true })
  return { from, to: MAJOR, kept, backup }
}

/**
 * Nobody else has the older one from here until it is stopped, when the new one is whole: not the service, and not another upgrade.
 * One that an interrupted upgrade has left running is taken as it is.
 */
async function haveAlone(older: Cluster, root: string, version: string): Promise<void> {
  if (!(await isEmbeddedDatabaseRunning(root)) && !(await startCluster(older)))
    throw new ClusterError(
      `PostgreSQL ${version} did not start; its log is ${older.log}`,
      await lastWords(older),
      null,
    )
  if ((await enterAlone(older).catch(() => null)) === null)
    throw new OppslagError('i_bruk', `Databasen i ${root} er i bruk. Stopp tjenesten først.`)
}

/** The new one of an upgrade that was killed runs on, and has the socket's name for up to a minute after its folder is gone. */
async function endLeftBehind(staging: string, signal: AbortSignal | undefined): Promise<void> {
  if (!(await isEmbeddedDatabaseRunning(staging))) return
  // Half a cluster whose number another process has by now does not start: there is nothing to end.
  const left = await openEmbeddedDatabase({ dataDir: staging, ...(signal && { ended: signal }) }).catch(
    () => null,
  )
  await left?.close()
}

async function refuseOthersPrograms(pgCtl: string, wanted: string): Promise<void> {
  const { stdout } = await run(pgCtl, ['--version'], { timeout: VERSION_DEADLINE_MS })
  // pg_ctl (PostgreSQL) 17.6
  const found = /\) (\d+)/.exec(stdout)?.[1] ?? 'ukjent'
  if (found === wanted) return
  throw new OppslagError(
    'andre_programmer',
    `Databasen er PostgreSQL ${wanted}, og programmene som ble oppgitt, er ${found}. Ingenting er endret.`,
  )
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ConfigurationError, OppslagError } from '#src/core/errors.ts'
import { closeToOthers, PRIVATE } from '#src/core/private-folder.ts'
import { type Account, chooseAccount, runAs } from './account.ts'
import { type Address, chooseAddress, settingsOf, type Transport, writeOnce } from './address.ts'
import { type Binaries, findBinaries } from './binaries.ts'

/** A PostgreSQL cluster on disk, running or not. `folder` holds `data`, the passwords and the server's log. */
export type Cluster = {
  readonly data: string
  readonly address: Address
  /** Of PostgreSQL's own superuser, who makes the service's role and is nobody else's business. */
  readonly ownerPassword: string
  readonly password: string
  readonly log: string
  readonly binaries: Binaries
  readonly account: Account
  /** false gives up safety at a power cut for speed: tests alone. */
  readonly isDurable: boolean
}

/** PostgreSQL's programs did not do what they were asked. `output` is what they, or the server's log, said last. */
export class ClusterError extends OppslagError {
  readonly output: string

  constructor(message: string, output: string, cause: unknown) {
    super('innebygd_database_feilet', message, { cause })
    this.output = output
  }
}

/** PostgreSQL's superuser, and the role the service uses. */
export const OWNER = 'oppslag'
export const ROLE = 'oppslag_tjeneste'
export const MAJOR = '18'
const STAGING_PREFIX = 'postgres-new-'
const INIT_DEADLINE_MS = 120_000
const START_DEADLINE_S = 60
const STOP_DEADLINE_S = 60
const LOG_BYTES_MAX = 1024 * 1024
const run = promisify(execFile)

/**
 * The cluster in `<dataDir>/postgres`, made if it is not there. It is made beside and moved into place whole, with its
 * password: of two that begin at once one wins, and nobody ever sees half of one.
 *
 * @throws ConfigurationError when the folder can not hold it, or holds another version or something else.
 */
export async function prepareCluster(
  dataDir: string,
  { isDurable, transport }: { isDurable: boolean; transport: Transport },
): Promise<Cluster> {
  const root = await openFolder(dataDir)
  const folder = join(root, 'postgres')
  const data = join(folder, 'data')
  const binaries = await findBinaries()
  const account = await chooseAccount(data, [root, binaries.folder])
  if (await isVacant(folder)) {
    await refuseHalfUpgraded(root)
    await create({ root, folder, binaries, account, isDurable })
  }
  const version = await versionOf(data)
  if (version !== MAJOR) throw otherVersion(folder, version)
  return describe({ folder, binaries, account, isDurable, transport })
}

/**
 * The cluster that is there, to be run by the programs of its own version. Nothing is made.
 *
 * @throws ConfigurationError when there is none
 */
export async function findCluster(dataDir: string, binaries: Binaries): Promise<Cluster> {
  const root = await openFolder(dataDir)
  const folder = join(root, 'postgres')
  const account = await chooseAccount(join(folder, 'data'), [root, binaries.folder])
  const transport = process.platform === 'win32' ? 'loopback' : 'socket'
  return describe({ folder, binaries, account, isDurable: true, transport })
}

/** The version of the cluster in this folder; null when there is none. */
export function clusterVersion(dataDir: string): Promise<string | null> {
  return versionOf(join(dataDir, 'postgres', 'data'))
}

/** Where an upgraded cluster waits, whole, to take the place of the one it was made from. */
export function upgradedFolder(dataDir: string): string {
  return join(dataDir, 'postgres-oppgradert')
}

/** A new cluster in the place of one that an upgrade has just moved away would be an empty one. */
async function refuseHalfUpgraded(root: string): Promise<void> {
  if (await isMissing(upgradedFolder(root))) return
  throw new ConfigurationError(
    `DATA_DIR: an upgrade of PostgreSQL in ${root} was interrupted at its last step. Finish it: ` +
      'npm run -s oppslag -- oppgrader',
  )
}

function otherVersion(folder: string, version: string | null): ConfigurationError {
  if (version === null)
    return new ConfigurationError(
      `${folder} holds no PostgreSQL cluster of ours, expected PostgreSQL ${MAJOR} or nothing. Move the folder away, or ` +
        'choose another DATA_DIR.',
    )
  return new ConfigurationError(
    Number(version) < Number(MAJOR)
      ? `${folder} holds PostgreSQL ${version}, and this release runs ${MAJOR}. Nothing is lost or changed: take it along ` +
          'with npm run -s oppslag -- oppgrader (config/backup.md says how).'
      : `${folder} holds PostgreSQL ${version}, and this release runs ${MAJOR}. Run the release that made it, or a newer one.`,
  )
}

async function describe({
  folder,
  binaries,
  account,
  isDurable,
  transport,
}: {
  folder: string
  binaries: Binaries
  account: Account
  isDurable: boolean
  transport: Transport
}): Promise<Cluster> {
  const ownerPassword = await readPassword(join(folder, 'password'))
  const own = join(folder, 'service-password')
  if (await isMissing(own)) await writeOnce(own, newPassword())
  return {
    data: join(folder, 'data'),
    address: await chooseAddress(folder, account, transport),
    ownerPassword,
    password: await readPassword(own),
    log: join(folder, 'server.log'),
    binaries,
    account,
    isDurable,
  }
}

/**
 * Starts PostgreSQL at the cluster's address. pg_ctl gives it a session of its own, so a Ctrl-C in the terminal does not reach
 * it.
 *
 * @returns false when it did not start, which is also so when another process has just started it.
 */
export async function startCluster(cluster: Cluster): Promise<boolean> {
  await truncateLog(cluster)
  const settings = {
    ...settingsOf(cluster.address),
    timezone: 'UTC',
    log_timezone: 'UTC',
    // A failed statement and its values may hold what must not be in a log.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...(cluster.isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${quoted(value)}`)
  try {
    await control(cluster, [
      'start',
      '--wait',
      `--timeout=${START_DEADLINE_S}`,
      // From where it is started, and the data folder among the options: pg_ctl itself quotes neither so that a shell leaves it
      // alone. The process then shows whose it is.
      `--log=${basename(cluster.log)}`,
      '-o',
      [`-D ${quoted(cluster.data)}`, ...options].join(' '),
    ])
    return true
  } catch {
    return false
  }
}

/** pg_ctl hands the options to a shell. */
function quoted(value: string): string {
  return process.platform === 'win32' ? `"${value}"` : `'${value.replaceAll(`'`, `'\\''`)}'`
}

/** Stops it at once: whoever is still connected is cut off. */
export async function stopCluster(cluster: Cluster): Promise<void> {
  await control(cluster, ['stop', '--mode=fast', '--wait', `--timeout=${STOP_DEADLINE_S}`])
}

/** The last the server had to say, for whoever has to find out why it does not run. */
export async function lastWords({ log }: Cluster): Promise<string> {
  const text = await readFile(log, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-5).join('\n')
}

/** What to say of an error that means that the disk is full, in PostgreSQL's words or the system's; null of any other. */
export function ofFullDisk(error: unknown, folder: string): ConfigurationError | null {
  const { code, output } = error as { code?: string; output?: string }
  if (code !== 'ENOSPC' && !/no space left on device|check free disk space/i.test(output ?? '')) return null
  return new ConfigurationError(
    `DATA_DIR: no space is left on the disk of ${folder}. Make room there, choose another folder, or set DATABASE_URL.`,
    { cause: error },
  )
}

async function openFolder(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true, mode: PRIVATE })
    await closeToOthers(dataDir)
    return await realpath(dataDir)
  } catch (error) {
    throw unusable(dataDir, error)
  }
}

function unusable(dataDir: string, cause: unknown): ConfigurationError {
  return new ConfigurationError(
    `DATA_DIR: the folder ${dataDir} can not be made, entered or written. Choose another, or set DATABASE_URL.`,
    { cause },
  )
}

async function create({
  root,
  folder,
  binaries,
  account,
  isDurable,
}: {
  root: string
  folder: string
  binaries: Binaries
  account: Account
  isDurable: boolean
}): Promise<void> {
  await removeAbandoned(root)
  const staging = await mkdtemp(join(root, STAGING_PREFIX)).catch((error: unknown) => {
    throw unusable(root, error)
  })
  try {
    const data = join(staging, 'data')
    const password = join(staging, 'password')
    await mkdir(data, { mode: 0o700 })
    await writeFile(password, newPassword(), { mode: 0o600 })
    // initdb reads the password as the user it runs as.
    if (account !== null && !account.isMapped)
      await Promise.all([staging, data, password].map((path) => chown(path, account.uid, account.gid)))
    await execute(binaries.initdb, account, staging, INIT_DEADLINE_MS, [
      `--pgdata=${data}`,
      `--username=${OWNER}`,
      `--pwfile=${password}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The same order of text on every machine, whatever the system's own locale is.
      '--locale-provider=builtin',
      '--locale=C.UTF-8',
      '--lc-messages=C',
      ...(isDurable ? [] : ['--no-sync']),
    ])
    if (account !== null && !account.isMapped) await chown(password, 0, 0)
    await rename(staging, folder)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    // Another process was first; or there is something else, which the caller finds out.
    if (await isVacant(folder)) throw ofFullDisk(error, root) ?? error
  }
}

async function isVacant(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    throw notOurs(folder, error)
  }
}

/** What a process that was killed while it made a cluster left behind. */
async function removeAbandoned(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!name.startsWith(STAGING_PREFIX)) continue
    const path = join(root, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > 2 * INIT_DEADLINE_MS) await rm(path, { recursive: true, force: true })
  }
}

async function versionOf(data: string): Promise<string | null> {
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => null)
  return version?.trim() ?? null
}

function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

async function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )
}

async function readPassword(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw notOurs(path, error)
  }
}

function notOurs(path: string, cause: unknown): ConfigurationError {
  return new ConfigurationError(
    `${path} can not be read. Run as the user who first started the service here, choose another DATA_DIR, or set ` +
      'DATABASE_URL.',
    { cause },
  )
}

async function truncateLog({ log }: Cluster): Promise<void> {
  const size = await stat(log).then(
    (file) => file.size,
    () => 0,
  )
  if (size > LOG_BYTES_MAX) await truncate(log)
}

function control(cluster: Cluster, args: string[]): Promise<void> {
  const { binaries, account, data } = cluster
  const deadlineMs = (Math.max(START_DEADLINE_S, STOP_DEADLINE_S) + 10) * 1000
  return execute(binaries.pgCtl, account, dirname(data), deadlineMs, args, { PGDATA: data })
}

/** @throws ClusterError with what the program said. */
async function execute(
  program: string,
  account: Account,
  cwd: string,
  deadlineMs: number,
  args: string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { PATH, SystemRoot, TEMP, TMP, TMPDIR } = process.env
  const command = runAs(account, program, args)
  try {
    await run(command.program, command.args, {
      cwd,
      timeout: deadlineMs,
      // Not the whole environment: it may hold secrets, and PG… variables that would redirect the program.
      env: { PATH, SystemRoot, TEMP, TMP, TMPDIR, LC_ALL: 'C', ...variables },
      ...command.identity,
    })
  } catch (error) {
    const output =
      typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr) : ''
    throw new ClusterError(`${program} failed`, output.trim(), error)
  }
}

import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError } from '#src/core/errors.ts'
import { closeToOthers, PRIVATE } from '#src/core/private-folder.ts'

export async function openFolder(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true, mode: PRIVATE })
    await closeToOthers(dataDir)
    return await realpath(dataDir)
  } catch (error) {
    throw error instanceof ConfigurationError ? error : unusable(dataDir, error)
  }
}

export async function isVacant(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    throw notOurs(folder, error)
  }
}

export async function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )
}

export async function versionOf(data: string): Promise<string | null> {
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => null)
  return version?.trim() ?? null
}

export function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

/** Whom PostgreSQL runs as may have put one there, to be told by root, as a password, what stands in a file of root's. */
const NOT_BY_A_LINK = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)

export async function readPassword(path: string): Promise<string> {
  try {
    return await readFile(path, { encoding: 'utf8', flag: NOT_BY_A_LINK })
  } catch (error) {
    throw notOurs(path, error)
  }
}

export function unusable(dataDir: string, cause: unknown): ConfigurationError {
  return new ConfigurationError(
    `DATA_DIR: the folder ${dataDir} can not be made, entered or written. Choose another, or set DATABASE_URL.`,
    { cause },
  )
}

function notOurs(path: string, cause: unknown): ConfigurationError {
  return new ConfigurationError(
    `${path} can not be read. Run as the user who first started the service here, choose another DATA_DIR, or set ` +
      'DATABASE_URL.',
    { cause },
  )
}

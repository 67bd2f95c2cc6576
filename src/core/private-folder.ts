import { constants } from 'node:fs'
import { chmod, type FileHandle, lstat, mkdir, open, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { ConfigurationError } from './errors.ts'

/**
 * What is made for the service is closed to others. Under root it lets through, to the folders in it that are closed, whom
 * PostgreSQL runs as.
 */
export const PRIVATE = process.getuid?.() === 0 ? 0o711 : 0o700

/**
 * Closes a folder that is there already as one that is made would be. One that is another user's, or everybody's as `/tmp` is,
 * stays as it is: what lies in it is closed by itself.
 *
 * @throws ConfigurationError when it lies where all may write, and is a stranger's, or a stranger's link to somewhere else; when it is
 *   open to others and can not be closed, as on a disk that is only read
 */
export async function closeToOthers(folder: string): Promise<void> {
  await refusePlantedOnTheWay(folder)
  const found = await stat(folder).catch(() => null)
  if (found === null || !found.isDirectory() || found.uid !== process.getuid?.()) return
  const mode = found.mode & 0o7777
  if ((mode & STICKY) !== 0 || (mode & 0o777 & ~PRIVATE) === 0) return
  try {
    await chmod(folder, mode & PRIVATE)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new ConfigurationError(
      `${folder} is open to others, who could read what is kept in it, and can not be closed (${code}). Close it where that is possible ` +
        `(chmod ${PRIVATE.toString(8)}), or choose another DATA_DIR.`,
      { cause },
    )
  }
}

/** Node names the other bits alone. */
const STICKY = 0o1000
const BY_ALL = 0o002

/**
 * Where others may make files too, as in `/tmp`, somebody may have put one of theirs in the place of ours before there was one: what is
 * written there would be theirs to read, and what is read there theirs to say. Ours are this user's, root's, or whose the folder is.
 *
 * @throws ConfigurationError
 */
export async function refusePlanted(path: string): Promise<void> {
  const uid = process.getuid?.()
  const found = await lstat(path).catch(() => null)
  if (uid === undefined || found === null || found.uid === uid || found.uid === 0) return
  if (found.uid === (await stat(dirname(path))).uid) return
  throw new ConfigurationError(
    `${path} was made by another user, who could read or change what is kept in it. Run as that user if it is yours, remove it, or ` +
      'choose a DATA_DIR, or whatever place it is, that nobody else may write in.',
  )
}

/**
 * The same of a folder that somebody has named, and of all it lies in, as far as they lie where all may make one: elsewhere it was as
 * much their choice whose it is. Of one that is made for them it is asked afterwards, when nobody can put another in its place.
 *
 * @throws ConfigurationError
 */
export async function refusePlantedOnTheWay(folder: string): Promise<void> {
  const around = dirname(folder)
  if (around === folder) return
  await refusePlantedOnTheWay(around)
  const { mode = 0 } = (await stat(around).catch(() => null)) ?? {}
  if ((mode & BY_ALL) !== 0) await refusePlanted(folder)
}

/** Makes a folder, and those above it, that only their owner sees into: this user, or of root's whoever has the folder they are made in. */
export async function makePrivate(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined || process.getuid?.() !== 0) return
  let path = dirname(first)
  for (const name of relative(path, folder).split(sep)) {
    const around = path
    path = join(path, name)
    // What somebody has put in its place meanwhile is not followed.
    const made = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    try {
      await giveToOwner(made, around)
    } finally {
      await made.close()
    }
  }
}

/** What root makes is whose the folder is, as whom the service runs: it could not be read, or written in, by the service's own processes. */
export async function giveToOwner(made: FileHandle, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  await made.chown(uid, gid)
}

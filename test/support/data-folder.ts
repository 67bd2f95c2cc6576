import { chmod, mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A folder for a PostgreSQL, in memory where that has room. On a disk (ext4) three quarters of PostgreSQL's time went to finding
 * places for the thousands of files of databases that come and go.
 */
export async function makeDataFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join((await hasRoom(MEMORY)) ? MEMORY : tmpdir(), name))
  // PostgreSQL may run as another user, who has to get through.
  await chmod(folder, 0o755)
  return folder
}

const MEMORY = '/dev/shm'
/** What a whole run of the tests has there at once was seen to be a quarter of it. Containers are often given 64 MB. */
const ROOM_BYTES = 2 * 1024 ** 3

async function hasRoom(path: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize >= ROOM_BYTES
  } catch {
    return false
  }
}

import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** An image at its fullest, with its base and both of its stages, was seen to be half of it. */
const ROOM_BYTES = 2 * 1024 ** 3

/**
 * A folder to build an image in, in memory where that has room for it twice and root may have it there: on a disk (ext4) most of
 * the time went to writing each file of each package down for good, and to copying the whole for each stage. Not in /dev/shm,
 * where containers may not run programs.
 */
export async function makeBuildFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'oppslag-image-'))
  const isInMemory = process.availableMemory() >= 2 * ROOM_BYTES && (await isMounted(path))
  await chmod(path, 0o755)
  return {
    path,
    async remove() {
      // Whatever still has a file open there: it is gone with the last of them.
      if (isInMemory) await run('umount', ['--lazy', path])
      await rm(path, { recursive: true, force: true })
    },
  }
}

async function isMounted(path: string): Promise<boolean> {
  const words = ['-t', 'tmpfs', '-o', `size=${ROOM_BYTES}`, 'tmpfs', path]
  return run('mount', words).then(
    () => true,
    () => false,
  )
}

import { chmod, stat } from 'node:fs/promises'

/**
 * What is made for the service is closed to others. Under root it lets through, to the folders in it that are closed, whom
 * PostgreSQL runs as.
 */
export const PRIVATE = process.getuid?.() === 0 ? 0o711 : 0o700

/**
 * Closes a folder that is there already as one that is made would be. One that is another user's, or everybody's as `/tmp` is,
 * stays as it is: what lies in it is closed by itself.
 */
export async function closeToOthers(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null)
  if (found === null || !found.isDirectory() || found.uid !== process.getuid?.()) return
  const mode = found.mode & 0o7777
  if ((mode & STICKY) !== 0 || (mode & 0o777 & ~PRIVATE) === 0) return
  await chmod(folder, mode & PRIVATE)
}

/** Node names the other bits alone. */
const STICKY = 0o1000

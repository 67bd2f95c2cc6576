import { lchown, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import { isVacant, newPassword, unusable } from './cluster-folder.ts'
import { OWNER } from './names.ts'
import { ofNoRoom, runProgram } from './run-program.ts'

const STAGING_PREFIX = 'postgres-new-'
const INIT_DEADLINE_MS = 120_000

/** Makes a cluster beside and moves it into place whole, with its password: of two that begin at once one wins. */
export async function makeCluster({
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
  const staging = await mkdtemp(join(root, STAGING_PREFIX)).catch((error: unknown) => {
    throw unusable(root, error)
  })
  try {
    const data = join(staging, 'data')
    const password = join(staging, 'password')
    await mkdir(data, { mode: 0o700 })
    await writeFile(password, newPassword(), { mode: 0o600, flush: true })
    // initdb reads the password as the user it runs as.
    if (account !== null && !account.isMapped)
      await Promise.all([staging, data, password].map((path) => lchown(path, account.uid, account.gid)))
    await runProgram(binaries.initdb, account, staging, INIT_DEADLINE_MS, [
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
    if (account !== null && !account.isMapped) await lchown(password, 0, 0)
    await rename(staging, folder)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    // Another process was first; or there is something else, which the caller finds out.
    if (await isVacant(folder)) throw ofNoRoom(error, root) ?? error
  }
}

/** What a process that was killed while it made a cluster left behind, when nobody can be at it any more. */
export async function removeAbandoned(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!name.startsWith(STAGING_PREFIX)) continue
    const path = join(root, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > 2 * INIT_DEADLINE_MS) await rm(path, { recursive: true, force: true })
  }
}

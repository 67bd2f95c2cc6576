import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { ConfigurationError } from '#src/core/errors.ts'

/** Who PostgreSQL runs as: this process's own user (null), or another, since PostgreSQL refuses to run as root. */
export type Account = { uid: number; gid: number } | null

const NAME = 'postgres'
const run = promisify(execFile)

/**
 * The account to run PostgreSQL as. Root takes whoever owns the `data` folder already, otherwise the user `postgres`,
 * which is made if the machine has none: initdb wants a user with a name.
 *
 * @throws ConfigurationError when root can not make that user.
 */
export async function chooseAccount(data: string): Promise<Account> {
  if (process.getuid?.() !== 0) return null
  const owner = await stat(data).catch(() => null)
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const existing = await findAccount()
  if (existing !== null) return existing
  try {
    await run('useradd', [
      '--system',
      '--user-group',
      '--no-create-home',
      '--shell',
      '/usr/sbin/nologin',
      NAME,
    ])
  } catch (error) {
    // Another process may have made it in between.
    const made = await findAccount()
    if (made !== null) return made
    throw new ConfigurationError(
      `PostgreSQL does not run as root, and the user "${NAME}" could not be made. Make it (useradd ${NAME}), start as ` +
        'another user than root, or set DATABASE_URL.',
      { cause: error },
    )
  }
  return findAccount()
}

/**
 * Every folder on the way has to let the account through.
 *
 * @throws ConfigurationError naming the first that does not, and what to do.
 */
export async function requirePassage(account: Account, folder: string): Promise<void> {
  if (account === null) return
  const onTheWay = [folder]
  for (let at = folder; dirname(at) !== at; at = dirname(at)) onTheWay.unshift(dirname(at))
  for (const place of onTheWay) {
    const { mode, uid, gid } = await stat(place)
    const needed = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
    if ((mode & needed) === 0) {
      throw new ConfigurationError(
        `The embedded PostgreSQL can not run as root; the user it runs as instead may not pass through ${place} ` +
          `on the way to ${folder}. Allow it (chmod o+x ${place}), start as another user than root, or set DATABASE_URL.`,
      )
    }
  }
}

async function findAccount(): Promise<Account> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', NAME]), run('id', ['-g', NAME])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return null
  }
}

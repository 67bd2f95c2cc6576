import { execFile } from 'node:child_process'
import { lstat, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ConfigurationError } from '#src/core/errors.ts'

/**
 * Who PostgreSQL runs as: this process's own user (null), or another, since PostgreSQL refuses to run as root. `isMapped`:
 * root itself, seen by PostgreSQL as that user through a user namespace; on disk everything stays root's.
 */
export type Account = { uid: number; gid: number; isMapped: boolean } | null

const NAME = 'postgres'
const run = promisify(execFile)

/**
 * The account to run PostgreSQL as. Root takes whoever owns the `data` folder already, otherwise the user `postgres`,
 * which is made if the machine has none: initdb wants a user with a name. Where that user may not pass through to one of
 * the `folders`, as in a home or a temporary folder of root's, root stays root and is only mapped.
 *
 * @throws ConfigurationError when root can neither make that user nor be mapped to it.
 */
export async function chooseAccount(data: string, folders: string[]): Promise<Account> {
  if (process.getuid?.() !== 0) return null
  const owner = await stat(data).catch(() => null)
  if (owner !== null && owner.uid !== 0) {
    const account = { uid: owner.uid, gid: owner.gid, isMapped: false }
    const closed = await closedTo(account, folders)
    if (closed !== null) throw noPassage(closed)
    return account
  }
  const account = (await findAccount()) ?? (await makeAccount())
  const closed = owner === null ? await closedTo(account, folders) : data
  if (closed === null) return account
  const mapped = { ...account, isMapped: true }
  if (await canBeMapped(mapped)) return mapped
  throw noPassage(closed)
}

/**
 * Where others may make folders too, as in `/tmp`, somebody may have put a cluster of their own in the place of ours, with a superuser
 * of theirs to read what would be kept in it. Ours is made by this user, by whoever owns all of `root`, or by root for the user PostgreSQL
 * runs as, whose number may be another since: then the password in it is root's own, which nobody else can make. What only leads
 * there (a symbolic link) is looked at as well.
 *
 * @throws ConfigurationError
 */
export async function refuseStrangers(root: string, folder: string): Promise<void> {
  const uid = process.getuid?.()
  const looks = await Promise.all([lstat(folder), stat(folder)].map((look) => look.catch(() => null)))
  const owners = looks.flatMap((found) => found?.uid ?? [])
  if (uid === undefined || owners.length === 0) return
  const own = [uid, (await stat(root)).uid]
  if (owners.every((owner) => own.includes(owner))) return
  if (uid === 0) {
    const runsAs = await findAccount()
    if (owners.every((owner) => own.includes(owner) || owner === runsAs?.uid)) return
    const password = await lstat(join(folder, 'password')).catch(() => null)
    if (password?.isFile() && password.uid === 0) return
  }
  throw new ConfigurationError(
    `${folder} was made by another user, who could read all that is kept in it. Run as that user if it is yours, remove it, ` +
      'or choose a DATA_DIR that nobody else may write in.',
  )
}

/** The program and its arguments, so that it runs as the account. `uid` and `gid` go with the rest of the options. */
export function runAs(account: Account, program: string, args: string[]) {
  if (account === null) return { program, args, identity: {} }
  const { uid, gid } = account
  if (!account.isMapped) return { program, args, identity: { uid, gid } }
  const mapping = ['--user', `--map-user=${uid}`, `--map-group=${gid}`, '--', program, ...args]
  return { program: 'unshare', args: mapping, identity: {} }
}

async function canBeMapped(account: Account): Promise<boolean> {
  const { program, args } = runAs(account, 'id', ['-u'])
  return run(program, args).then(
    ({ stdout }) => Number(stdout) === account?.uid,
    () => false,
  )
}

async function makeAccount(): Promise<NonNullable<Account>> {
  const made = run('useradd', [
    '--system',
    '--user-group',
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
    NAME,
  ])
  // Another process may have made it in between: what counts is that it is there.
  const cause = await made.catch((error: unknown) => error)
  const account = await findAccount()
  if (account !== null) return account
  throw new ConfigurationError(
    `PostgreSQL does not run as root, and the user "${NAME}" could not be made. Make it (useradd ${NAME}), start as ` +
      'another user than root, or set DATABASE_URL.',
    { cause },
  )
}

/** The first folder on the way to any of these that does not let the account through; null when all do. */
async function closedTo(account: NonNullable<Account>, folders: string[]): Promise<string | null> {
  for (const folder of folders) {
    const onTheWay = [folder]
    for (let at = folder; dirname(at) !== at; at = dirname(at)) onTheWay.unshift(dirname(at))
    for (const place of onTheWay) {
      const { mode, uid, gid } = await stat(place)
      const needed = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
      if ((mode & needed) === 0) return place
    }
  }
  return null
}

function noPassage(place: string): ConfigurationError {
  return new ConfigurationError(
    `The embedded PostgreSQL can not run as root; the user it runs as instead may not pass through ${place}. ` +
      `Allow it (chmod o+x ${place}), start as another user than root, or set DATABASE_URL.`,
  )
}

async function findAccount(): Promise<Account> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', NAME]), run('id', ['-g', NAME])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout), isMapped: false }
  } catch {
    return null
  }
}

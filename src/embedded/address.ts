import { createHash, randomBytes } from 'node:crypto'
import { lchown, link, lstat, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { ConfigurationError } from '#src/core/errors.ts'
import type { Account } from './account.ts'

/**
 * Where a cluster is reached: the same from one start to the next, so that whoever uses it finds it again. On most systems a
 * socket in a folder that is closed to others, so that no stranger can reach the server, take its places, or stand where it
 * stood. Node reaches no such sockets on Windows: there it is a port of the loopback.
 */
export type Address = { kind: 'socket'; folder: string } | { kind: 'loopback'; port: number }
export type AddressKind = Address['kind']

/** Names the file in the folder; nobody listens on it. */
const SOCKET_PORT = 5432
/** Beside the socket: PostgreSQL's note of the process that listens on it. */
export const SOCKET_NOTE = `.s.PGSQL.${SOCKET_PORT}.lock`
/** The shortest bound there is (macOS; Linux has 107), less the file's name. */
const FOLDER_BYTES_MAX = 103 - `/.s.PGSQL.${SOCKET_PORT}`.length

/**
 * @param folder the cluster's own
 * @throws ConfigurationError when a socket's folder is somebody else's, or open to others
 */
export async function chooseAddress(
  folder: string,
  account: Account,
  transport: AddressKind,
): Promise<Address> {
  if (transport === 'loopback') return { kind: 'loopback', port: await chosenPort(join(folder, 'port')) }
  const own = join(folder, 'socket')
  const isShort = Buffer.byteLength(own) <= FOLDER_BYTES_MAX
  // Another one for each cluster, and always the same: whoever opens the cluster has to find it.
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 24)
  const sockets = isShort ? own : `/tmp/oppslag-${name}`
  await makePrivate(sockets, account)
  return { kind: 'socket', folder: sockets }
}

/** Also when it was there: `/tmp` is cleared now and again, and open to anybody. A link that took its place gives nothing away. */
async function makePrivate(folder: string, account: Account): Promise<void> {
  const owner = account === null ? null : account.isMapped ? { uid: 0, gid: 0 } : account
  const isMade = await mkdir(folder, { mode: 0o700 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw unusable(folder, error)
    },
  )
  if (isMade && owner !== null) await lchown(folder, owner.uid, owner.gid)
  const found = await lstat(folder)
  const uid = owner?.uid ?? process.getuid?.()
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return
  // Another process that runs as root may have made it a moment ago, and be about to give it away.
  if (found.isDirectory() && found.uid === process.getuid?.() && owner !== null && (found.mode & 0o077) === 0)
    return lchown(folder, owner.uid, owner.gid)
  throw unusable(folder, null)
}

function unusable(folder: string, cause: unknown): ConfigurationError {
  return new ConfigurationError(
    `${folder} has to be a folder of this user that is closed to others, for the socket of the embedded PostgreSQL. ` +
      'Remove it, or choose another DATA_DIR.',
    { cause },
  )
}

/** PostgreSQL's settings. */
export function settingsOf(address: Address): Record<string, string> {
  if (address.kind === 'loopback')
    return { port: String(address.port), listen_addresses: '127.0.0.1', unix_socket_directories: '' }
  return {
    port: String(SOCKET_PORT),
    listen_addresses: '',
    // A list, in which a name that is quoted may hold anything.
    unix_socket_directories: `"${address.folder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  }
}

export function urlOf(address: Address, user: string, password: string): string {
  const host =
    address.kind === 'loopback'
      ? `127.0.0.1:${address.port}`
      : `${encodeURIComponent(address.folder)}:${SOCKET_PORT}`
  return `postgres://${user}:${password}@${host}/postgres`
}

/** Free when it was chosen, and kept: whoever was led there is not led to a stranger. */
async function chosenPort(note: string): Promise<number> {
  const known = await readFile(note, 'utf8').catch(() => null)
  if (known !== null) return Number(known)
  await writeOnce(note, String(await freePort()))
  return Number(await readFile(note, 'utf8'))
}

/** A file that is whole when it is there; of two who write at once the first one's stays. */
export async function writeOnce(path: string, text: string): Promise<void> {
  // Nobody can have put a link there, to have another file written over.
  const staging = `${path}-${randomBytes(8).toString('hex')}`
  await writeFile(staging, text, { mode: 0o600, flag: 'wx', flush: true })
  await link(staging, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(staging)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('expected an address with a port')
  return address.port
}

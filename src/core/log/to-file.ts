import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  write,
} from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ConfigurationError } from '../errors.ts'
import { PRIVATE } from '../private-folder.ts'
import type { Output } from './lines.ts'

export type FileBounds = {
  /** A file that is larger or older gives way to a new one, under its own name and the time; so many of those are kept. */
  readonly bytesMax: number
  readonly ageMsMax: number
  readonly keptMax: number
  /** How often it is looked whether the file is still there under its name. */
  readonly lookEveryMs: number
}

/** Read by the owner and its group, by nobody else. */
const MODE = 0o640

// Never waits for anybody: of a named pipe without a reader the opening would, and of a full one the writing.
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0)

const writeTo = promisify(write)

/**
 * Appends to a file, which it leaves for a new one when it has become large or old, when another has taken its name (as
 * `logrotate` does), or was taken away. Several processes may append to one file: whoever finds that another has put it away
 * opens the new one.
 *
 * @param onTrouble the file can not be put away and grows on: why
 * @throws ConfigurationError when there can be no such file
 */
export function openLogFile(
  path: string,
  { bounds, onTrouble }: { bounds: FileBounds; onTrouble: (code: string) => void },
): Output & { reopen(): void } {
  let file = openFirst(path)
  let isAsked = false
  let isTold = false
  let nextLookMs = performance.now() + bounds.lookEveryMs

  /** Another file, of the same name. That of before stays open if there can be none. */
  function renew(): void {
    const next = opened(path)
    closeSync(file.fd)
    file = next
  }

  async function keepInOrder(): Promise<void> {
    if (isAsked) {
      isAsked = false
      renew()
    }
    if (!file.isRegular) return
    const named = await stat(path).catch(() => null)
    if (named === null || named.ino !== file.ino || named.dev !== file.dev) {
      renew()
      return
    }
    if (named.size < bounds.bytesMax && Date.now() - file.bornAt < bounds.ageMsMax) return
    renameSync(path, `${path}.${new Date().toISOString().replaceAll(':', '')}`)
    renew()
    await forgetOldest(path, bounds.keptMax)
    isTold = false
  }

  return {
    async write(bytes) {
      if (isAsked || performance.now() >= nextLookMs) {
        nextLookMs = performance.now() + bounds.lookEveryMs
        await keepInOrder().catch(({ code }: NodeJS.ErrnoException) => {
          if (!isTold) onTrouble(code ?? 'unknown')
          isTold = true
        })
      }
      return (await writeTo(file.fd, bytes)).bytesWritten
    },
    /** Before the next line. */
    reopen() {
      isAsked = true
    },
  }
}

type Opened = { fd: number; isRegular: boolean; ino: number; dev: number; bornAt: number }

/** At once, so that a file that can not be written is told before anything is started. */
function openFirst(path: string): Opened {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE })
    return opened(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigurationError(
      `LOG_FILE: ${path} can not be written (${code}). Set it, or DATA_DIR when it lies there, to where this user may write.`,
      { cause: error },
    )
  }
}

function opened(path: string): Opened {
  refuseStrangersFile(path)
  const fd = openSync(path, FLAGS, MODE)
  const { mode, ino, dev, birthtimeMs } = fstatSync(fd)
  const isRegular = (mode & constants.S_IFMT) === constants.S_IFREG
  if (isRegular && (mode & 0o777 & ~MODE) !== 0) closeFileToOthers(fd, mode)
  // Where a file system does not know when a file was born, it is as old as this process has it open.
  return { fd, isRegular, ino, dev, bornAt: birthtimeMs > 0 ? birthtimeMs : Date.now() }
}

/**
 * Where others may make files too, one that only leads elsewhere may be theirs: what it leads to is not ours to write in, or close.
 * Where all may, a file may be as well, to be read by them.
 *
 * @throws with a `code`
 */
export function refuseStrangersFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || [0, process.getuid?.() ?? 0].includes(found.uid)) return
  if (found.isSymbolicLink())
    throw Object.assign(new Error('a symbolic link of another user'), { code: 'ELOOP' })
  const around = statSync(dirname(path))
  if ((around.mode & constants.S_IWOTH) !== 0 && found.uid !== around.uid)
    throw Object.assign(new Error('a file of another user'), { code: 'EACCES' })
}

/** Not for a file of another user's, who has decided otherwise. */
function closeFileToOthers(fd: number, mode: number): void {
  try {
    fchmodSync(fd, mode & MODE)
  } catch {}
}

async function forgetOldest(path: string, keptMax: number): Promise<void> {
  for (const file of (await putAway(path)).slice(0, -keptMax)) await rm(file, { force: true })
}

/** The files of this log that were put away and are still there, oldest first. */
export async function putAway(path: string): Promise<string[]> {
  const names = await readdir(dirname(path))
  const before = `${basename(path)}.`
  return names
    .filter((name) => name.startsWith(before) && TIME.test(name.slice(before.length)))
    .sort()
    .map((name) => join(dirname(path), name))
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{6}\.\d{3}Z$/

import { constants } from 'node:fs'
import { access, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readAddress } from '#src/core/email-address.ts'
import { makePrivate } from '#src/core/private-folder.ts'
import type { Sent } from './outcome.ts'
import type { Outlet } from './outlet.ts'

/**
 * A folder instead of a mail server: each mail is a file that mail programs open, named so that they sort by time, and there
 * whole or not at all. For whom the service runs as alone: keys stand in them in the clear.
 *
 * @param filesMax beyond it the oldest go
 */
export function openMailFolder({ folder, filesMax }: { folder: string; filesMax: number }): Outlet {
  let lastMs = 0

  /** Two mails of one process never have the same time; those of two processes have ids of their own. */
  function nameOf(messageId: string): string {
    lastMs = Math.max(Date.now(), lastMs + 1)
    const time = new Date(lastMs).toISOString().replace(/[-:.]/g, '')
    return `${time}-${messageId.slice(1, messageId.indexOf('@')).replace(/[^A-Za-z0-9.-]/g, '-')}.eml`
  }

  /** What was left unfinished by a process that died is among them. */
  async function removeOldest(): Promise<void> {
    const names = (await readdir(folder)).filter((name) => /\.eml(\.part)?$/.test(name)).sort()
    const tooMany = names.slice(0, Math.max(0, names.length - filesMax))
    for (const name of tooMany) await rm(join(folder, name), { force: true })
  }

  async function isUsable(): Promise<Sent | null> {
    try {
      await makePrivate(folder)
      await access(folder, constants.W_OK)
      return null
    } catch (error) {
      return fileTrouble(error)
    }
  }

  return {
    async take({ messageId, bytes }, { signal }) {
      const trouble = await isUsable()
      if (trouble !== null) return trouble
      const path = join(folder, nameOf(messageId))
      try {
        await writeFile(`${path}.part`, bytes, { flag: 'wx', mode: 0o600, flush: true, signal })
        await rename(`${path}.part`, path)
      } catch (error) {
        await rm(`${path}.part`, { force: true }).catch(() => {})
        return fileTrouble(error)
      }
      // It is written; that others could not be removed is not its fault.
      await removeOldest().catch(() => {})
      return { outcome: 'accepted', code: null, status: null, command: null, fault: null }
    },
    check: isUsable,
    close() {},
  }
}

/** The names of the mails to this address in a folder; none when there is no folder. */
export async function mailFilesTo(folder: string, address: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const found: string[] = []
  for (const name of names.filter((each) => /\.eml(\.part)?$/.test(each)).sort()) {
    const [head = ''] = (await readFile(join(folder, name), 'utf8').catch(() => '')).split(/\r?\n\r?\n/, 1)
    // A long line of a header goes on in the next one (RFC 5322, 2.2.3).
    const to = /^to:(.*(?:\r?\n[ \t].*)*)/im.exec(head)?.[1] ?? ''
    const addresses = to.split(/[\s<>,"]+/).map(comparable)
    if (addresses.includes(comparable(address))) found.push(name)
  }
  return found
}

/** In the header the domain may stand in ASCII. */
function comparable(address: string): string {
  return (readAddress(address) ?? address).toLowerCase()
}

/** Takes mails out of a folder. */
export async function removeMailFiles(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) await rm(join(folder, name), { force: true })
}

function fileTrouble(error: unknown): Sent {
  const fault = error instanceof Error && 'code' in error ? String(error.code) : null
  return { outcome: 'temporary', code: null, status: null, command: null, fault }
}

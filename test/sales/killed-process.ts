import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Sellers } from './crashes.ts'

/** Sellers that are processes of their own, and are killed with SIGKILL. */
export const processes: Sellers = {
  shareDeath: false,
  start(role, diesAt, { storage, mail, vipps, request }) {
    const access = JSON.stringify({ url: vipps.url, credentials: vipps.credentials })
    const words = [role, diesAt ?? '', storage.url, mail.url, access, JSON.stringify(request)]
    const child = fork(PROGRAM, words, { execArgv: [] })
    return {
      async died() {
        if ((await ended(child)) !== 'SIGKILL') throw new Error(`it was to die at ${diesAt}, and ended`)
      },
      async kill() {
        child.kill('SIGKILL')
        await ended(child)
      },
    }
  },
}

const PROGRAM = fileURLToPath(new URL('crash-process.ts', import.meta.url))

async function ended(child: ChildProcess): Promise<NodeJS.Signals | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.signalCode
}

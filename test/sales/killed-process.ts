import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Sellers } from './crashes.ts'
import { mortals } from './mortal-seller.ts'

/** Those who are to die are processes of their own, and are killed with SIGKILL; who goes on after them does so in this one. */
export const processes: Sellers = {
  shareDeath: false,
  start(role, diesAt, world) {
    if (diesAt === null) return mortals.start(role, null, world)
    const { storage, mail, vipps, request } = world
    const access = JSON.stringify({ url: vipps.url, credentials: vipps.credentials })
    const words = [role, diesAt, storage.url, mail.url, access, JSON.stringify(request)]
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

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Told, Usage } from './inside.ts'
import { type Core, on } from './machine.ts'

export type Child = {
  pid: number
  /** Where it listens. */
  listening(): Promise<string>
  usage(): Promise<Usage>
  onFeed(listener: (at: number, report: unknown) => void): void
  /** SIGTERM, and SIGKILL to what has not ended by then. */
  stop(): Promise<void>
}

/**
 * Starts a program in a process of its own, with `inside.ts` in front of it.
 *
 * @param root the checkout it is of; this one unless told otherwise
 * @param imports further modules to be loaded before it
 * @param flags Node's own; BENCH_NODE_FLAGS adds to them, to profile or to try
 */
export function startChild({
  root = ROOT,
  script,
  env = {},
  core = 'measured',
  imports = [],
  flags = [],
}: {
  root?: string
  script: string
  env?: Record<string, string>
  core?: Core
  imports?: string[]
  flags?: string[]
}): Child {
  const before = [INSIDE, ...imports].flatMap((file) => ['--import', file])
  const more = process.env.BENCH_NODE_FLAGS?.split(' ') ?? []
  const [command, parameters] = on(core, process.execPath, ...flags, ...more, ...before, script)
  const child = spawn(command, parameters, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const hear = <Kind extends Told['kind']>(kind: Kind) => heard(child, script, kind)
  const listening = hear('listening')
  // Asked for or not: a program that ends too early is reported by whoever waits for it.
  listening.catch(() => {})

  return {
    pid: child.pid ?? 0,
    listening: async () => (await listening).address,
    async usage() {
      const answer = hear('usage')
      child.send('usage')
      return (await answer).usage
    },
    onFeed(listener) {
      child.on('message', (told: Told) => {
        if (told.kind === 'feed') listener(told.at, told.report)
      })
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await exit
      clearTimeout(timer)
    },
  }
}

function heard<Kind extends Told['kind']>(
  child: ChildProcess,
  script: string,
  kind: Kind,
): Promise<Extract<Told, { kind: Kind }>> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: Told | { listens: string }) => {
      const told = 'listens' in message ? { kind: 'listening' as const, address: message.listens } : message
      if (told.kind === kind) settle(() => resolve(told as Extract<Told, { kind: Kind }>))
    }
    const onEnd = () => settle(() => reject(new Error(`${script} ended before it told of: ${kind}`)))
    const timer = setTimeout(
      () => settle(() => reject(new Error(`${script} did not tell of: ${kind}`))),
      TELL_MS,
    )
    function settle(how: () => void): void {
      clearTimeout(timer)
      child.off('message', onMessage)
      child.off('exit', onEnd)
      how()
    }
    child.on('message', onMessage)
    child.on('exit', onEnd)
  })
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const INSIDE = fileURLToPath(new URL('inside.ts', import.meta.url))
const STOP_MS = 15_000
const TELL_MS = 60_000

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { on } from '../process/machine.ts'

export type LoadOrder = {
  /** More than one: processes of the same service. */
  addresses: string[]
  paths: string[]
  headers: Record<string, string>
  /** Other keys than the headers', in turn. */
  tokens?: string[]
  /** Sent with a POST; a GET without. */
  body?: string
  connections: number
  /** What every answer must be. */
  status: 200 | 304
  headHas?: string
  /** Not all of them: this share may be otherwise. */
  wrongShareMax?: number
  /** Ask with the entity tags that the paths have. */
  isConditional?: boolean
  /** With `perSecond` open loop, otherwise closed. */
  pace: { durationMs: number; total?: number } | { durationMs: number; perSecond: number }
}

export type LoadReport = {
  answered: number
  wrong: { count: number; heads: string[] }
  elapsedMs: number
  medianMs: number
  p99Ms: number
  lastMs: number
  /** Each of an open loop, sorted, for whoever counts several runs as one; none of a closed one, which are too many. */
  latenciesMs: number[]
}

export type Load = {
  pid: number
  /** @throws Error when an answer was not what the order says it must be */
  run(order: LoadOrder): Promise<LoadReport>
  stop(): Promise<void>
}

/** The process the load comes from, on the core that is not measured. */
export function startLoad(): Load {
  const [command, parameters] = on('other', process.execPath, SCRIPT)
  const child: ChildProcess = spawn(command, parameters, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return {
    pid: child.pid ?? 0,
    async run(order) {
      const answer = once(child, 'message', {
        signal: AbortSignal.timeout(order.pace.durationMs + GRACE_MS),
      })
      child.send(order)
      const [{ report, failed }] = (await answer) as [{ report?: LoadReport; failed?: string }]
      if (report === undefined) throw new Error(`the load on ${order.addresses} failed: ${failed}`)
      const { count, heads } = report.wrong
      if (count > report.answered * (order.wrongShareMax ?? 0)) {
        const what = `${count} of ${report.answered} answers of ${order.addresses} were not as they must be`
        throw new Error(`${what}:\n${heads.join('\n\n')}`)
      }
      return report
    },
    async stop() {
      if (child.exitCode !== null) return
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
  }
}

const SCRIPT = fileURLToPath(new URL('main.ts', import.meta.url))
const GRACE_MS = 60_000

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { eventually } from './eventually.ts'

/** One process of the service, as it runs in production. */
export type ServiceProcess = {
  readonly pid: number
  /** Where it listens; empty for a worker. */
  readonly address: string
  /** Where its operators' side listens, as it has told in its log. */
  opsAddress(): string
  /** All it has written so far. */
  output(): string
  /** Its exit code once it has ended by itself or otherwise, null when a signal ended it. */
  readonly ended: Promise<number | null>
  /** Sends a signal and waits for the end. @returns its exit code, null when the signal ended it */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

/** As package.json starts them: without it the first flood alone makes a young generation of 64 MB more. */
const SMALL_YOUNG = ['--max-semi-space-size=16']

/** Each door, and the line of its log that says it is ready; null for one that tells who started it where it listens. */
const doors = {
  api: { script: 'src/commands/server.ts', flags: SMALL_YOUNG, ready: null },
  worker: { script: 'src/commands/worker.ts', flags: SMALL_YOUNG, ready: /workers running/ },
  fronts: { script: 'src/commands/fronts.ts', flags: SMALL_YOUNG, ready: null },
  start: { script: 'src/commands/start.ts', flags: SMALL_YOUNG, ready: /^Bedriftsoppslag listens on (\S+)/m },
} as const

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Ends a child whose parent has died without ending it. */
const ENDS_WITH_PARENT = 'data:text/javascript,process.on("disconnect",()=>process.exit(1))'

/**
 * Starts a process of the service and waits until it is ready.
 *
 * @param variables all of its environment but PATH; it listens on a port of its own unless told otherwise. Its log is read
 *   for the word that it is ready, so LOG_LEVEL stays as it is.
 * @throws Error with all it wrote, when it ends instead
 */
export async function startProcess(
  door: keyof typeof doors,
  variables: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const { script, flags, ready } = doors[door]
  const child = spawn(process.execPath, [...flags, '--import', ENDS_WITH_PARENT, script], {
    cwd: root,
    // What was compiled for one process is not compiled again for the next: nothing else of it is shared.
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: '0',
      OPS_PORT: '0',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  let address: string | null = null
  child.on('message', (message: { listens?: string }) => {
    address = message.listens ?? address
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const exited = once(child, 'exit')
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  try {
    const isReady = () => address !== null || ready?.test(output) === true
    await eventually(`${script} is ready`, () => isReady() || hasEnded(), READY_WITHIN_MS)
    if (hasEnded()) throw new Error(`${script} ended before it was ready`)
  } catch (cause) {
    child.kill('SIGKILL')
    throw new Error(`It wrote:\n${output}`, { cause })
  }

  return {
    pid: child.pid ?? 0,
    address: address ?? ready?.exec(output)?.[1] ?? '',
    opsAddress: () => /"address":"(http:[^"]+)","msg":"the operators/.exec(output)?.[1] ?? '',
    output: () => output,
    ended: exited.then(() => child.exitCode),
    async end(signal = 'SIGTERM') {
      if (!hasEnded()) child.kill(signal)
      await exited
      return child.exitCode
    },
  }
}

/** Slowness is no fault: a start that takes a second was seen to take 25 beside twenty busy processes. */
const READY_WITHIN_MS = 90_000

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { oppslag } from '#src/commands/oppslag/oppslag.ts'
import { eventually } from './eventually.ts'

export type Outcome = { code: number; out: string; err: string }
type Variables = Readonly<Record<string, string>>

/**
 * Runs the operator's command in this process, one at a time: with an environment, standard output and error of its own.
 * To start a process for each of hundreds of commands costs minutes; `startCommand` does, for what only a process can show.
 *
 * @param isAlone nothing else opens anything in this process meanwhile: a connection or a timer that is left, and would keep
 *   a process from ending, is the command's, and a failure
 */
export async function runCommand(
  variables: Variables,
  args: readonly string[],
  { isAlone = true } = {},
): Promise<Outcome> {
  const out: string[] = []
  const err: string[] = []
  const { env } = process
  const { write: writeOut } = process.stdout
  const { write: writeErr } = process.stderr
  const before = held()
  process.env = { ...variables }
  process.stdout.write = (text) => out.push(String(text)) > 0
  process.stderr.write = (text) => err.push(String(text)) > 0
  let code: number
  try {
    code = await oppslag(args)
  } finally {
    process.env = env
    process.stdout.write = writeOut
    process.stderr.write = writeErr
    // An import keeps the memory of its process small, and this one lives on: as V8 has them.
    setFlagsFromString('--semi-space-growth-factor=2')
    setFlagsFromString('--heap-growing-percent=0')
  }
  if (isAlone) await eventually(`nothing is left of: ${args.join(' ')}`, () => held() <= before)
  return { code, out: out.join(''), err: err.join('') }
}

function held(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap' || kind === 'Timeout')
    .length
}

/**
 * Runs the operator's command as a process of its own.
 *
 * @param input what it reads; open for more unless `inputEnds`
 * @param interrupt sends it a signal, SIGINT unless `by` says another
 */
export function startCommand(
  variables: Variables,
  args: readonly string[],
  { input = '', inputEnds = true, interrupt, by = 'SIGINT' }: StartOptions = {},
): Promise<Outcome> {
  const { PATH, SystemRoot, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, SystemRoot, NODE_COMPILE_CACHE, ...variables }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [DOOR, ...args], { env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, out, err })
    })
    child.stdin?.write(input)
    if (inputEnds) child.stdin?.end()
    interrupt?.addEventListener('abort', () => child.kill(by))
  })
}

type StartOptions = { input?: string; inputEnds?: boolean; interrupt?: AbortSignal; by?: NodeJS.Signals }

const DOOR = fileURLToPath(new URL('../../src/commands/oppslag.ts', import.meta.url))

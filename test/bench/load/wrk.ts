import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { on } from '../process/machine.ts'

/** What `wrk` says of a run. */
export type WrkReport = { answered: number; perSecond: number; p99Ms: number }

/** Whether the machine has it; it is no part of the project, so that another's program stands beside ours. */
export function hasWrk(): boolean {
  return spawnSync('wrk', ['--version']).error === undefined
}

export const HOW_TO_GET_WRK = '`apt-get install wrk` (Debian and its kin)'

/**
 * Asks for these in turn from so many connections, each again as soon as it is answered.
 *
 * @throws Error when an answer was no 200, or a connection was lost
 */
export async function runWrk({
  folder,
  address,
  paths,
  headers,
  connections,
  seconds,
}: {
  folder: string
  address: string
  paths: readonly string[]
  headers: Record<string, string>
  connections: number
  seconds: number
}): Promise<WrkReport> {
  const script = join(folder, 'wrk.lua')
  await writeFile(script, SCRIPT(paths))
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const [command, parameters] = on(
    'other',
    'wrk',
    ...['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script, ...fields, address],
  )
  const child = spawn(command, parameters, {
    stdio: ['ignore', 'pipe', 'inherit'],
    signal: AbortSignal.timeout((seconds + GRACE_SECONDS) * 1000),
  })
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const answered = Number(/(\d+) requests in/.exec(said)?.[1])
  if (!(answered > 0) || /Non-2xx|Socket errors/.test(said)) throw new Error(`wrk on ${address}:\n${said}`)
  const [, p99 = '', unit = ''] = /99%\s+([\d.]+)(us|ms|s)\b/.exec(said) ?? []
  return {
    answered,
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(said)?.[1]),
    p99Ms: Number(p99) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN),
  }
}

const GRACE_SECONDS = 20

/** Made before the run: what the client does beside asking is little. */
const SCRIPT = (paths: readonly string[]) => `
local requests = {}
init = function()
${paths.map((path, index) => `  requests[${index + 1}] = wrk.format("GET", ${JSON.stringify(path)})`).join('\n')}
end
local at = 0
request = function()
  at = at % ${paths.length} + 1
  return requests[at]
end
`

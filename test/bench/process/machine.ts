import { spawnSync } from 'node:child_process'
import { cpus, loadavg } from 'node:os'
import manifest from '../../../package.json' with { type: 'json' }

/** Where something runs: what is measured has a core to itself, and everything else shares the other. */
export type Core = 'measured' | 'other'

const NUMBER: Record<Core, string> = { measured: '0', other: '1' }

/** False with a single core, or without taskset: then the system decides, and CPU times are all there is to believe. */
const isPinned = cpus().length > 1 && spawnSync('taskset', ['--version']).status === 0

/** The command that runs this one on a core. */
export function on(core: Core, command: string, ...parameters: string[]): [string, string[]] {
  return isPinned ? ['taskset', ['-c', NUMBER[core], command, ...parameters]] : [command, parameters]
}

/** Moves this process, and what it will start, off the measured core. */
export function leaveMeasuredCore(): void {
  if (isPinned)
    spawnSync('taskset', ['-a', '-p', '-c', NUMBER.other, String(process.pid)], { stdio: 'ignore' })
}

export function machineFacts() {
  return {
    at: new Date().toISOString(),
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    isPinned,
    /** Processes that wanted a core in the minute before: above zero something else is at work here. */
    loadBefore: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    versions: {
      ...Object.fromEntries(MEASURED.map((name) => [name, versions[name] ?? 'unknown'])),
      redis: versionIn('redis-server', '--version'),
      nginx: versionIn('nginx', '-v'),
    },
  }
}

const versions: Record<string, string> = { ...manifest.dependencies, ...manifest.devDependencies }
const MEASURED = ['fastify', 'bentocache', 'async-cache-dedupe', 'express', 'apicache']

/** The first version a program names; null when it is not there. */
function versionIn(command: string, question: string): string | null {
  const { stdout, stderr } = spawnSync(command, [question], { encoding: 'utf8' })
  return /\d+\.\d+\.\d+/.exec(`${stdout} ${stderr}`)?.[0] ?? null
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const BEGINNER = fileURLToPath(new URL('./begin-connections.ts', import.meta.url))
const LISTENER = fileURLToPath(new URL('./listen-to-all.ts', import.meta.url))

/** The system's own parts that make a machine of its own inside this one. */
export function canMakeMachines(): boolean {
  return (
    process.getuid?.() === 0 &&
    ['ip', 'nsenter'].every((program) => spawnSync('which', [program]).status === 0) &&
    spawnSync('unshare', ['-n', 'true']).status === 0
  )
}

export type Begun = { from: string; answered: number; unanswered: number }

/**
 * A machine that listens and one that has these addresses, joined by a line of their own: network namespaces of the kernel, with a
 * firewall each, which end with their processes.
 *
 * @param addresses of the second, with the length of the prefix
 */
export async function joinTwoMachines(
  addresses: { first: readonly string[]; second: readonly string[] },
  port: number,
) {
  const [listener, beginner] = await Promise.all([inMachine(LISTENER, [String(port)]), inMachine(BEGINNER)])
  at(listener, [
    'ip',
    'link',
    'add',
    'to-second',
    'type',
    'veth',
    'peer',
    'name',
    'to-first',
    'netns',
    pidOf(beginner),
  ])
  for (const [machine, line, own] of [
    [listener, 'to-second', addresses.first],
    [beginner, 'to-first', addresses.second],
  ] as const) {
    at(machine, ['ip', 'link', 'set', 'lo', 'up'])
    for (const address of own)
      at(machine, ['ip', 'addr', 'add', address, 'dev', line, ...(address.includes(':') ? ['nodad'] : [])])
    at(machine, ['ip', 'link', 'set', line, 'up'])
  }
  return {
    /** A command on the machine that listens. @returns what it wrote */
    atFirst: (command: readonly string[]) => at(listener, command),
    /**
     * So many begin at once, from each of these, and wait so long for the line to be theirs.
     *
     * @param asked `to`, `port`: where the first is reached; left out, where it listens
     */
    begin(asked: {
      to: string
      port?: number
      from: readonly string[]
      count: number
      patienceMs: number
    }): Promise<Begun[]> {
      return answerOf(beginner, { port, ...asked })
    },
    async close(): Promise<void> {
      const machines = [listener, beginner]
      const ended = machines.map((machine) => machine.exitCode ?? once(machine, 'exit'))
      for (const machine of machines) machine.stdin?.end()
      await Promise.all(ended)
    },
  }
}

async function inMachine(script: string, args: readonly string[] = []): Promise<ChildProcess> {
  const machine = spawn('unshare', ['-n', process.execPath, script, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  if (machine.stdout === null) throw new Error('it is piped')
  await once(machine.stdout, 'data')
  return machine
}

function pidOf({ pid }: ChildProcess): string {
  if (pid === undefined) throw new Error('it was started')
  return String(pid)
}

function at(machine: ChildProcess, command: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('nsenter', ['-t', pidOf(machine), '-n', ...command], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
  return stdout
}

async function answerOf(machine: ChildProcess, asked: object): Promise<Begun[]> {
  if (machine.stdin === null || machine.stdout === null) throw new Error('they are piped')
  const lines = createInterface({ input: machine.stdout })
  machine.stdin.write(`${JSON.stringify(asked)}\n`)
  const [line] = (await once(lines, 'line')) as [string]
  lines.close()
  return JSON.parse(line)
}

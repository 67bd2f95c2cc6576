import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePorts } from './free-ports.ts'
import { redisServer } from './redis-server.ts'

/** A real Redis of our own, with nothing in it and, unless it was asked for, nothing kept on disk. */
export type TestRedis = {
  readonly url: string
  readonly host: string
  readonly port: number
  /** Where it keeps what it keeps on disk. */
  readonly folder: string
  /** Ends it as a crash would: at once, and all it held is lost. */
  stop(): Promise<void>
  /** Starts it again where it was. */
  start(): Promise<void>
  /** Stops answering without going away, until `resume`. */
  pause(): void
  resume(): void
  /** `stop` for good. */
  close(): Promise<void>
}

/**
 * Starts Redis on a free port of the loopback interface. It ends with this process, however that ends.
 *
 * @param maxmemory like Redis' own setting, for example '2mb'
 * @param policy what it does when that is used up; Redis' own default is to refuse
 * @param hashPieceMax a hash none of whose values is longer lies in one piece; Redis' own default is 64
 * @param isKept every change is on disk at once (appendonlydir) and `SAVE` writes dump.rdb, uncompressed: both can be searched
 * @param isCluster a cluster of one, which has no slots yet
 * @throws Error one line that says what to install, when there is no redis-server and none can be installed
 */
export async function startRedis({
  maxmemory = '0',
  policy = 'noeviction',
  hashPieceMax = 64,
  isKept = false,
  isCluster = false,
}: {
  maxmemory?: string
  policy?: 'noeviction' | 'allkeys-lru' | 'volatile-lru'
  hashPieceMax?: number
  isKept?: boolean
  isCluster?: boolean
} = {}): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'test-redis-'))
  const binary = await redisServer(folder)
  const host = '127.0.0.1'
  const settings = ['--maxmemory', maxmemory, '--maxmemory-policy', policy, '--dir', folder]
  settings.push('--hash-max-listpack-value', String(hashPieceMax))
  settings.push('--cluster-enabled', isCluster ? 'yes' : 'no')
  settings.push('--appendonly', isKept ? 'yes' : 'no', '--appendfsync', 'always', '--rdbcompression', 'no')
  let running: Running | null = null
  let port = 0
  // Another process may take the port between our asking and Redis' binding.
  for (let tries = 0; running === null; tries++) {
    if (tries === 10) throw new Error('redis-server did not start on any of ten free ports')
    ;[port = 0] = await freePorts(1)
    running = await run(binary, host, port, settings)
  }

  async function stop(): Promise<void> {
    await running?.end()
    running = null
  }

  return {
    url: `redis://${host}:${port}`,
    host,
    port,
    folder,
    stop,
    async start() {
      running = await run(binary, host, port, settings)
      if (running === null) throw new Error(`redis-server did not start again on port ${port}`)
    },
    pause: () => running?.signal('SIGSTOP'),
    resume: () => running?.signal('SIGCONT'),
    async close() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

type Running = { end(): Promise<void>; signal(name: 'SIGSTOP' | 'SIGCONT'): void }

/**
 * A shell stands between: it waits for its input to end, which happens when this process closes it or dies, and takes Redis
 * with it. Its first line is the server's process id. Null when Redis ended before it was ready.
 */
async function run(binary: string, host: string, port: number, settings: string[]): Promise<Running | null> {
  const script = `exec 3<&0
"$0" "$@" 3<&- </dev/null &
server=$!
echo "$server"
trap 'kill -9 "$server" 2>/dev/null; wait "$server" 2>/dev/null' EXIT
read -r _ <&3`
  const shell = spawn(
    'sh',
    ['-c', script, binary, '--bind', host, '--port', String(port), '--save', '', ...settings],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const exited = once(shell, 'exit')
  let pid = 0
  let isReady = false
  // Read to the end even after Redis is ready, or its log would fill the pipe and stop it.
  const lines = createInterface({ input: shell.stdout })
  const ready = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (pid === 0) pid = Number(line)
      if (line.includes('Ready to accept connections')) {
        isReady = true
        resolve()
      }
      // The shell itself waits for us; that Redis has ended shows in its log alone.
      if (/Failed listening|Fatal|aborting/i.test(line)) resolve()
    })
    lines.on('close', () => resolve())
  })
  await ready
  const running: Running = {
    async end() {
      shell.stdin.end()
      await exited
    },
    signal: (name) => process.kill(pid, name),
  }
  if (isReady) return running
  await running.end()
  return null
}

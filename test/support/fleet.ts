import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { makeOperator } from '#src/ops/operators.ts'
import { freePorts } from './free-ports.ts'
import { startPostgres, type TestPostgres } from './postgres.ts'
import { type ServiceProcess, startProcess } from './processes.ts'
import { startRedis, type TestRedis } from './redis.ts'
import type { RegisterStandIn } from './register-stand-in.ts'
import { loadIndustryCodes } from './service.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { variablesOf } from './variables-of.ts'

const stores = ['cache', 'queue', 'postgresql'] as const
export const members = ['front A', 'front B', 'worker A', 'worker B'] as const
type Store = (typeof stores)[number]
export type Member = (typeof members)[number]
export type Part = Member | Store
export const fronts = ['front A', 'front B'] as const satisfies Member[]
export type Front = (typeof fronts)[number]

/** Two fronts, two workers, PostgreSQL and two Redis, each a process of its own that can be killed and started again. */
export type Fleet = {
  readonly postgres: TestPostgres
  readonly cache: TestRedis
  readonly queue: TestRedis
  /** Front B's own way to the cache. */
  readonly wayOfFrontB: TcpProxy
  /** A key that stays valid, and an operator who may write. */
  readonly token: string
  readonly operator: string
  /** Where a front answers and where a member's operators' side listens: the same after it was killed. */
  addressOf(member: Member): { front: string; ops: string }
  /** Who reads this feed now: the last to have said so and to be alive. */
  followerOf(feed: 'enheter' | 'roller'): Member | null
  issue(): Promise<{ id: string; token: string }>
  kill(part: Part): Promise<void>
  start(part: Part): Promise<void>
  /** Sends a signal to a member that runs, as whoever stops it in the middle and lets it go on. */
  signal(member: Member, signal: 'SIGSTOP' | 'SIGCONT'): void
  /** All that any of its processes has written, also before it was killed. */
  output(): string
  close(): Promise<void>
}

/** @param more variables for all of its processes; `origin` is where front A answers */
export async function startFleet(
  register: RegisterStandIn,
  more: (origin: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<Fleet> {
  const [postgres, cache, queue] = await Promise.all([startPostgres(), startRedis(), startRedis()])
  const wayOfFrontB = await startTcpProxy({ upstream: cache })
  const running = new Map<Member, ServiceProcess>()
  const ended: string[] = []

  async function close(): Promise<void> {
    await Promise.all([...running.values()].map((each) => each.end('SIGKILL')))
    await wayOfFrontB.close()
    await Promise.all([postgres.close(), cache.close(), queue.close()])
  }

  try {
    const { database } = postgres
    await loadIndustryCodes({ database }, systemClock)
    const issue = () =>
      issueKey({ db: database, clock: systemClock }, { epost: 'a@example.com', miljo: 'test' })
    const [{ token }, { token: operator }, ports] = await Promise.all([
      issue(),
      makeOperator({ db: database, clock: systemClock }, { navn: 'Kari', rolle: 'skrive' }),
      freePorts(2 * members.length),
    ])
    const portsOf = (member: Member) => {
      const [port = 0, opsPort = 0] = ports.slice(2 * members.indexOf(member))
      return { port, opsPort }
    }

    async function startMember(member: Member): Promise<void> {
      const { port, opsPort } = portsOf(member)
      const way = `redis://${wayOfFrontB.host}:${wayOfFrontB.port}`
      const started = await startProcess(member.startsWith('front') ? 'api' : 'worker', {
        ...variablesOf({
          register,
          databaseUrl: postgres.url,
          cacheRedisUrl: member === 'front B' ? way : cache.url,
          queueRedisUrl: queue.url,
        }),
        ...more(`http://127.0.0.1:${portsOf('front A').port}`),
        PORT: String(port),
        OPS_PORT: String(opsPort),
      })
      running.set(member, started)
    }

    async function killMember(member: Member): Promise<void> {
      const killed = running.get(member)
      if (killed === undefined) throw new Error(`${member} does not run`)
      running.delete(member)
      await killed.end('SIGKILL')
      ended.push(killed.output())
    }

    const ways = {
      cache: { kill: cache.stop, start: cache.start },
      queue: { kill: queue.stop, start: queue.start },
      postgresql: { kill: postgres.kill, start: postgres.start },
    }
    const isStore = (part: Part): part is Store => part in ways

    // Not all at once: two cores have four processes ready no sooner, and none of them in time.
    await Promise.all(fronts.map(startMember))
    await Promise.all(['worker A' as const, 'worker B' as const].map(startMember))
    return {
      postgres,
      cache,
      queue,
      wayOfFrontB,
      token,
      operator,
      addressOf(member) {
        const { port, opsPort } = portsOf(member)
        return { front: `http://127.0.0.1:${port}`, ops: `http://127.0.0.1:${opsPort}` }
      },
      followerOf(feed) {
        const began = [...running].flatMap(([member, each]) =>
          each
            .output()
            .split('\n')
            .filter((line) => line.includes('"following a feed"') && line.includes(`"feed":"${feed}"`))
            .map((line) => ({ member, at: String(JSON.parse(line).time) })),
        )
        return began.sort((a, b) => (a.at < b.at ? 1 : -1))[0]?.member ?? null
      },
      issue,
      kill: (part) => (isStore(part) ? ways[part].kill() : killMember(part)),
      start: (part) => (isStore(part) ? ways[part].start() : startMember(part)),
      signal: (member, signal) => void process.kill(running.get(member)?.pid ?? 0, signal),
      output: () => [...ended, ...[...running.values()].map((each) => each.output())].join('\n'),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type ServiceProcess, startProcess } from './processes.ts'
import { startRedis, type TestRedis } from './redis.ts'
import type { RegisterStandIn } from './register-stand-in.ts'
import { loadIndustryCodes, type TestAnswer } from './service.ts'
import { variablesOf } from './variables-of.ts'

/** The service as in production: processes of its own for the front and the work, over one database and two Redis. */
export type Deployment = {
  readonly storage: TestDatabase
  readonly cacheRedis: TestRedis
  readonly queueRedis: TestRedis
  readonly token: string
  readonly variables: Readonly<Record<string, string>>
  /** The fronts, each of which knows the key already. */
  readonly apis: readonly [ServiceProcess, ServiceProcess]
  readonly worker: ServiceProcess
  /** One more process, ended with the others. */
  start(door: 'api' | 'worker', variables?: Readonly<Record<string, string>>): Promise<ServiceProcess>
  get(
    api: Pick<ServiceProcess, 'address' | 'output'>,
    path: string,
    headers?: Record<string, string>,
  ): Promise<TestAnswer>
  /** The same question to each front. */
  getFromAll(path: string): Promise<TestAnswer[]>
  /** All that any of its processes has written. */
  output(): string
  close(): Promise<void>
}

/** @param options `variables`: for all processes; `wayToCache`: the address they reach the cache's Redis at */
export async function startDeployment(
  register: RegisterStandIn,
  {
    variables: more = {},
    wayToCache = async (redis) => redis.url,
  }: {
    variables?: Readonly<Record<string, string>>
    wayToCache?: (redis: TestRedis) => Promise<string>
  } = {},
): Promise<Deployment> {
  const [storage, cacheRedis, queueRedis] = await Promise.all([
    createTestDatabase(),
    startRedis(),
    startRedis(),
  ])
  const variables = {
    ...variablesOf({
      register,
      databaseUrl: storage.url,
      cacheRedisUrl: await wayToCache(cacheRedis),
      queueRedisUrl: queueRedis.url,
    }),
    ...more,
  }
  await loadIndustryCodes(storage, systemClock)
  const issuing = issueKey(
    { db: storage.database, clock: systemClock },
    { epost: 'a@example.com', miljo: 'test' },
  )
  const processes: ServiceProcess[] = []

  async function start(door: 'api' | 'worker', own: Readonly<Record<string, string>> = {}) {
    const started = await startProcess(door, { ...variables, ...own })
    processes.push(started)
    return started
  }

  async function close(): Promise<void> {
    await Promise.all(processes.map((each) => each.end('SIGKILL')))
    await Promise.all([storage.close(), cacheRedis.close(), queueRedis.close()])
  }

  try {
    const [a, b, worker] = await Promise.all([start('api'), start('api'), start('worker')])
    const { token } = await issuing
    const get: Deployment['get'] = async (api, path, headers = {}) => {
      const answer = await fetch(api.address + path, {
        headers: { authorization: `Bearer ${token}`, ...headers },
        redirect: 'manual',
      }).catch((cause) => {
        throw new Error(`No answer; the last the process wrote:\n${api.output().slice(-3000)}`, { cause })
      })
      const text = await answer.text()
      const isJson = answer.headers.get('content-type')?.includes('json') ?? false
      return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : null }
    }
    await Promise.all([a, b].map((api) => get(api, '/api/bedrift/status')))
    return {
      storage,
      cacheRedis,
      queueRedis,
      token,
      variables,
      apis: [a, b],
      worker,
      start,
      get,
      getFromAll: (path) => Promise.all([get(a, path), get(b, path)]),
      output: () => processes.map((each) => each.output()).join('\n'),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

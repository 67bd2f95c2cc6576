import { readEnvironment } from '#config/environment.ts'
import { issueKey } from '#src/access/issue-key.ts'
import { type Clock, systemClock } from '#src/core/clock.ts'
import { replaceIndustryCodes } from '#src/storage/industry-codes.ts'
import { openService, type Service } from '#src/wiring/service.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import type { RegisterStandIn } from './register-stand-in.ts'

export type TestService = {
  address: string
  token: string
  storage: TestDatabase
  tiers: Service['tiers']
  /** Where the operators' side listens. */
  opsAddress: string
  /** A GET with the key, on a real connection. */
  get(path: string, headers?: Record<string, string>): Promise<TestAnswer>
  /** A GET without it. */
  getBare(path: string, headers?: Record<string, string>): Promise<TestAnswer>
  /** Any call with the key, or with another. */
  call(method: string, path: string, options?: CallOptions): Promise<TestAnswer>
  /** As a process that was told to end begins with. */
  drain(): Promise<void>
  close(): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies whose shape other tests hold against the schema
export type TestAnswer = { status: number; headers: Headers; text: string; body: any }

/** @property body a text is sent as it stands, anything else as JSON. */
type CallOptions = { token?: string; body?: unknown; type?: string; headers?: Record<string, string> }

/**
 * The whole service on a port of its own, over the given register, with a database of its own and a key.
 *
 * @param options `isLoaded`: the industry codes are there from the start, so that a record can be complete at once
 */
export async function startTestService(
  register: Pick<RegisterStandIn, 'registerUrl' | 'kunngjoringUrl' | 'klassUrl'>,
  options: {
    variables?: Record<string, string>
    clock?: Clock
    workers?: boolean
    isLoaded?: boolean
    /** What is in the database before the service opens. */
    seed?: (storage: TestDatabase) => Promise<void>
  } = {},
): Promise<TestService> {
  const clock = options.clock ?? systemClock
  const storage = await createTestDatabase()
  if (options.isLoaded) await loadIndustryCodes(storage, clock)
  await options.seed?.(storage)
  const environment = readEnvironment({
    PORT: '0',
    OPS_PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: storage.url,
    MILJO: 'test',
    KANARI: 'av',
    REGISTER_URL: register.registerUrl,
    KUNNGJORING_URL: register.kunngjoringUrl,
    KLASS_URL: register.klassUrl,
    KUNNGJORING_CALLS_PER_SECOND: '1000',
    REGNSKAPSKOPI_CALLS_PER_SECOND: '1000',
    // Built by the tests of searching alone: others count what a register is asked.
    SOKEINDEKS: 'av',
    // A slow machine is no slow register.
    ANSWER_DEADLINE_MS: '15000',
    ...options.variables,
  })
  const service = await openService(environment, {
    workers: options.workers ?? true,
    ...(options.clock && { clock: options.clock }),
  })
  const address = await service.listen()
  const token = await issueToken(storage, clock)
  const getBare: TestService['getBare'] = async (path, headers = {}) =>
    toldOf(await fetch(address + path, { headers, redirect: 'manual' }))
  return {
    address,
    token,
    storage,
    tiers: service.tiers,
    opsAddress: service.opsAddress,
    getBare,
    get: (path, headers = {}) => getBare(path, { authorization: `Bearer ${token}`, ...headers }),
    call: (method, path, options = {}) => call(address + path, method, { token, ...options }),
    drain: service.drain,
    async close() {
      await service.close()
      await storage.close()
    },
  }
}

/** A call with a key, wherever the service listens. */
export async function call(
  url: string,
  method: string,
  { token, body, type = 'application/json', headers = {} }: CallOptions & { token: string },
): Promise<TestAnswer> {
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  return toldOf(
    await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(sent !== undefined && { 'content-type': type }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    }),
  )
}

async function toldOf(answer: Response): Promise<TestAnswer> {
  const { status, headers } = answer
  const text = await answer.text()
  const isJson = /\bjson\b/.test(headers.get('content-type') ?? '') && text !== ''
  return { status, headers, text, body: isJson ? JSON.parse(text) : null }
}

/** As if the background work had been there: the tables are loaded, with next to nothing in them. */
export async function loadIndustryCodes(
  { database }: Pick<TestDatabase, 'database'>,
  clock: Clock = systemClock,
): Promise<void> {
  const codes = [{ kode: '10.202', navn: 'Slakting av fisk' }]
  await replaceIndustryCodes(database, {
    loadedAt: clock.now(),
    correspondences: [],
    sn2025Codes: codes,
    sn2007Codes: codes,
  })
}

/** A reader's key, as it is sent. */
export async function issueToken(
  { database }: Pick<TestDatabase, 'database'>,
  clock: Clock = systemClock,
): Promise<string> {
  const { token } = await issueKey({ db: database, clock }, { epost: 'a@example.com', miljo: 'test' })
  return token
}

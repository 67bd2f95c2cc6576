import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { publicTestKey } from '#src/access/public-test-key.ts'
import type { ValidKey, Verifier } from '#src/access/verify.ts'
import type { Watcher } from '#src/changes/waiting.ts'
import type { ManyReader } from '#src/record/many.ts'
import type { ShareReader } from '#src/record/share-reader.ts'
import type { CompanyAnswerer } from '../api/routes/bedrift.ts'
import type { SearchFront } from '../api/routes/sok.ts'

/** What test keys are let in to. */
export type Sandbox = {
  isTestKey(text: string): boolean
  /** Ends a test key of one's own. False: the text is none. @throws StorageUnavailableError */
  endOwn(text: string): Promise<boolean>
  verifier: Pick<Verifier, 'verify'>
  reader: CompanyAnswerer
  many: Pick<ManyReader, 'read' | 'turn' | 'waiting' | 'erased'>
  search: SearchFront
  shares: ShareReader
}

const TEST = 'test'

/**
 * The router's own way to tell requests with a test key from all others: the same paths lead to routes that were built upon
 * the sandbox, and those others can not be reached with a test key at all.
 */
export function testKeyConstraint({ isTestKey }: Pick<Sandbox, 'isTestKey'>) {
  return {
    name: TEST,
    storage() {
      const handlers = new Map<unknown, unknown>()
      return {
        get: (value: unknown) => (handlers.get(value) ?? null) as never,
        set: (value: unknown, handler: unknown) => void handlers.set(value, handler),
      }
    },
    deriveConstraint(request: IncomingMessage) {
      const [, token = ''] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? []
      return isTestKey(token) ? TEST : ''
    },
    validate: () => {},
    mustMatchWhenDerived: false,
  }
}

/** Every route of this instance is for test keys alone; they are not described twice. Before any route of it. */
export function forTestKeys(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.constraints = { ...route.constraints, [TEST]: TEST }
    route.schema = { ...route.schema, hide: true }
  })
  app.addHook('onRequest', (request, reply, done) => {
    request.isTest = true
    reply.header('x-provedata', 'true')
    done()
  })
}

/** A test key of one's own watches under its id, which is in it for as long as it lasts; everybody's stores nothing. */
export async function watcherOfTestKey({ id }: ValidKey): Promise<Watcher> {
  return { eier: id === publicTestKey.id ? null : id, prove: true }
}

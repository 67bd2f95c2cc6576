import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { SAMPLE } from '../fixtures/samples/index.ts'

export type Route = { method: string; path: string }

/** The routes of both ports, with something in each of their places, of a service that is opened meanwhile. */
export async function withRoutes<Service>(
  open: () => Promise<Service>,
): Promise<{ service: Service; routes: { public: Route[]; operators: Route[] } }> {
  const apps: Route[][] = []
  const gather = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    const found: Route[] = []
    apps.push(found)
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) found.push({ method: each, path: asAsked(url) })
    })
  }
  subscribe('fastify.initialization', gather)
  const service = await open().finally(() => unsubscribe('fastify.initialization', gather))
  const isPublic = (found: Route[]) => found.some(({ path }) => path === '/openapi.json')
  return {
    service,
    routes: {
      public: apps.find(isPublic) ?? [],
      operators: apps.find((found) => !isPublic(found)) ?? [],
    },
  }
}

function asAsked(url: string): string {
  return url.replace(':orgnr', SAMPLE.healthy).replace(/:\w+/g, 'x').replace('*', 'x')
}

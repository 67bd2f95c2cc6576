import type { FastifyRequest } from 'fastify'
import { networkOf } from '#src/core/client-network.ts'
import { readerKey } from './bearer.ts'

/** Whose turns and places they are: all keys of one purchase have the same, and of test keys, which everybody may have, a network. */
export function ofWhom(request: FastifyRequest): string {
  return request.isTest ? networkOf(request.ip) : readerKey(request).right
}

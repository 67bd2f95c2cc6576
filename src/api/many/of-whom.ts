import type { FastifyRequest } from 'fastify'
import { networkOf } from '#src/core/client-network.ts'
import { readerKey } from '../bearer.ts'

/** Whose places they are: a key's, and of test keys, which everybody may have, a network's. */
export function ofWhom(request: FastifyRequest): string {
  return request.isTest ? networkOf(request.ip) : readerKey(request).id
}

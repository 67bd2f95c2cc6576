import type { FastifyReply } from 'fastify'

/**
 * Tells once when the answer has been sent, or nobody waits for it any more; now, where that is so already.
 *
 * @returns it need not be told any more
 */
export function whenOver({ raw }: Pick<FastifyReply, 'raw'>, tell: () => void): () => void {
  if (raw.destroyed) tell()
  else raw.once('close', tell)
  return () => raw.off('close', tell)
}

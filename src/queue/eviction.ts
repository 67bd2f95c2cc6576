import type { Redis } from 'ioredis'
import { QueueMayEvictError } from './errors.ts'

/**
 * Reads the eviction policy of the server, which may change while it runs. BullMQ itself prints a warning and goes on.
 * INFO and not CONFIG, which hosted servers refuse.
 *
 * @throws QueueMayEvictError for anything but `noeviction`, also when there is no memory limit yet; what ioredis throws
 *   when Redis can not be asked.
 */
export async function refuseEviction(redis: Pick<Redis, 'info'>): Promise<void> {
  const info = await redis.info('memory')
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? null
  if (policy !== 'noeviction') throw new QueueMayEvictError(policy)
}

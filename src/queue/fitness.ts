import type { Redis } from 'ioredis'
import { QueueMayEvictError, QueueRefusesError } from './errors.ts'

/**
 * Whether jobs are safe there and taken: the eviction policy, which may change while the server runs (BullMQ itself prints a warning
 * and goes on), and then something is written. A server that is full, has no room on disk or follows another answers all the same.
 * Then it is asked as jobs are moved, by a script over several keys: where a user may run none, or in a cluster, where they lie apart,
 * every lane fails while the rest works. INFO and not CONFIG, which hosted servers refuse. And a database that the server has not is
 * told of: the first would be used instead, which may be another's.
 *
 * @param key what is written: the same, each time
 * @throws QueueMayEvictError for anything but `noeviction`, also when there is no memory limit yet; QueueRefusesError when the
 *   server says no; what ioredis throws when it can not be asked.
 */
export async function proveFit(
  redis: Pick<Redis, 'select' | 'info' | 'set' | 'eval' | 'options'>,
  key: string,
): Promise<void> {
  if (redis.options.db) await redis.select(redis.options.db).catch(refused)
  const info = await redis.info('memory').catch(refused)
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? null
  if (policy !== 'noeviction') throw new QueueMayEvictError(policy)
  await redis.set(key, '1').catch(refused)
  // It reads: what is written so often stands in Redis' log each time.
  await redis
    .eval(`return redis.call('EXISTS', KEYS[1], KEYS[2])`, 2, `${key}:en`, `${key}:to`)
    .catch(refused)
}

/** Redis begins each such answer with a word for it. */
function refused(error: unknown): never {
  const isReply = error instanceof Error && error.name === 'ReplyError'
  throw isReply ? new QueueRefusesError(/^[A-Z]+/.exec(error.message)?.[0] ?? 'ERR', error) : error
}

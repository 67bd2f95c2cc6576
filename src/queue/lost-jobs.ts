import type { Redis } from 'ioredis'
import { queueName } from './backend.ts'
import { lanes } from './jobs.ts'

/**
 * A Redis that has thrown something away, because it was told that it may, has thrown away jobs, and left the keys that say that they are
 * there: whatever is asked for again is taken for one that waits, for ever. Those keys are taken out, as often as the server has thrown
 * something away. And it may have thrown away how far jobs are numbered: no number of one that is left is given again.
 *
 * @param prefix what all keys of the queue begin with
 */
export function createLostJobs(redis: Pick<Redis, 'info' | 'scan' | 'eval'>, prefix: string) {
  /** The server's count of what it has thrown away, which begins anew with it; null: it may have been more than it says by now. */
  let looked: string | null = '0'

  return {
    suspect(): void {
      looked = null
    },

    async forget(): Promise<void> {
      const evicted = /^evicted_keys:(\d+)/m.exec(await redis.info('stats'))?.[1] ?? null
      if (evicted === looked) return
      const numbers = lanes.map((lane) => `${prefix}:${queueName(lane)}:id`)
      await redis.eval(NUMBER_ON, numbers.length, ...numbers, Date.now())
      for (let cursor = ''; cursor !== '0'; ) {
        const [next, keys] = await redis.scan(cursor || 0, 'MATCH', `${prefix}:*:de:*`, 'COUNT', AT_ONCE)
        if (keys.length > 0) await redis.eval(FORGET, keys.length, ...keys)
        cursor = next
      }
      looked = evicted
    },
  }
}

/** From the milliseconds of now: no lane has ever had as many jobs. */
const NUMBER_ON = `for _, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or 0) < tonumber(ARGV[1]) then redis.call('SET', key, ARGV[1]) end
end`

/**
 * In one step, in which nobody adds, begins or ends a job: one that is there is in one of these. Of one that was taken up after it was
 * thrown away there is a part, that does not say which it is; and another may have been given its number since.
 */
const FORGET = `local lines = {}
for _, key in ipairs(KEYS) do
  local lane = string.sub(key, 1, string.find(key, ':de:', 1, true))
  if not lines[lane] then
    lines[lane] = {}
    for _, line in ipairs({'wait', 'paused', 'active'}) do
      for _, id in ipairs(redis.call('LRANGE', lane .. line, 0, -1)) do lines[lane][id] = true end
    end
  end
  local id = redis.call('GET', key)
  if id then
    local stands = lines[lane][id] or redis.call('ZSCORE', lane .. 'prioritized', id) or redis.call('ZSCORE', lane .. 'delayed', id)
    local of = redis.call('HGET', lane .. id, 'deid')
    local isOwn = of and lane .. 'de:' .. of == key
    if not (isOwn and stands) then redis.call('DEL', key) end
    if not of or (isOwn and not stands) then redis.call('DEL', lane .. id) end
  end
end`

/** Keys that are looked at before the next are. For those of them that are told of a job all lines are read anew: 60 ms for a hundred thousand. */
const AT_ONCE = 10_000

import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { startRedis } from './redis.ts'

it('a Redis of our own starts empty, forgets when it is stopped, and starts again where it was', async () => {
  const server = await startRedis({ maxmemory: '5mb', policy: 'allkeys-lru' })
  const redis = new Redis(server.url)
  redis.on('error', () => {})
  expect(await redis.dbsize()).toBe(0)
  expect(await redis.config('GET', 'maxmemory*')).toEqual(
    expect.arrayContaining(['maxmemory', String(5 * 1024 * 1024), 'maxmemory-policy', 'allkeys-lru']),
  )
  await redis.set('a', 'b')
  await server.stop()
  await server.start()
  expect(await redis.get('a')).toBeNull()
  redis.disconnect()
  await server.close()
})

it('two run side by side, and one that is paused answers when it goes on', async () => {
  const [one, other] = await Promise.all([startRedis(), startRedis()])
  expect(one.port).not.toBe(other.port)
  const redis = new Redis(one.url)
  await redis.ping()
  one.pause()
  let answered = false
  const answer = redis.ping().then(() => {
    answered = true
  })
  const elsewhere = new Redis(other.url)
  await elsewhere.ping()
  expect(answered).toBe(false)
  one.resume()
  await answer
  redis.disconnect()
  elsewhere.disconnect()
  await Promise.all([one.close(), other.close()])
})

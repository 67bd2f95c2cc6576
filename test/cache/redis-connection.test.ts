import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEnvironment } from '#config/environment.ts'
import { createBus } from '#src/cache/bus.ts'
import { type CacheChange, describeChange, readChange } from '#src/cache/change.ts'
import { createCircuit } from '#src/cache/redis-circuit.ts'
import {
  answerWithin,
  closeRedisConnection,
  failureOf,
  openRedisConnection,
  RedisTimeout,
} from '#src/cache/redis-connection.ts'
import { channelOf } from '#src/cache/redis-keys.ts'
import { UNREADABLE_CHANNEL } from '#src/core/unreadable.ts'
import { keptSources } from '#src/sources/index.ts'
import { beBusyFor } from '#test/support/be-busy.ts'
import { startRedis, type TestRedis } from '#test/support/redis.ts'
import { startTcpProxy } from '#test/support/tcp-proxy.ts'
import { createTestClock, untilTrue } from './one-process.ts'

describe('waiting for an answer', () => {
  it('ends when it is late', async () => {
    await expect(answerWithin(new Promise(() => {}), 1)).rejects.toBeInstanceOf(RedisTimeout)
  })

  it('passes on what came, an error too', async () => {
    expect(await answerWithin(Promise.resolve('x'), 1000)).toBe('x')
    await expect(answerWithin(Promise.reject(new Error('no')), 1000)).rejects.toThrow('no')
  })

  it('does not blame Redis for a pause of this process: what is in the socket by then is in time', async () => {
    const server = await startRedis()
    const redis = new Redis(server.url)
    await redis.ping()
    const answer = answerWithin(redis.ping(), 5)
    // Sent now; the answer arrives while nothing runs here.
    await new Promise((resolve) => setImmediate(resolve))
    beBusyFor(60)
    expect(await answer).toBe('PONG')
    redis.disconnect()
    await server.close()
  })
})

describe('a failure', () => {
  it('is one word of ours, whatever Redis said', () => {
    const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' })
    expect(failureOf(reply("OOM command not allowed when used memory > 'maxmemory'."))).toBe('full')
    expect(failureOf(reply('WRONGTYPE Operation against a key'))).toBe('refused')
    expect(failureOf(new Error('Connection is closed.'))).toBe('unreachable')
    expect(failureOf(new RedisTimeout())).toBe('timeout')
    expect(failureOf('not even an error')).toBe('unreachable')
  })
})

it('a Redis is reached by its socket, out of reach of the machine’s other users', async () => {
  const server = await startRedis()
  const path = join(server.folder, 'redis.sock')
  const socket = createServer((client) =>
    pipeline(client, connect(server.port, server.host), client, () => {}),
  )
  await once(socket.listen(path), 'listening')
  const { cacheRedisUrl } = readEnvironment({ CACHE_REDIS_URL: `redis://localhost?path=${path}` })
  const redis = openRedisConnection({ url: cacheRedisUrl ?? '', name: 'x', silenceMaxMs: 30_000 })
  try {
    await untilTrue(() => redis.status === 'ready')
    await redis.set('a', '0')
    const beside = new Redis(server.url)
    expect(await beside.get('a')).toBe('0')
    beside.disconnect()
  } finally {
    await closeRedisConnection(redis)
    socket.close()
    await server.close()
  }
})

describe('P185: a Redis that follows another', () => {
  it('is connected to anew, wherever its name leads by then', async () => {
    const server = await startRedis()
    const way = await startTcpProxy({ upstream: server })
    const redis = openRedisConnection({
      url: `redis://${way.host}:${way.port}`,
      name: 'x',
      silenceMaxMs: 30_000,
    })
    const beside = new Redis(server.url)
    try {
      await untilTrue(() => redis.status === 'ready')
      await redis.set('a', '0')
      await beside.call('REPLICAOF', '127.0.0.1', '1')
      await expect(redis.set('a', '1')).rejects.toThrow('READONLY')
      await untilTrue(() => way.connections.taken === 2 && redis.status === 'ready')
      // Left now and then, not each time: what it holds is there to be read.
      for (let at = 0; at < 20; at++) {
        await expect(redis.set('a', '1')).rejects.toThrow('READONLY')
        expect(await redis.get('a')).toBe('0')
      }
      expect(way.connections.taken).toBe(2)
      await beside.call('REPLICAOF', 'NO', 'ONE')
      expect(await redis.set('a', '1')).toBe('OK')
    } finally {
      beside.disconnect()
      await closeRedisConnection(redis)
      await way.close()
      await server.close()
    }
  })

  it('P185: attack: is left by those who only listen there as well, when one who writes is told so', async () => {
    const server = await startRedis()
    const way = await startTcpProxy({ upstream: server })
    const open = () =>
      openRedisConnection({ url: `redis://${way.host}:${way.port}`, name: 'x', silenceMaxMs: 30_000 })
    const [writes, listens] = [open(), open()]
    const beside = new Redis(server.url)
    try {
      await untilTrue(() => writes.status === 'ready' && listens.status === 'ready')
      await listens.subscribe('a')
      await beside.call('REPLICAOF', '127.0.0.1', '1')
      await expect(writes.set('a', '1')).rejects.toThrow('READONLY')
      await untilTrue(() => way.connections.taken === 4 && listens.status === 'ready')
    } finally {
      beside.disconnect()
      await Promise.all([writes, listens].map(closeRedisConnection))
      await way.close()
      await server.close()
    }
  })
})

describe('P175: attack: whoever stands where Redis stood', () => {
  it.each([
    ['says nothing to somebody who asked nothing', '_\r\n_\r\n_\r\n_\r\n_\r\n_\r\n_\r\n'],
    ['tells what is no news', '>1\r\n_\r\n'],
    ['tells half of some news', '>1\r\n$9\r\nsubscribe\r\n'],
    ['answers with a number, whatever is asked', ':1\r\n'.repeat(7)],
    ['says what no Redis says', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['promises more than there is memory for', '*30000000\r\n'.repeat(64)],
    ['says a length that is none', '$*\r\nxxxxxxxx'],
    ['puts answers into answers', '*1\r\n'.repeat(100_000)],
    ['goes on with one answer', `$${2 ** 40}\r\n${'x'.repeat(1024 * 1024)}`],
  ])('and %s, ends that connection, and nothing else', async (_, said) => {
    let taken = 0
    const server = createServer((client) => {
      taken += 1
      client.on('error', () => {})
      const say = () => !client.destroyed && client.write(said, said.startsWith('$') ? say : undefined)
      client.on('data', say)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const redis = openRedisConnection({ url: `redis://127.0.0.1:${port}`, name: 'x', silenceMaxMs: 30_000 })
    redis.on('ready', () => redis.subscribe('x').catch(() => {}))
    await untilTrue(() => taken > 2)
    await closeRedisConnection(redis)
    server.close()
  })
})

it('P175: attack: who is bidden goodbye where Redis stood, and stays, is left', async () => {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => {})
    client.on('data', (asked) => client.write('+OK\r\n'.repeat(asked.toString().match(/^\*/gm)?.length ?? 0)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const redis = new Redis({ port, enableReadyCheck: false, disconnectTimeout: 100 })
  redis.on('error', () => {})
  await once(redis, 'ready')
  const gone = once(redis, 'end')
  expect(await redis.quit()).toBe('OK')
  await gone
  server.close()
})

describe('a circuit', () => {
  function circuit(probe: () => Promise<unknown>) {
    const changes: boolean[] = []
    const one = createCircuit({
      failuresMax: 3,
      probeEveryMs: 1,
      probe,
      onChange: () => void changes.push(one.isClosed()),
    })
    return { one, changes }
  }

  it('opens after some failures in a row, and not when an answer is among them', () => {
    const { one, changes } = circuit(() => new Promise(() => {}))
    one.failed(one.asked())
    one.failed(one.asked())
    one.succeeded()
    one.failed(one.asked())
    one.failed(one.asked())
    expect(one.isClosed()).toBe(true)
    one.failed(one.asked())
    expect(one.isClosed()).toBe(false)
    one.failed(one.asked())
    one.succeeded()
    expect(one.isClosed()).toBe(false)
    expect(changes).toEqual([false])
    one.end()
  })

  it('takes what was late together for one failure: a rush is no outage', () => {
    const { one } = circuit(() => new Promise(() => {}))
    const together = one.asked()
    for (let late = 0; late < 100; late++) one.failed(together)
    one.failed(one.asked())
    expect(one.isClosed()).toBe(true)
    one.failed(one.asked())
    expect(one.isClosed()).toBe(false)
    one.end()
  })

  it('closes when a probe of its own is answered, one at a time', async () => {
    let probes = 0
    let underway = 0
    let mostUnderway = 0
    const { one, changes } = circuit(async () => {
      probes++
      mostUnderway = Math.max(mostUnderway, ++underway)
      await new Promise((resolve) => setImmediate(resolve))
      underway--
      if (probes < 3) throw new Error('still away')
    })
    for (let n = 0; n < 3; n++) one.failed(one.asked())
    await untilTrue(() => one.isClosed())
    expect(probes).toBe(3)
    expect(mostUnderway).toBe(1)
    expect(changes).toEqual([false, true])
    one.failed(one.asked())
    one.failed(one.asked())
    expect(one.isClosed()).toBe(true)
    one.end()
  })
})

describe('the bus', () => {
  const origin = '123e4567-e89b-42d3-a456-426614174000'
  let server: TestRedis
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.close())

  it('reads what was described, and nothing else', () => {
    const changes: CacheChange[] = [
      { origin, how: 'store', company: '901012121', sections: ['enhet'] },
      { origin, how: 'soften', company: '901012121', sections: ['enhet', 'roller'] },
      { origin, how: 'erase', company: 'sok-a_B-1', sections: 'all' },
      { origin, how: 'purge', company: '*', sections: 'all' },
      { origin, how: 'purge', company: 'sok-*', sections: 'all' },
      // Whatever the sections are called that there are.
      ...keptSources.map((section) => ({
        origin,
        how: 'store' as const,
        company: '901012121',
        sections: [section],
      })),
      { origin, how: 'soften', company: '901012121', sections: keptSources },
    ]
    for (const change of changes) expect(readChange(describeChange(change))).toEqual(change)
    for (const line of [
      '',
      'x',
      `${origin} store 901012121`,
      `${origin} burn 901012121 *`,
      'x'.repeat(10_000),
    ]) {
      expect(readChange(line)).toBeNull()
    }
  })

  it('P105: hears its own channel, and counts and leaves what it does not understand', async () => {
    const doors: unknown[] = []
    const onUnreadable = (door: unknown) => void doors.push(door)
    subscribe(UNREADABLE_CHANNEL, onUnreadable)
    const events: unknown[] = []
    const bus = createBus({
      url: server.url,
      schemaVersion: 3,
      clock: createTestClock(),
      heartbeatMs: 1000,
      onEvent: (event) => void events.push(event),
    })
    const heard: CacheChange[] = []
    bus.onChange((change) => void heard.push(change))
    await untilTrue(() => bus.isListening())
    const teller = new Redis(server.url)
    const change: CacheChange = { origin, how: 'soften', company: '901012121', sections: 'all' }
    await teller.publish(channelOf(4), describeChange(change))
    await teller.publish(channelOf(3), 'nonsense')
    await teller.publish(channelOf(3), describeChange(change))
    await untilTrue(() => heard.length > 0)
    expect(heard).toEqual([change])
    expect(doors).toEqual(['buss'])
    unsubscribe(UNREADABLE_CHANNEL, onUnreadable)
    teller.disconnect()
    await bus.close()
    expect(events[0]).toEqual({ kind: 'bus-listening', isListening: true })
  })

  it('notices a peer that has vanished without a word, and listens again when it is back', async () => {
    const proxy = await startTcpProxy({ upstream: server })
    const bus = createBus({
      url: `redis://${proxy.host}:${proxy.port}`,
      schemaVersion: 3,
      clock: createTestClock(),
      heartbeatMs: 50,
      onEvent: () => {},
    })
    await untilTrue(() => bus.isListening())
    proxy.set({ kind: 'timeout', ms: 0 })
    await untilTrue(() => !bus.isListening())
    proxy.set()
    await untilTrue(() => bus.isListening())
    await bus.close()
    await proxy.close()
  })
})

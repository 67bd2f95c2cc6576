import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { policy } from '#config/policy.ts'
import { LET_GO_CHANNEL } from '#src/core/let-go.ts'
import { answerSocket } from '#src/http/server/answer-socket.ts'
import { openServer, type ServerBounds } from '#src/http/server/open-server.ts'
import { eventually } from '#test/support/eventually.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const MEGABYTE = 1024 * 1024
const ending: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ending.splice(0)) await end()
})

/** A server with the promised bounds, but for those that are given, and whoever connects to it. */
async function open(
  listener: RequestListener,
  bounds: Partial<ServerBounds> = {},
  trustProxy: readonly string[] | null = null,
) {
  const server = openServer({ ...policy.http, ...bounds }, { trustProxy, listener })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  ending.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const held = new Set<Socket>()
  server.on('connection', (socket) => {
    if (socket.destroyed) return
    held.add(socket)
    socket.once('close', () => held.delete(socket))
  })

  /** From an address of this machine's own: each is another network. */
  function client(from = '127.0.0.1'): Socket {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from })
    socket.on('error', () => {})
    ending.push(async () => socket.destroy())
    return socket
  }

  return { server, held, client, count: () => held.size }
}

/** Answers of all the requests sent so far, as they are asked to. */
function keeping() {
  const begun: ServerResponse[] = []
  const listener: RequestListener = (_request, response) => {
    begun.push(response)
  }
  return { begun, listener }
}

/** Counts the requests that are begun, and answers each. */
function counting() {
  const asked = { begun: 0 }
  const listener: RequestListener = (_request, response) => {
    asked.begun += 1
    response.end('well')
  }
  return { asked, listener }
}

/** Counts the pieces of bodies that are told of, before anybody looks at them. */
function telling(then: RequestListener) {
  const told = { pieces: 0 }
  const listener: RequestListener = (request, response) => {
    const push = request.push.bind(request)
    request.push = (piece) => {
      told.pieces += 1
      return push(piece)
    }
    then(request, response)
  }
  return { told, listener }
}

describe('requests that are sent along without waiting for answers', () => {
  it('P98: behind the one that is read are told as well when their client has left', async () => {
    const { begun, listener } = keeping()
    const { client } = await open(listener)
    const socket = client()
    socket.write(REQUEST.repeat(5))
    await eventually('all are begun', () => begun.length === 5)
    let told = 0
    for (const response of begun) response.once('close', () => (told += 1))
    socket.destroy()
    await eventually('all are told', () => told === 5)
    expect(begun.every((response) => response.destroyed)).toBe(true)
    // What is written to them then is nobody's fault.
    for (const response of begun) response.end('late')
  })

  it('P43: are begun sixteen at a time, and all answered, in order', async () => {
    const { begun, listener } = keeping()
    const { client } = await open(listener)
    const socket = client()
    let text = ''
    socket.setEncoding('latin1').on('data', (more: string) => {
      text += more
    })
    socket.write(REQUEST.repeat(60))
    await eventually('as many as may are begun', () => begun.length === 16)
    for (let index = 0; index < 60; index++) {
      await eventually(`number ${index} is begun`, () => begun.length > index)
      expect(begun.length).toBeLessThanOrEqual(index + 16)
      begun[index]?.end(`<${index}>`)
    }
    await eventually('the last is read', () => text.includes('<59>'))
    expect([...text.matchAll(/<(\d+)>/g)].map(([, index]) => Number(index))).toEqual([...Array(60).keys()])
  })

  it('P43: attack: of many connections, one of each is begun where all together are as many as may be', async () => {
    const { begun, listener } = keeping()
    const { client } = await open(listener, { pipelinedSumMax: 20 })
    const sockets = Array.from({ length: 5 }, (_, index) => client(`127.0.0.${2 + index}`))
    for (const socket of sockets) socket.write(REQUEST.repeat(60))
    // The first of each, and so many beside them.
    await eventually('as many as may are begun', () => begun.length === 25)
    const last = client('127.0.0.9')
    let text = ''
    last.setEncoding('latin1').on('data', (more: string) => {
      text += more
    })
    last.write(REQUEST.repeat(3))
    for (let index = 0; index < 3; index++) {
      await eventually('its next is begun', () => begun.length === 26 + index)
      begun.at(-1)?.end(`<${index}>`)
    }
    await eventually('the last is read', () => text.includes('<2>'))
    for (const response of begun.slice(0, 25)) response.end()
    await eventually('more of the others are begun', () => begun.length > 28)
  })

  it('P43: attack: wait in no greater number than may, whosoever they are: who adds another is ended', async () => {
    const { begun, listener } = keeping()
    const { client, count } = await open(listener, { pipelinedMax: 2, pipelinedWaitingSumMax: 100 })
    const [first, second, third] = [client('127.0.0.2'), client('127.0.0.3'), client('127.0.0.4')]
    first.write(REQUEST.repeat(51))
    await eventually('as many of the one as may are begun', () => begun.length === 2)
    second.write(REQUEST.repeat(51))
    await eventually('and of the other', () => begun.length === 4)
    third.write(REQUEST.repeat(5))
    await closed(third)
    await eventually('it is ended', () => count() === 2)
    // What those held who are gone is free again.
    first.destroy()
    await eventually('it is gone', () => count() === 1)
    const next = client('127.0.0.5')
    let text = ''
    next.setEncoding('latin1').on('data', (more: string) => {
      text += more
    })
    const before = begun.length
    next.write(REQUEST.repeat(2))
    await eventually('both are begun', () => begun.length === before + 2)
    for (const [index, response] of begun.slice(before).entries()) response.end(`<${index}>`)
    await eventually('both are read', () => text.includes('<1>'))
  })

  it('P43: more of them than a client could ever mean end the connection, and are never begun', async () => {
    const { begun, listener } = keeping()
    const { server, client, count } = await open(listener)
    let read = 0
    server.on('request', () => (read += 1))
    const socket = client()
    socket.write(REQUEST.repeat(2500))
    await closed(socket)
    await eventually('it is ended', () => count() === 0)
    expect(begun.length).toBe(1)
    // Nor is the rest of them made anything of.
    expect(read).toBeLessThanOrEqual(policy.http.pipelinedWaitingMax + 2)
  })

  it.each([
    ['without a host', 'GET / HTTP/1.1\r\n\r\n'],
    ['that expect what nobody knows', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n'],
  ])('P43: %s, which Node would answer by itself, wait and are ended as others', async (_, request) => {
    const { begun, listener } = keeping()
    const { client, count } = await open(listener)
    const socket = client()
    socket.write(request.repeat(60))
    await eventually('as many as may are begun', () => begun.length === 16)
    const flood = client()
    flood.write(request.repeat(1800))
    await closed(flood)
    await eventually('it is ended', () => count() === 1)
    expect(begun.length).toBe(17)
  })

  it('P173: with a body each, are begun one after another though each is answered before the next is looked at', async () => {
    const path = (index: number) => `POST /${index} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`
    const bodies = (count: number, trail = '') =>
      Array.from({ length: count }, (_, index) => `${path(index)}1\r\na\r\n0\r\n${trail}\r\n`).join('')
    const rounds: number[] = []
    let round = 0
    const { client, held } = await open((request, response) => {
      if (rounds.length === 0)
        setImmediate(function next() {
          round += 1
          if (held.size > 0) setImmediate(next)
        })
      rounds.push(round)
      request.resume().on('end', () => response.end(request.url))
    })
    const few = client()
    const asked = asking(few)
    few.write(bodies(8))
    expect(await asked.text(/(\/7)/)).toBe('/7')
    expect(new Set(rounds).size).toBe(8)

    const many = client()
    many.write(bodies(60, 'a:b\r\n'.repeat(90)))
    await closed(many.resume())
    expect(rounds.length).toBeLessThan(8 + 3)
  })

  it('P43: attack: on one connection after another are let go for a while, and on one that is kept or from another network they are not', async () => {
    const { asked, listener } = counting()
    const { client, count } = await open(listener, {
      pipelinedAWhile: { ...policy.http.pipelinedAWhile, ofOneMax: 100 },
    })
    const kept = client('127.0.0.3').resume()
    for (let go = 1; go <= 10; go++) {
      kept.write(REQUEST.repeat(16))
      await eventually('all of it is begun', () => asked.begun === go * 16)
    }
    asked.begun = 0
    for (let go = 0; go < 10; go++) {
      const socket = client('127.0.0.2').resume()
      socket.write(REQUEST.repeat(60))
      await eventually('it was read', () => socket.destroyed || socket.bytesRead > 0)
      socket.destroy()
      await eventually('it is gone', () => count() === 1)
    }
    expect(asked.begun).toBeLessThan(130)
    kept.write(REQUEST.repeat(16))
    await eventually('the one that is kept is read on', () => asked.begun > 16)
  })

  it('P43: attack: on one connection after another, each of which asked for little before, are let go for a while', async () => {
    const { asked, listener } = counting()
    const { client, count } = await open(listener, {
      pipelinedAWhile: { ...policy.http.pipelinedAWhile, ofOneMax: 100 },
    })
    for (let go = 0; go < 10; go++) {
      const socket = client('127.0.0.2').resume()
      const before = asked.begun
      socket.write(REQUEST.repeat(2))
      await eventually('the first are begun', () => socket.destroyed || asked.begun === before + 2)
      const { bytesRead } = socket
      socket.write(REQUEST.repeat(60))
      await eventually('it was read', () => socket.destroyed || socket.bytesRead > bytesRead)
      socket.destroy()
      await eventually('it is gone', () => count() === 0)
    }
    expect(asked.begun).toBeLessThan(150)
  })

  it('P173: are not read on with when their heads together have more lines than anybody means', async () => {
    const { begun, listener } = keeping()
    const { client } = await open(listener)
    const socket = client()
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${'a:b\r\n'.repeat(90)}\r\n`.repeat(30))
    await closed(socket.resume())
    expect(begun.length).toBeLessThan(3)
  })

  it('P43: are not begun for a client that does not read', async () => {
    let begun = 0
    const { client } = await open((_request, response) => {
      begun += 1
      response.end(Buffer.alloc(32 * MEGABYTE))
    })
    const socket = client().pause()
    socket.write(REQUEST)
    await eventually('the first is begun', () => begun === 1)
    socket.write(REQUEST.repeat(20))
    // Long enough for what would be read at once to be read.
    const other = client().resume()
    other.end(REQUEST)
    await closed(other)
    expect(begun).toBe(2)
  })

  it('P43: of a network that floods and floods: whoever behaves at the same address is answered, known before or not', async () => {
    const { client } = await open((_request, response) => response.end('well'), { gateRestMs: 10 })
    const known = asking(client('127.0.0.2'))
    await known.answered()
    let isOver = false
    const flooding = Array.from({ length: 3 }, async () => {
      let floods = 0
      for (; !isOver; floods += 1) {
        const socket = client('127.0.0.2')
        socket.write(REQUEST.repeat(2500))
        await closed(socket)
      }
      return floods
    })
    for (let round = 0; round < 2; round++) {
      await known.answered()
      const newcomer = client('127.0.0.2')
      await asking(newcomer).answered()
      newcomer.destroy()
    }
    isOver = true
    const floods = (await Promise.all(flooding)).reduce((sum, each) => sum + each, 0)
    expect(floods).toBeGreaterThan(policy.http.floodsMax)
  })

  it('P45: attack: whoever floods, and then holds all places of those who are to be read, keeps nobody out at the same address', async () => {
    const { client, count } = await open((_request, response) => response.end('well'), { gateRestMs: 10 })
    for (let flood = 0; flood < policy.http.floodsMax; flood++) {
      const socket = client('127.0.0.2')
      socket.write(REQUEST.repeat(2500))
      await closed(socket)
    }
    for (let each = 0; each < policy.http.gateUnprovenMax; each++) {
      client('127.0.0.2')
      await eventually('it waits', () => count() === each + 1)
    }
    for (let each = 0; each < policy.http.gateUnprovenMax; each++)
      await asking(client('127.0.0.2')).answered()
  })

  it('P43: attack: whoever comes behind three hundred who connect at one moment is not read behind them', async () => {
    const asked: string[] = []
    const { client } = await open(({ socket }, response) => {
      asked.push(socket.remoteAddress ?? '')
      // As dear as to go through what somebody sends as much of at once as they may.
      for (const since = performance.now(); performance.now() - since < 2; );
      response.end('well')
    })
    for (let each = 0; each < 300; each++) client(`127.0.3.${1 + (each % 100)}`).write(REQUEST)
    const newcomer = client('127.0.0.2')
    newcomer.write(REQUEST)
    await once(newcomer, 'data')
    expect(asked.indexOf('127.0.0.2')).toBeLessThan(150)
    await eventually('all are answered', () => asked.length === 301)
  })

  it('P45: attack: whoever floods, and then connects again and again without a pause, keeps nobody out at the same address', async () => {
    const { client } = await open((_request, response) => response.end('well'))
    for (let flood = 0; flood < policy.http.floodsMax; flood++) {
      const socket = client('127.0.0.2')
      socket.write(REQUEST.repeat(2500))
      await closed(socket)
    }
    for (let round = 0; round < 5; round++) {
      const silent = Array.from({ length: 100 }, () => client('127.0.0.2'))
      const newcomer = client('127.0.0.2')
      newcomer.write(REQUEST)
      expect(await Promise.race([once(newcomer, 'data').then(String), closed(newcomer)])).toContain('well')
      for (const each of silent.slice(0, 50)) each.destroy()
    }
  })

  it('P45: attack: whoever floods, and then connects again and again, has nobody let go who is being answered at the same address', async () => {
    const { begun, listener } = keeping()
    const { server, client, held } = await open(listener, { gateUnprovenMax: 8 })
    for (let flood = 0; flood < policy.http.floodsMax; flood++) {
      const socket = client('127.0.0.2')
      socket.write(REQUEST.repeat(2500))
      await closed(socket)
    }
    begun.length = 0
    const answered = asking(client('127.0.0.2')).answered()
    await eventually('it is being answered', () => begun.length === 1)
    const [asked] = held
    let taken = 0
    server.on('connection', () => {
      taken += 1
    })
    for (let each = 0; each < 20; each++) client('127.0.0.2')
    await eventually('they are taken', () => taken === 20)
    expect(asked?.destroyed).toBe(false)
    begun.at(-1)?.end('well')
    await answered
  })

  it('P43: attack: of a network that floods whoever behaves is answered, however busy others keep the process', async () => {
    let ofOthers = 0
    const { client } = await open(({ socket }, response) => {
      if (socket.remoteAddress === '127.0.0.3') ofOthers += 1
      for (const since = performance.now(); performance.now() - since < 0.3; );
      response.end('well')
    })
    const known = asking(client('127.0.0.2'))
    await known.answered()
    for (let flood = 0; flood < policy.http.floodsMax; flood++) {
      const socket = client('127.0.0.2').resume()
      socket.write(REQUEST.repeat(2500))
      await closed(socket)
    }
    for (let other = 0; other < 30; other++) {
      const socket = client('127.0.0.3')
      socket.on('data', () => socket.write(REQUEST)).write(REQUEST)
    }
    await eventually('others are answered', () => ofOthers > 300)
    ofOthers = 0
    await Promise.race([
      Promise.all([known.answered(), asking(client('127.0.0.2')).answered()]),
      eventually('others have had thousands of answers', () => ofOthers > 5000),
    ])
    expect(ofOthers).toBeLessThan(5000)
  })

  it('P43: attack: of a network that floods: what is dear and no flood ends the turn as well, and is followed by as long a rest', async () => {
    const begunAt: number[] = []
    const busyMs = 5
    const { client, count } = await open(
      (_request, response) => {
        begunAt.push(performance.now())
        while (performance.now() - (begunAt.at(-1) ?? 0) < busyMs);
        response.end('well')
      },
      { gateEveryMs: 100, gateRestTimes: 20 },
    )
    for (let flood = 0; flood < policy.http.floodsMax; flood++) {
      const socket = client('127.0.0.2')
      socket.write(REQUEST.repeat(2500))
      await closed(socket)
    }
    begunAt.length = 0
    const many = Array.from({ length: 12 }, () => asking(client('127.0.0.2')))
    await eventually('they are let in', () => count() === 12)
    await Promise.all(many.map(({ answered }) => answered()))
    // One is read, and the one with which it is found out how long that took.
    for (const [at, begun] of begunAt.slice(2).entries())
      expect(begun - (begunAt[at] ?? 0)).toBeGreaterThan(0.9 * 20 * busyMs)
  })

  it('P43: a network that floods again and again is read in turns, and nobody else waits for it', async () => {
    const at: number[] = []
    const { client, count } = await open(
      (request, response) => {
        if (request.socket.remoteAddress === '127.0.0.2') at.push(performance.now())
        response.end()
      },
      { gateRestMs: 50 },
    )
    const many = Array.from({ length: 8 }, () => client('127.0.0.2'))
    await eventually('they are let in', () => count() === 8)
    const all = Promise.all(many.map(closed))
    const wroteAt = performance.now()
    for (const socket of many) socket.write(REQUEST.repeat(2500))
    await asking(client('127.0.0.3')).answered()
    await all
    const begun = at.length
    expect(begun).toBeLessThanOrEqual(8)
    // Those beyond the first three had a rest between them, also where one was found out before it began.
    const later = at.slice(policy.http.floodsMax)
    expect(later.filter((each, index) => index > 0 && each - (later[index - 1] ?? 0) < 49)).toEqual([])
    expect(performance.now() - wroteAt).toBeGreaterThan(3 * 50)
  })

  it('P43: two hundred connections of one network that flood at one moment are mostly not even read', async () => {
    let begun = 0
    const { client, count } = await open(
      () => {
        begun += 1
      },
      { gateRestMs: 5, gateUnprovenMax: 8 },
    )
    const many = Array.from({ length: 200 }, () => client('127.0.0.2'))
    await eventually('they are let in', () => count() === 200)
    for (const socket of many) socket.write(REQUEST.repeat(2500))
    await Promise.all(many.map(closed))
    // Nor is anything begun of those that are, but the first of each: of some who had not been read yet, as many as are in one turn.
    expect(begun).toBeLessThanOrEqual(policy.http.floodsMax + 8 + 1 + policy.http.firstReadsATurnMax)
  })

  it('a proxy that floods is not kept out: it stands for many', async () => {
    const { listener } = keeping()
    const { client, count } = await open(listener, { floodsMax: 1 }, ['127.0.0.2/32'])
    const socket = client('127.0.0.2')
    socket.write(REQUEST.repeat(2500))
    await closed(socket)
    client('127.0.0.2')
    await eventually('it is let in', () => count() === 1)
  })
})

describe('a client that does not read what it asked for', () => {
  const slow = { unreadLookEveryMs: 20, unreadTimeoutMs: 100 }

  it('P43: is let go, with what waited for it', async () => {
    const { client, count } = await open((_request, response) => {
      response.end(Buffer.alloc(32 * MEGABYTE))
    }, slow)
    client().pause().write(REQUEST)
    await eventually('it is held', () => count() === 1)
    await eventually('it is let go', () => count() === 0)
  })

  it('is let go though the system’s buffers took it all, and it only looks idle', async () => {
    const { client, count } = await open((_request, response) => response.end('all'), { idleTimeoutMs: 100 })
    client().pause().write(REQUEST)
    await eventually('it is held', () => count() === 1)
    await eventually('it is let go', () => count() === 0)
  })

  it('is looked for by a timer that one request after another leaves as it is', async () => {
    const { client } = await open((_request, response) => response.end('all'))
    const set = vi.spyOn(Socket.prototype, 'setTimeout')
    try {
      const socket = client()
      for (let request = 0; request < 20; request++) {
        socket.write(REQUEST)
        await once(socket, 'data')
      }
      expect(set.mock.calls).toEqual([[policy.http.connectionTimeoutMs]])
    } finally {
      set.mockRestore()
    }
  })

  it('but takes some of it now and again keeps its connection, though not for ever', async () => {
    const { client, count, held } = await open(
      (_request, response) => {
        response.end(Buffer.alloc(32 * MEGABYTE))
      },
      { ...slow, unreadTimeoutMs: 2000, unreadForMsMax: 500 },
    )
    const socket = client().pause()
    const sipping = setInterval(() => socket.read(65_536), 10)
    socket.on('readable', () => {})
    socket.write(REQUEST)
    await eventually('it is behind', () => [...held].some(({ writableLength }) => writableLength > 0))
    await eventually('it is let go', () => count() === 0)
    clearInterval(sipping)
  })

  it('P43: gives way, the one with the most first, when all of them together hold too much', async () => {
    let begun = 0
    const sizes = [8, 32, 16].map((each) => each * MEGABYTE)
    const { client, held } = await open(
      (request, response) => {
        begun += 1
        response.end(Buffer.alloc(Number(request.headers['x-size'])))
      },
      { unreadLookEveryMs: 20, unreadBytesMax: 50 * MEGABYTE },
    )
    const sockets = sizes.map((size) => {
      const socket = client().pause()
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-Size: ${size}\r\n\r\n`)
      return socket
    })
    await eventually('one is let go', () => begun === 3 && held.size === 2)
    const ports = new Set([...held].map(({ remotePort }) => remotePort))
    expect(sockets.map(({ localPort }) => ports.has(localPort))).toEqual([true, false, true])
  })

  it.each([
    ['whoever holds less', null, '127.0.0.3', {}],
    ['whoever a proxy stands for', ['127.0.0.3/32'], '127.0.0.3', { 'X-Forwarded-For': '10.0.0.1' }],
  ])(
    'P43: gives way where its network holds the most, in however small pieces: %s has the rest of their answer',
    async (_who, trustProxy, from, headers) => {
      let begun = 0
      const { client, held } = await open(
        (request, response) => {
          begun += 1
          response.end(Buffer.alloc(Number(request.headers['x-size'])))
        },
        { unreadLookEveryMs: 20, unreadBytesMax: 50 * MEGABYTE },
        trustProxy,
      )
      const ask = (socket: Socket, size: number, more: Readonly<Record<string, string>> = {}) => {
        const lines = Object.entries({ Host: 'x', 'X-Size': String(size * MEGABYTE), ...more })
        socket
          .pause()
          .write(`GET / HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n`)
      }
      const other = client(from)
      ask(other, 24, headers)
      for (let one = 0; one < 4; one++) ask(client('127.0.0.2'), 12)
      await eventually('some of the network are let go', () => begun === 5 && held.size < 5)
      expect([...held].map(({ remotePort }) => remotePort)).toContain(other.localPort)
    },
  )
})

describe('connections', () => {
  it('P43: of one network are a share of all there are', async () => {
    const { client, count } = await open(() => {}, { connectionsPerNetworkMax: 5 })
    const many = Array.from({ length: 8 }, () => client('127.0.0.2'))
    await eventually('three are closed', () => many.filter(({ destroyed }) => destroyed).length === 3)
    await eventually('five are left', () => count() === 5)
    client('127.0.0.3')
    await eventually('another network has its own', () => count() === 6)
  })

  it.each([
    ['at the same address', null, { connectionsPerNetworkMax: 5 }],
    ['through the same proxy', ['127.0.0.2/32'], { connectionsMax: 5 }],
  ])(
    'P45: attack: whoever holds all there are and asks nothing keeps nobody out %s, and nobody who is at work gives way',
    async (_where, trustProxy, bounds) => {
      const working: ServerResponse[] = []
      const { client, count } = await open(
        (request, response) => {
          if (request.url === '/arbeid') working.push(response)
          else response.end('svar')
        },
        bounds,
        trustProxy,
      )
      const answered = (socket: Socket, path: string) => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
        const refused = once(socket, 'close').then(() => 'closed')
        return Promise.race([once(socket, 'data').then(String), refused])
      }
      const atWork = client('127.0.0.2')
      const work = answered(atWork, '/arbeid')
      await eventually('it is at work', () => working.length === 1)
      const idle = client('127.0.0.2')
      expect(await answered(idle, '/')).toContain('svar')
      const silent = Array.from({ length: 3 }, () => client('127.0.0.2'))
      await eventually('all are taken', () => count() === 5)
      for (let each = 0; each < 5; each++) expect(await answered(client('127.0.0.2'), '/')).toContain('svar')
      expect(silent.every(({ destroyed }) => destroyed)).toBe(true)
      working[0]?.end('gjort')
      expect(await work).toContain('gjort')
      await eventually('no more than there were', () => count() === 5)
    },
  )

  it.each([
    [
      'with requests of which the rest never comes',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n',
    ],
    ['with answers that are not read', 'GET /stor HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])(
    'P45: attack: whoever holds all there are %s keeps nobody out at the same address, and nobody who is at work gives way',
    async (_how, sends) => {
      const working: ServerResponse[] = []
      let begun = 0
      const { client, count } = await open(
        (request, response) => {
          begun += 1
          if (request.url === '/arbeid') working.push(response)
          else if (request.url === '/stor') response.end(Buffer.alloc(32 * MEGABYTE))
          else if (request.method === 'GET') response.end('svar')
        },
        { connectionsPerNetworkMax: 5 },
      )
      const atWork = client('127.0.0.2')
      const work = once(atWork, 'data').then(String)
      atWork.write('GET /arbeid HTTP/1.1\r\nHost: x\r\n\r\n')
      await eventually('it is at work', () => working.length === 1)
      for (let each = 0; each < 4; each++) client('127.0.0.2').pause().write(sends)
      await eventually('all are taken', () => begun === 5 && count() === 5)
      for (let each = 0; each < 4; each++) {
        await asking(client('127.0.0.2')).answered()
        client('127.0.0.2').pause().write(sends)
        await eventually('the attack goes on', () => begun === 7 + 2 * each)
      }
      working[0]?.end('gjort')
      expect(await work).toContain('gjort')
    },
  )

  it('P43: are given up by the network with the most, its oldest first, when all are taken', async () => {
    const { client, count, held } = await open(() => {}, { connectionsMax: 6 })
    const many: Socket[] = []
    for (let index = 0; index < 5; index++) {
      many.push(client('127.0.0.2'))
      await eventually('it is let in', () => count() === index + 1)
    }
    client('127.0.0.3')
    await eventually('all are taken', () => count() === 6)
    client('127.0.0.4')
    await closed(many[0] as Socket)
    await eventually(
      'the newcomer is in',
      () => new Set([...held].map((each) => each.remoteAddress)).size === 3,
    )
    expect(many.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false, false])
    // Whoever has as many as anybody gets no more.
    for (let index = 0; index < 4; index++) client('127.0.0.5')
    await eventually('they share', () => crowds(held).join() === '2,1,1,2')
  })

  it('of a proxy are not counted: they are many clients’', async () => {
    const { client, count } = await open(() => {}, { connectionsPerNetworkMax: 2 }, ['127.0.0.2', '::1'])
    for (let index = 0; index < 8; index++) client('127.0.0.2')
    await eventually('all are let in', () => count() === 8)
  })
})

describe('P166: connections that were answered and ask nothing', () => {
  const bounds = { connectionsAtEaseMax: 10, atEaseLeftMs: 0, unfinishedLookEveryMs: 10 }

  it('give way where there are many, of the networks with the most those that were silent for longest', async () => {
    const { client, held } = await open((_request, response) => response.end('well'), bounds)
    const idle: Socket[] = []
    const ask = async (from: string) => {
      const socket = client(from)
      idle.push(socket)
      await asking(socket).answered()
    }
    await ask('127.0.0.3')
    await ask('127.0.0.4')
    for (let index = 0; index < 8; index += 1) await ask('127.0.0.2')
    const busy = setInterval(() => idle[2]?.write(REQUEST), 2)
    for (let index = 0; index < 5; index += 1) await ask('127.0.0.5')
    await eventually('as many are left as may', () => held.size === 10)
    clearInterval(busy)
    // Of the first network, which has the most, all but one or two of those that go, the oldest first; who asks keeps theirs.
    const gone = idle.map(({ destroyed }) => destroyed)
    const ofFirst = gone.slice(3, 10).filter(Boolean).length
    expect(gone.filter(Boolean)).toHaveLength(5)
    expect(ofFirst).toBeGreaterThanOrEqual(4)
    expect(gone.slice(0, 10)).toEqual([...Array(10).keys()].map((at) => at >= 3 && at < 3 + ofFirst))
  })

  it('are left to those that asked lately, up to twice as many', async () => {
    const { client, held } = await open((_request, response) => response.end('well'), {
      ...bounds,
      atEaseLeftMs: 60_000,
    })
    const idle: Socket[] = []
    for (let index = 0; index < 25; index += 1) {
      const socket = client('127.0.0.2')
      idle.push(socket)
      await asking(socket).answered()
    }
    await eventually('those beyond have given way', () => held.size === 20)
    expect(idle.map(({ destroyed }) => destroyed)).toEqual([...Array(5).fill(true), ...Array(20).fill(false)])
  })

  it('leave those that are at work theirs, and what a proxy keeps ready', async () => {
    const { begun, listener } = keeping()
    const { client, held } = await open(listener, bounds, ['127.0.0.9'])
    const waiting = Array.from({ length: 12 }, () => client('127.0.0.2'))
    for (const socket of waiting) socket.write(REQUEST)
    const ofProxy = Array.from({ length: 20 }, () => client('127.0.0.9'))
    for (const socket of ofProxy) socket.write(REQUEST)
    const idle = client('127.0.0.3')
    idle.write(REQUEST)
    await eventually('all are begun', () => begun.length === 33)
    for (const response of begun) if (response.req.socket.remoteAddress !== '127.0.0.2') response.end('well')
    await closed(idle.resume())
    await eventually('it is gone', () => held.size === 32)
    for (const response of begun) response.end('well')
    await eventually('they give way when they have been answered', () => held.size === 30)
  })
})

describe('P148: a body in pieces of a byte', () => {
  const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
  const PIECE = '1\r\na\r\n'

  it('comes whole, in order, and in as few as it was read in', async () => {
    const pieces: string[] = []
    const { client } = await open((request, response) => {
      request
        .setEncoding('latin1')
        .on('data', (piece: string) => pieces.push(piece))
        .on('end', () => response.setHeader('connection', 'close').end('well'))
    })
    const socket = client()
    const large = 'b'.repeat(1000)
    socket.write(`${HEAD + PIECE.repeat(1500)}3e8\r\n${large}\r\n${PIECE.repeat(1500)}0\r\n\r\n`)
    expect(await readToTheEnd(socket)).toMatch(/well/)
    expect(pieces.join('')).toBe('a'.repeat(1500) + large + 'a'.repeat(1500))
    expect(pieces.length).toBeLessThan(30)
  })

  it('that nobody reads is held in what it says', async () => {
    const bodies: IncomingMessage[] = []
    const { client } = await open((request) => void bodies.push(request))
    client().write(HEAD + PIECE.repeat(3000))
    await eventually('all of it is there', () => bodies[0]?.readableLength === 3000)
    const buffers = (bodies[0] as unknown as { _readableState: { buffer: unknown[] } })._readableState.buffer
    expect(buffers.length).toBeLessThan(20)
  })

  it('P154: is read however many they are, and however they were cut', async () => {
    const { client } = await open(
      (request, response) => {
        let text = ''
        if (request.method === 'GET') response.end()
        request
          .setEncoding('latin1')
          .on('data', (piece: string) => {
            text += piece
          })
          .on('end', () => response.end(`${text.length} ${text.replaceAll(/923609016,|a/g, '').length}`))
      },
      { pieceRestMs: 0.001 },
    )
    const socket = client()
    const asked = asking(socket)
    const number = 'a\r\n923609016,\r\n'
    socket.write(`${HEAD}${PIECE.repeat(30_000)}${number.repeat(20_000)}0\r\n\r\n`)
    expect(await asked.text(/\r\n\r\n(.+)/)).toBe('230000 0')
    await asked.answered()
  })

  it('P154: is read in turns, a rest after each, and nobody else waits for them', async () => {
    const read = new Map<string | undefined, number>()
    const { client, count } = await open(
      (request, response) => {
        const { remoteAddress } = request.socket
        request
          .on('data', (piece: Buffer) =>
            read.set(remoteAddress, (read.get(remoteAddress) ?? 0) + piece.length),
          )
          .on('end', () => response.end())
        if (request.method === 'GET') response.end()
      },
      { pieceRestMs: 1000 },
    )
    const forty = `28\r\n${'a'.repeat(40)}\r\n`
    for (const from of ['127.0.0.2', '127.0.0.3']) client(from).write(HEAD + forty.repeat(9000))
    await eventually('both are begun', () => read.size === 2)
    for (let round = 0; round < 20; round += 1) await asking(client('127.0.0.4')).answered()
    // One go of each, and of one of them what came in its turn: 64 kB are 1,400 pieces.
    const sum = [...read.values()].reduce((bytes, each) => bytes + each, 0)
    expect(sum).toBeLessThan(4 * 1400 * 40)
    expect(count()).toBe(22)
  })

  it('P154: attack: of a proxy’s clients one network’s twenty connections leave another’s its turn', async () => {
    const goes: string[] = []
    const { client } = await open(
      (request) => {
        const of = String(request.headers['x-forwarded-for'])
        request.on('data', () => goes.push(of))
      },
      { pieceRestMs: 0.02 },
      ['127.0.0.1'],
    )
    const sends = (of: string) =>
      client().write(HEAD.replace('\r\n', `\r\nX-Forwarded-For: ${of}\r\n`) + PIECE.repeat(60_000))
    const [crowd, other] = ['203.0.113.1', '203.0.113.2']
    for (let at = 0; at < 20; at += 1) sends(crowd)
    await eventually('all of the crowd are begun', () => goes.length >= 20)
    sends(other)
    await eventually('the other is read again', () => goes.filter((of) => of === other).length === 2)
    const [first, second] = [goes.indexOf(other), goes.lastIndexOf(other)]
    expect(second - first).toBeLessThan(10)
  })

  it('P154: attack: on one connection after another, with what fills a turn each, are let go for a while, and another network is read', async () => {
    const { told, listener } = telling((_request, response) => response.end('well'))
    const { client, count } = await open(listener, {
      piecesAWhile: { ...policy.http.piecesAWhile, ofOneMax: 40 },
    })
    const goes = 10
    for (let go = 0; go < goes; go++) {
      const socket = client('127.0.0.2').resume()
      socket.write(HEAD + PIECE.repeat(10_000))
      await eventually('it was read', () => (told.pieces > 0 && socket.bytesRead > 0) || socket.destroyed)
      socket.destroy()
      await eventually('it is gone', () => count() === 0)
    }
    expect(told.pieces).toBeLessThan(20_000 + goes * 1000)
    const other = client('127.0.0.3')
    const asked = asking(other)
    other.write(`${HEAD}${PIECE.repeat(3000)}0\r\n\r\n`)
    expect(await asked.text(/(well)/)).toBe('well')
  })

  it('P154: attack: on one connection after another, a few hundred on each, are let go for a while as well', async () => {
    const { told, listener } = telling((_request, response) => response.end('well'))
    const { client, count } = await open(listener, {
      piecesAWhile: { ...policy.http.piecesAWhile, ofOneMax: 20 },
    })
    const goes = 20
    for (let go = 0; go < goes; go++) {
      const socket = client('127.0.0.2').resume()
      const before = told.pieces
      socket.write(HEAD + PIECE.repeat(400))
      await eventually('it was read', () => told.pieces === before + 400 || socket.destroyed)
      socket.destroy()
      await eventually('it is gone', () => count() === 0)
    }
    expect(told.pieces).toBeLessThan(goes * 250)
  })

  it('P154: where others have sent as many, are the end of the connection, and no more of them are told', async () => {
    const { told, listener } = telling(
      (request, response) => void request.on('data', () => {}).on('end', () => response.end('well')),
    )
    const { client, count } = await open(listener, { piecesATurnMax: 1000 })
    for (const pieces of [PIECE.repeat(10_000), `a;a=b\r\n${'a'.repeat(10)}\r\n`.repeat(3000)]) {
      told.pieces = 0
      const socket = client()
      socket.write(HEAD + pieces)
      await closed(socket)
      await eventually('it is gone', () => count() === 0)
      expect(told.pieces).toBeLessThan(policy.http.piecesMax + 10)
      // Whoever is given the same parser is heard to the end.
      const next = client()
      const asked = asking(next)
      next.write(`${HEAD}1\r\na\r\n0\r\n\r\n`)
      expect(await asked.text(/(well)/)).toBe('well')
      next.destroy()
      await eventually('it is gone as well', () => count() === 0)
    }
  })
})

describe('P153: what is sent of requests that are not whole', () => {
  const bounds = { unfinishedBytesMax: 100_000, unfinishedEachBytes: 1000, unfinishedLeftMs: 0 }
  const half = (bytes: number) =>
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${2 * bytes}\r\n\r\n${'a'.repeat(bytes)}`
  const receiving: RequestListener = (request, response) => {
    if (request.method === 'GET') response.end('well')
    else request.resume().on('end', () => response.end('well'))
  }
  const from = (address: string, held: ReadonlySet<Socket>) =>
    [...held].filter(({ remoteAddress }) => remoteAddress === address).length

  it('is bounded, all of it together: the network with the most gives up what it has sent longest ago', async () => {
    const { client, held } = await open(receiving, bounds)
    const other = client('127.0.0.3')
    const asked = asking(other)
    other.write(half(15_000))
    await eventually('it has begun', () => held.size === 1)
    const many: Socket[] = []
    for (let index = 0; index < 30; index += 1) {
      const socket = client('127.0.0.2')
      many.push(socket)
      socket.write(half(15_000))
      await once(socket, 'connect')
    }
    await eventually('they share what there is', () => from('127.0.0.2', held) === 5)
    await eventually('they are told', () => many.slice(0, 25).every((each) => each.destroyed))
    expect(many.slice(25).map(({ destroyed }) => destroyed)).toEqual(Array(5).fill(false))
    other.write('a'.repeat(15_000))
    expect(await asked.text(/\r\n\r\n(.+)/)).toBe('well')
  })

  it('is counted with what a connection takes that sends nothing, and half a head', async () => {
    const { client, held } = await open(receiving, bounds)
    const other = client('127.0.0.3')
    await eventually('it is let in', () => held.size === 1)
    for (let index = 0; index < 150; index += 1) client('127.0.0.2').write(index % 2 === 0 ? '' : 'GET / HT')
    await eventually('no more are held than may be', () => from('127.0.0.2', held) === 99)
    await asking(other).answered()
  })

  it('is counted with the heads of what is asked next, which Node tells nobody of', async () => {
    const { begun, listener } = keeping()
    const { client, held } = await open(listener, {
      ...bounds,
      headerBytesMax: 1000,
      unfinishedLookEveryMs: 10,
    })
    const waiting = Array.from({ length: 20 }, () => client('127.0.0.2'))
    for (const socket of waiting) socket.write(REQUEST)
    await eventually('they are begun', () => begun.length === 20)
    const heads: Socket[] = []
    const idle: Socket[] = []
    for (let index = 0; index < 150; index += 1) {
      const socket = client('127.0.0.2')
      socket.write(REQUEST)
      await eventually('it is begun', () => begun.length === 21 + index)
      begun.at(-1)?.end('well')
      await once(socket, 'data')
      if (index % 2 === 0) idle.push(socket)
      else heads.push(socket)
    }
    for (const socket of heads) socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
    await eventually('as many have begun as may', () => heads.filter((each) => each.destroyed).length === 25)
    expect([...waiting, ...idle].filter(({ destroyed }) => destroyed)).toEqual([])
    expect(held.size).toBe(145)
  })

  it('leaves who has begun a moment to come to the end, in which newcomers give way', async () => {
    const { client, held } = await open(receiving, { ...bounds, unfinishedLeftMs: 60_000 })
    const first = Array.from({ length: 3 }, () => client('127.0.0.2'))
    for (const socket of first) socket.write(half(15_000))
    await eventually('they have begun', () => held.size === 3)
    const others = Array.from({ length: 30 }, () => client('127.0.0.2'))
    for (const socket of others) socket.write(half(15_000))
    await eventually('they give way', () => others.filter(({ destroyed }) => destroyed).length >= 27)
    const asked = first.map(asking)
    for (const socket of first) socket.write('a'.repeat(15_000))
    for (const each of asked) expect(await each.text(/\r\n\r\n(.+)/)).toBe('well')
  })

  it('leaves the only one of a network the moment, where a crowd has one of each of as many networks', async () => {
    const { client, held } = await open(receiving, { ...bounds, unfinishedLeftMs: 1000 })
    for (let index = 0; index < 95; index += 1) client(`127.0.6.${1 + index}`)
    await eventually('they are there', () => held.size === 95)
    const begunAt = performance.now()
    await eventually('their moment is over', () => performance.now() - begunAt > 1000)
    const only = client('127.0.0.3')
    const asked = asking(only)
    only.write(half(15_000))
    await eventually('it has begun', () => from('127.0.0.3', held) === 1)
    for (let index = 0; index < 30; index += 1) client(`127.0.7.${1 + index}`)
    const newcomers = () => [...held].filter(({ remoteAddress }) => remoteAddress?.startsWith('127.0.7.'))
    await eventually('others give way', () => newcomers().length === 30)
    only.write('a'.repeat(15_000))
    expect(await asked.text(/\r\n\r\n(.+)/)).toBe('well')
  })

  it('is refused where a head has more lines than anybody means', async () => {
    const { client, server } = await open((_request, response) => response.end('well'), {
      headerLinesMax: 10,
    })
    const told: unknown[] = []
    server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
      told.push(error.code)
      socket.destroy()
    })
    const head = (lines: number) => REQUEST.replace('Host', `${'a: b\r\n'.repeat(lines - 1)}Host`)
    const socket = client()
    socket.write(head(10))
    await once(socket, 'data')
    for (const lines of [11, 500]) {
      const refused = client()
      refused.write(head(lines).repeat(20))
      await closed(refused)
    }
    // Once each: nothing is made of those behind it.
    expect(told).toEqual(Array(2).fill('HPE_HEADER_OVERFLOW'))
  })

  it('is counted no more when it is whole and read, however long its answer takes', async () => {
    let whole = 0
    const { client, count } = await open((request) => {
      request.resume().on('end', () => {
        whole += 1
      })
    }, bounds)
    for (let index = 0; index < 50; index += 1) {
      client('127.0.0.2').write(half(5000) + 'a'.repeat(5000))
      await eventually('it is whole', () => whole === index + 1)
    }
    expect(count()).toBe(50)
  })

  it('is counted where it is whole and nobody has read it, behind a request that takes its time', async () => {
    const { client, count } = await open(() => {}, bounds)
    const whole = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n${'a'.repeat(9000)}`
    client('127.0.0.2').write(REQUEST + whole.repeat(12))
    await eventually('it was let in', () => count() === 0)
  })

  it('is that of whoever a proxy stands for', async () => {
    const { client, held } = await open(receiving, bounds, ['127.0.0.2'])
    const sent = (who: string) => half(15_000).replace('Host', `X-Forwarded-For: ${who}\r\nHost`)
    const other = client('127.0.0.2')
    const asked = asking(other)
    other.write(sent('10.0.0.1'))
    await eventually('it has begun', () => held.size === 1)
    const many = Array.from({ length: 30 }, () => client('127.0.0.2'))
    for (const socket of many) socket.write(sent('10.0.0.2'))
    const ended = () => many.filter(({ destroyed }) => destroyed).length
    await eventually('they share what there is', () => ended() === 25 && held.size === 6)
    other.write('a'.repeat(15_000))
    expect(await asked.text(/\r\n\r\n(.+)/)).toBe('well')
    // What the proxy keeps ready is its own affair.
    const before = held.size
    for (let index = 0; index < 150; index += 1) client('127.0.0.2')
    await eventually('all are let in', () => held.size === before + 150)
    await asking(client('127.0.0.2')).answered()
    expect(held.size).toBe(before + 151)
  })
})

describe('P155: who is answered before all that they send has come', () => {
  const SOON = {
    requestTimeoutMs: 300,
    headersTimeoutMs: 200,
    connectionsCheckingIntervalMs: 50,
    unreadLookEveryMs: 50,
    connectionTimeoutMs: 120_000,
  }
  const tooSlow = (_error: Error, socket: Duplex) =>
    answerSocket(socket as Socket, { status: 408, headers: {}, body: 'too slow' })

  it.each([
    ['and says it is the last', 'Connection: close\r\n', () => {}],
    ['and was read in part', '', (request: IncomingMessage) => void request.once('data', () => {})],
    [
      'and was read in part, and says it is the last',
      'Connection: close\r\n',
      (request: IncomingMessage) => void request.once('readable', () => request.read(10)),
    ],
  ])('reads the answer (%s)', async (_how, header, read) => {
    const { client, count } = await open((request, response) => {
      read(request)
      if (request.method === 'GET') response.end('well')
      else response.writeHead(413).end('too long')
    })
    const socket = client()
    const asked = asking(socket)
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${header}Content-Length: ${MEGABYTE}\r\n\r\n`)
    for (let sent = 0; sent < MEGABYTE; sent += 65_536) {
      if (!socket.write('a'.repeat(65_536))) await Promise.race([once(socket, 'drain'), closed(socket)])
    }
    expect(await asked.text(/(too long)/)).toBe('too long')
    if (header === '') await asked.answered()
    else await eventually('it is closed', () => count() === 0)
  })

  it('and never comes to its end is let go all the same', async () => {
    const { client, count } = await open((_request, response) => response.end('too long'), {
      requestTimeoutMs: 300,
      headersTimeoutMs: 200,
      connectionsCheckingIntervalMs: 50,
    })
    const socket = client()
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n')
    await closed(socket.resume())
    await eventually('it is let go', () => count() === 0)
  })

  it('P43: attack: and sends no more of it, nor ends the connection, is not kept for as long as a silent one may be', async () => {
    const { server, client, count } = await open(() => {}, { ...SOON, endedQuietMs: 100 })
    server.on('clientError', tooSlow)
    const socket = client()
    socket.allowHalfOpen = true
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
    await eventually('it is let in', () => count() === 1)
    await eventually('it is let go', () => count() === 0)
  })

  it('P43: attack: and goes on sending for ever is let go when its time is up', async () => {
    const { server, client, count } = await open(() => {}, { ...SOON, endedForMsMax: 500 })
    server.on('clientError', tooSlow)
    const socket = client()
    socket.allowHalfOpen = true
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n')
    await eventually('it is let in', () => count() === 1)
    const sending = setInterval(() => socket.write('a'), 20)
    await eventually('it is let go', () => count() === 0)
    clearInterval(sending)
  })
})

describe('P43: a body that is still coming when its request has been answered', () => {
  const HEAD = 'GET / HTTP/1.1\r\nHost: x\r\n'
  const answering: RequestListener = (_request, response) => void response.end('well')

  it('is left out when it is as long as a list may be, and the next question is answered', async () => {
    const { client } = await open(answering)
    const socket = client()
    const asked = asking(socket)
    socket.write(`${HEAD}Content-Length: ${2 * MEGABYTE}\r\n\r\n`)
    await once(socket, 'data')
    socket.write('a'.repeat(2 * MEGABYTE))
    await asked.answered()
  })

  it.each([
    ['in one piece', `${HEAD}Content-Length: 1000000000000\r\n\r\n`, 'a'.repeat(65_536)],
    ['in pieces', `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, `100\r\n${'a'.repeat(256)}\r\n`.repeat(256)],
    ['in crumbs', `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'.repeat(10_000)],
  ])('that never ends ends the connection, which is a flood (%s)', async (_how, head, more) => {
    const { client, count } = await open(answering, { requestTimeoutMs: 0, connectionTimeoutMs: 0 })
    const socket = client()
    socket.write(head)
    await once(socket, 'data')
    const sending = setInterval(() => socket.destroyed || socket.write(more), 1)
    ending.push(async () => clearInterval(sending))
    await closed(socket)
    await eventually('it is ended', () => count() === 0)
  })
})

describe('P197: whoever is let go of for what they take of others is told of, with why', () => {
  const told: unknown[] = []
  const hear = (why: unknown) => void told.push(why)
  beforeEach(() => {
    told.length = 0
    subscribe(LET_GO_CHANNEL, hear)
  })
  afterEach(() => unsubscribe(LET_GO_CHANNEL, hear))

  it('who sends along more than anybody means', async () => {
    const { client } = await open(keeping().listener)
    const socket = client()
    socket.write(REQUEST.repeat(policy.http.pipelinedWaitingMax + 100))
    await closed(socket.resume())
    expect(told).toEqual(['flom'])
  })

  it('who sends a body in more pieces than anybody means', async () => {
    const { client } = await open((request) => void request.resume(), { piecesMax: 10, piecesATurnMax: 10 })
    const socket = client()
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    socket.write('1\r\na\r\n'.repeat(1000))
    await closed(socket.resume())
    expect(told).toEqual(['flom'])
  })

  it('who has more connections than there are', async () => {
    const { client } = await open(keeping().listener, { connectionsPerNetworkMax: 1 })
    const first = client()
    await once(first, 'connect')
    client()
    await closed(first.resume())
    expect(told).toEqual(['trangt'])
  })

  it('who does not read', async () => {
    const { client, count } = await open((_request, response) => response.end(Buffer.alloc(32 * MEGABYTE)), {
      unreadBytesMax: MEGABYTE,
      unreadLookEveryMs: 20,
    })
    client().pause().write(REQUEST)
    await eventually('it is let in', () => count() === 1)
    await eventually('it is let go', () => count() === 0)
    expect(told).toEqual(['ulest'])
  })

  it('P197: attack: who takes nothing of what they asked for, and has little of it', async () => {
    const { client, count } = await open((_request, response) => response.end(Buffer.alloc(32 * MEGABYTE)), {
      unreadTimeoutMs: 50,
      unreadLookEveryMs: 20,
    })
    client().pause().write(REQUEST)
    await eventually('it is let in', () => count() === 1)
    await eventually('it is let go', () => count() === 0)
    expect(told).toEqual(['ulest'])
  })

  it('and who is silent is none of them', async () => {
    const { client, count } = await open(keeping().listener, { connectionTimeoutMs: 50 })
    client()
    await eventually('it is let in', () => count() === 1)
    await eventually('it is let go', () => count() === 0)
    expect(told).toEqual([])
  })

  it('who leaves half a request, where all together take too much', async () => {
    const { client } = await open(keeping().listener, { unfinishedBytesMax: 0, unfinishedLookEveryMs: 20 })
    const socket = client()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
    await closed(socket.resume())
    expect(told).toEqual(['halvt'])
  })

  it('P197: attack: who sends half a request, is told that it took too long, and leaves; and nobody who sends nothing', async () => {
    const { server, client, count } = await open(keeping().listener, {
      headersTimeoutMs: 50,
      requestTimeoutMs: 100,
      connectionsCheckingIntervalMs: 20,
    })
    server.on('clientError', (_error, socket: Socket) =>
      answerSocket(socket, { status: 408, headers: {}, body: '' }),
    )
    const [half, silent] = [client(), client()]
    half.write('GET / HTTP/1.1\r\nHost: x\r\n')
    await Promise.all([closed(half.resume()), closed(silent.resume())])
    await eventually('they have left', () => count() === 0)
    expect(told).toEqual(['halvt'])
  })

  it('and nobody who asks and leaves', async () => {
    const { client, count } = await open(counting().listener)
    const socket = client()
    await asking(socket).answered()
    socket.destroy()
    await eventually('it has left', () => count() === 0)
    expect(told).toEqual([])
  })
})

describe('P147: a server that closes', () => {
  const soon = { closeUnusedMs: 50, closeUnfinishedMs: 100, closeUnreadMs: 150 }
  /** Nobody is let go for being slow. */
  const patient = { connectionTimeoutMs: 600_000, idleTimeoutMs: 600_000, unreadTimeoutMs: 600_000 }
  const HALF = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n'

  it('waits for no client: not for one that has sent nothing, half a head or half a body, nor for one that reads nothing', async () => {
    const { server, client, count } = await open(
      (request, response) => {
        request.resume()
        if (request.method === 'GET') response.end(Buffer.alloc(32 * MEGABYTE))
        if (request.method === 'PUT') response.end()
      },
      { ...soon, ...patient },
    )
    const sent = ['', HALF, `${HALF}\r\nhalf`, REQUEST]
    for (const text of sent) client().pause().write(text)
    const kept = client()
    kept.write('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n')
    await once(kept, 'data')
    kept.write(HALF)
    await eventually('they are let in', () => count() === sent.length + 1)
    const isOver = once(server, 'close')
    server.close()
    await isOver
    await eventually('nothing of them is left', () => count() === 0)
  })

  it('waits for nobody who is not answered: whoever stands in a line that is too long is cut off in time', async () => {
    const { begun, listener } = keeping()
    const { server, client, count } = await open(listener, {
      ...soon,
      closeUnansweredMs: 200,
      connectionTimeoutMs: 0,
    })
    const waiting = Array.from({ length: 20 }, () => client())
    for (const socket of waiting) socket.write(REQUEST)
    await eventually('all are begun', () => begun.length === waiting.length)
    const isOver = once(server, 'close')
    server.close()
    await isOver
    await eventually('nothing of them is left', () => count() === 0)
  })

  it('answers what was on its way, and what it is answering', async () => {
    const { begun, listener } = keeping()
    const { server, client, count } = await open(listener, soon)
    const [before, late, unused] = [client(), client(), client()]
    before.write(REQUEST)
    await eventually('one is begun', () => begun.length === 1 && count() === 3)
    const isOver = once(server, 'close')
    server.close()
    late.write(REQUEST)
    await closed(unused.resume())
    await eventually('the other is begun', () => begun.length === 2)
    const answers = Promise.all([before, late].map(readToTheEnd))
    for (const response of begun) response.setHeader('connection', 'close').end('well')
    for (const answer of await answers) expect(answer).toMatch(/^HTTP\/1\.1 200 OK.*well/s)
    await isOver
  })
})

async function readToTheEnd(socket: Socket): Promise<string> {
  let text = ''
  for await (const more of socket.setEncoding('latin1')) text += more
  return text
}

/** Somebody who asks and waits for the answer, again and again, on one connection. */
function asking(socket: Socket) {
  let text = ''
  socket.setEncoding('latin1').on('data', (more: string) => {
    text += more
  })
  return {
    async answered(): Promise<void> {
      const before = text.length
      socket.write(REQUEST)
      await eventually('it is answered', () => text.length > before && text.includes('200 OK'))
    },
    /** What stands there, when it does. */
    async text(pattern: RegExp): Promise<string | undefined> {
      await eventually('it is told', () => pattern.test(text))
      return pattern.exec(text)?.[1]
    },
  }
}

/** However it comes about: a connection that is ended in the middle is reset. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

function crowds(held: ReadonlySet<Socket>): number[] {
  const sizes = new Map<string, number>()
  for (const { remoteAddress = '' } of held) sizes.set(remoteAddress, (sizes.get(remoteAddress) ?? 0) + 1)
  return [...sizes].sort(([a], [b]) => a.localeCompare(b)).map(([, size]) => size)
}

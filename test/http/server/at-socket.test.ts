import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type RequestOptions, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { BY_SOCKET, createNetworkList } from '#src/core/client-network.ts'
import { ConfigurationError } from '#src/core/errors.ts'
import { createDoors, listenAtSocket, removeLeft } from '#src/http/server/at-socket.ts'
import { openServer } from '#src/http/server/open-server.ts'
import { eventually } from '#test/support/eventually.ts'

let folder: string
const ending: (() => unknown)[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sockets-'))
})
afterEach(async () => {
  for (const end of ending.splice(0)) await end()
  rmSync(folder, { recursive: true, force: true })
})

describe('an application at a Unix socket besides', () => {
  async function open() {
    const refused: string[] = []
    const doors = createDoors(
      (listener, isAtSocket) => openServer(policy.http, { trustProxy: [BY_SOCKET], isAtSocket, listener }),
      (error, socket) => {
        refused.push(error.message)
        socket.destroy()
      },
    )
    const app = Fastify({
      serverFactory: doors.serverFactory,
      trustProxy: createNetworkList([BY_SOCKET]),
      forceCloseConnections: 'idle',
    })
    doors.giveTo(app)
    app.get('/ip', async ({ ip }) => ip)
    const held = Promise.withResolvers<string>()
    app.get('/held', () => held.promise)
    const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
    const socketPath = join(folder, 'd.sock')
    await app.listenAtSocket({ path: socketPath, exclusive: true })
    ending.push(() => app.close())
    return { app, refused, held, byPort: { host: '127.0.0.1', port }, bySocket: { socketPath } }
  }

  it('P196: who comes by it is believed about whom they stand for; who comes by the port is not', async () => {
    const { byPort, bySocket } = await open()
    const headers = { 'x-forwarded-for': '198.51.100.7' }
    expect(await ask({ ...bySocket, path: '/ip', headers })).toBe('198.51.100.7')
    expect(await ask({ ...byPort, path: '/ip', headers })).toBe('127.0.0.1')
    // Nor does it help to write the address that stands for a socket.
    const twice = { 'x-forwarded-for': `198.51.100.7, ${BY_SOCKET}` }
    expect(await ask({ ...byPort, path: '/ip', headers: twice })).toBe('127.0.0.1')
    expect(await ask({ ...bySocket, path: '/ip' })).toBe(BY_SOCKET)
  })

  it('P196: what is no request is refused as at the port', async () => {
    const { refused, bySocket } = await open()
    await expect(ask({ ...bySocket, path: '/ip', headers: { x: 'x'.repeat(20_000) } })).rejects.toThrow()
    expect(refused).toEqual(['Parse Error: Header overflow'])
  })

  it('P196: closed, it answers whoever is being answered, takes nobody more, and leaves nothing behind', async () => {
    const { app, held, bySocket } = await open()
    const answer = ask({ ...bySocket, path: '/held' })
    await ask({ ...bySocket, path: '/ip' })
    const closing = app.close()
    await eventually('it is gone', () => !existsSync(bySocket.socketPath))
    held.resolve('well')
    expect(await answer).toBe('well')
    await closing
    await expect(ask({ ...bySocket, path: '/ip' })).rejects.toThrow()
  })

  it('P196: attack: who listens on and on at it holds up no end of a side that lets go of everybody', async () => {
    // Servers that wait for as long as they are listened to.
    const doors = createDoors(
      (listener) => createServer(listener),
      () => {},
    )
    const app = Fastify({ serverFactory: doors.serverFactory, forceCloseConnections: true })
    doors.giveTo(app)
    app.get('/followed', (_request, reply) => {
      reply.hijack()
      reply.raw.write('so far')
    })
    const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
    const socketPath = join(folder, 'd.sock')
    await app.listenAtSocket({ path: socketPath, exclusive: true })
    const cutOff: Promise<void>[] = []
    for (const by of [{ host: '127.0.0.1', port }, { socketPath }]) {
      const [answer] = await once(request({ agent: false, path: '/followed', ...by }).end(), 'response')
      ending.push(() => answer.destroy())
      cutOff.push(expect(once(answer.resume(), 'end')).rejects.toThrow('aborted'))
    }
    await app.close()
    await Promise.all(cutOff)
  })
})

describe('a socket', () => {
  const server = () => {
    const made = createServer((_request, response) => response.end('well'))
    ending.push(() => made.close())
    return made
  }

  it('P196: attack: its folder is made closed to others, and one that is open to them, or that its group may write in, is refused', async () => {
    const path = join(folder, 'new', 'd.sock')
    await listenAtSocket(server(), { path })
    expect(statSync(join(folder, 'new')).mode & 0o077).toBe(0)
    expect(await ask({ socketPath: path, path: '/' })).toBe('well')

    const open = join(folder, 'open')
    mkdirSync(open)
    for (const mode of [0o701, 0o704, 0o702, 0o755, 0o770, 0o720]) {
      chmodSync(open, mode)
      const listening = listenAtSocket(server(), { path: join(open, 'd.sock') })
      await expect(listening).rejects.toThrow(/^SOCKET_DIR: \S+ is another user's, or open to others\. /)
      await expect(listening).rejects.toBeInstanceOf(ConfigurationError)
    }
    chmodSync(open, 0o750)
    await listenAtSocket(server(), { path: join(open, 'd.sock') })
  })

  it('P196: that a killed process left is taken away; one at which somebody listens is not, nor is what is none', async () => {
    const path = join(folder, 'd.sock')
    const child = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen('${path}', () => console.log('on'))`,
    ])
    await once(child.stdout, 'data')
    await expect(listenAtSocket(server(), { path, exclusive: true })).rejects.toThrow(
      `SOCKET_DIR: ${path} is used by another process of the service, which is running.`,
    )
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(existsSync(path)).toBe(true)
    await listenAtSocket(server(), { path, exclusive: true })
    expect(await ask({ socketPath: path, path: '/' })).toBe('well')

    const file = join(folder, 'file')
    writeFileSync(file, 'somebody’s')
    await removeLeft(file)
    await expect(listenAtSocket(server(), { path: file, exclusive: true })).rejects.toThrow(
      `SOCKET_DIR: ${file} can not be used (EADDRINUSE).`,
    )
    expect(existsSync(file)).toBe(true)
  })
})

/** @returns the body. @throws when there is no answer, or none of 200 */
async function ask(options: RequestOptions): Promise<string> {
  const asked = request({ agent: false, ...options }).end()
  const [answer] = await once(asked, 'response')
  let body = ''
  for await (const piece of answer.setEncoding('utf8')) body += piece
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${body}`)
  return body
}

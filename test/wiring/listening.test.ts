import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ConfigurationError } from '#src/core/errors.ts'
import { listening } from '#src/wiring/listening.ts'

const HOST = '127.0.0.1'
let other: Server
let taken: number

beforeAll(async () => {
  other = await begin(0, HOST)
  const address = other.address()
  taken = typeof address === 'object' && address !== null ? address.port : 0
})
afterAll(() => void other.close())

it('a port that is taken is told in one line with its variable', async () => {
  const operators = listening(begin(taken, HOST), { opsPort: taken, opsHost: HOST })
  await expect(operators).rejects.toBeInstanceOf(ConfigurationError)
  await expect(operators).rejects.toThrow(
    `OPS_PORT: 127.0.0.1:${taken} can not be used for the operators' side (EADDRINUSE). Is another process of the service running here? Set OPS_PORT to another port, or to 0 for any that is free.`,
  )
  await expect(listening(begin(taken, HOST), { opsPort: 0, opsHost: HOST })).rejects.toThrow(
    `PORT: 127.0.0.1:${taken} can not be used for the public side (EADDRINUSE). Is another process of the service running here? Set PORT to another port, or to 0 for any that is free.`,
  )
})

it('so is a name that is no address', async () => {
  const nowhere = 'nowhere.invalid'
  await expect(listening(begin(0, nowhere), { opsPort: 0, opsHost: HOST })).rejects.toThrow(
    /^HOST: nowhere\.invalid is no address of this machine \(E[A-Z_]+\)\.$/,
  )
  await expect(listening(begin(0, nowhere), { opsPort: 0, opsHost: nowhere })).rejects.toThrow(/^OPS_HOST: /)
})

it('what else goes wrong is left as it is', async () => {
  const error = new Error('something else')
  await expect(listening(Promise.reject(error), { opsPort: taken, opsHost: HOST })).rejects.toBe(error)
})

async function begin(port: number, host: string): Promise<Server> {
  const server = createServer().listen(port, host)
  await once(server, 'listening')
  return server
}

import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Ports of the loopback nobody listens on now, all different. Below those the system gives to whoever asks for any (32768 and
 * up on Linux, 49152 elsewhere): no connection out and no server on port 0 takes one before it is used, or while the process
 * that was killed there is started again.
 */
export async function freePorts(count: number): Promise<number[]> {
  const free = new Set<number>()
  for (let tries = 0; free.size < count; tries++) {
    if (tries === TRIES_MAX) throw new Error(`${count} free ports were not found in ${TRIES_MAX} tries`)
    const port = randomInt(FIRST, END)
    if (await isFree(port)) free.add(port)
  }
  return [...free]
}

/** Above 10080, the last of those that `fetch` refuses to go to. */
const FIRST = 11_000
const END = 32_768
const TRIES_MAX = 1000

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}

import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

type Given = Readonly<Record<string, string | undefined>>

/**
 * The variables of where a demo is: what the environment says, else the usual ports and folder, and the next ones where another
 * program, another demo for one, has them.
 *
 * @param open is called again with others when a port was taken in between
 */
export async function inDemoPlace<T>(
  env: Given,
  open: (place: Record<string, string>) => Promise<T>,
): Promise<T> {
  const folder = env.DATA_DIR || claimFolder()
  for (let tries = 0; ; tries++) {
    const port = env.PORT || String(await freePort(8080, env.HOST))
    const opsPort = env.OPS_PORT || String(await freePort(Math.max(8080, Number(port)) + 1, env.HOST))
    const place = {
      DATA_DIR: folder,
      LOG_FILE: env.LOG_FILE ?? join(folder, 'bedriftsoppslag.log'),
      PORT: port,
      OPS_PORT: opsPort,
    }
    try {
      return await open(place)
    } catch (error) {
      if (tries === 20 || !isOfTakenPort(error, [env.PORT, env.OPS_PORT])) throw error
    }
  }
}

/** The first of .data/demo, .data/demo-2, … that no demo which runs has its process number in. */
function claimFolder(): string {
  for (let number = 1; ; number++) {
    const folder = join('.data', number === 1 ? 'demo' : `demo-${number}`)
    mkdirSync(folder, { recursive: true })
    const claim = join(folder, 'pid')
    if (!isHeld(claim)) rmSync(claim, { force: true })
    try {
      writeFileSync(claim, String(process.pid), { flag: 'wx' })
      return folder
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function isHeld(claim: string): boolean {
  try {
    process.kill(Number(readFileSync(claim, 'utf8')), 0)
    return true
  } catch (error) {
    // EPERM: it runs, and is another user's. Otherwise there is no such process, or no claim.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function freePort(from: number, host = '127.0.0.1'): Promise<number> {
  for (let port = from; port < 65_536; port++) {
    const server = createServer().listen(port, host)
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
  throw new Error(`No port from ${from} up is free`)
}

function isOfTakenPort(error: unknown, given: readonly (string | undefined)[]): boolean {
  const { code, port } = ((error as Error).cause ?? {}) as { code?: string; port?: number }
  return code === 'EADDRINUSE' && !given.includes(String(port))
}

import { once } from 'node:events'
import { chmod, lstat, stat, unlink } from 'node:fs/promises'
import type { RequestListener, Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { ConfigurationError, OppslagError } from '#src/core/errors.ts'
import { makePrivate } from '#src/core/private-folder.ts'

/** `exclusive`: this process's own, where several fronts share the other; `backlog`: who may wait to be taken (node:net). */
export type SocketAddress = { readonly path: string; readonly exclusive?: boolean; readonly backlog?: number }

declare module 'fastify' {
  interface FastifyInstance {
    /** The same application at a Unix socket besides, until it is closed. @throws ConfigurationError that names SOCKET_DIR */
    listenAtSocket(address: SocketAddress): Promise<void>
  }
}

/**
 * The servers under an application: the one at its port, and a second at a Unix socket where one is wanted, with all its bounds for itself,
 * so that whatever comes to the port leaves it its connections.
 *
 * @param open makes one, with the application's own listener
 * @param onClientError answers what never became a request
 */
export function createDoors(
  open: (listener: RequestListener, isAtSocket: boolean) => Server,
  onClientError: (error: Error, socket: Socket) => void,
) {
  let listener: RequestListener = () => {}
  let listening: Promise<Server> | null = null
  let closed: Promise<unknown> = Promise.resolve()

  async function listen(address: SocketAddress): Promise<Server> {
    const server = open(listener, true)
    server.on('clientError', onClientError)
    await listenAtSocket(server, address)
    return server
  }

  return {
    /** For the framework. */
    serverFactory(its: RequestListener): Server {
      listener = its
      return open(its, false)
    },

    /** The socket ends with the application. */
    giveTo(app: FastifyInstance): void {
      app.decorate('listenAtSocket', async (address) => {
        listening = listen(address)
        await listening
      })
      // Both let go of their clients at the same time, and of the same: the framework knows of the port's alone.
      app.addHook('preClose', async () => {
        const server = await listening?.catch(() => null)
        if (!server) return
        closed = once(server, 'close')
        if (app.initialConfig.forceCloseConnections === true) server.closeAllConnections()
        server.close()
      })
      app.addHook('onClose', async () => void (await closed))
    },
  }
}

/**
 * Whoever may enter the folder may connect.
 *
 * @throws ConfigurationError that names SOCKET_DIR
 */
export async function listenAtSocket(server: Server, address: SocketAddress): Promise<void> {
  const { path, exclusive = false } = address
  try {
    const folder = dirname(path)
    await makePrivate(folder)
    await refuseOpenToAll(folder)
    if (exclusive) await removeLeft(path)
    server.listen({ ...address, exclusive })
    await once(server, 'listening')
    await chmod(path, 0o666)
  } catch (error) {
    throw explained(error, path)
  }
}

/**
 * Takes away the socket of a process that was killed: nobody can listen there before. Fronts that share one have it taken away before the
 * first of them begins.
 *
 * @throws ConfigurationError when somebody listens there
 */
export async function removeLeft(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found?.isSocket() !== true) return
  if (await isAnswered(path)) {
    throw new ConfigurationError(
      `SOCKET_DIR: ${path} is used by another process of the service, which is running.`,
    )
  }
  await unlink(path)
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch (error) {
    // Refused: nobody listens any more. Whatever else it is, somebody may.
    return !(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')
  } finally {
    socket.destroy()
  }
}

/**
 * Who comes by it is believed to be a proxy, and who may write in the folder could put a socket of theirs in its place, and be shown what
 * an operator comes with: it is this user's or root's, they alone may write in it, and it is closed to all but them and the group it is
 * given to.
 *
 * @throws ConfigurationError
 */
async function refuseOpenToAll(folder: string): Promise<void> {
  const { uid, mode } = await stat(folder)
  const own = process.getuid?.()
  if (own === undefined || ((uid === own || uid === 0) && (mode & TOO_MUCH) === 0)) return
  throw new ConfigurationError(
    `SOCKET_DIR: ${folder} is another user's, or open to others. Make it one of this user's with the mode 0700, or 0750 and the group of ` +
      'the web server.',
  )
}

/** Whatever others may, and what the group may write. */
const TOO_MUCH = 0o027

function explained(error: unknown, path: string): unknown {
  if (error instanceof OppslagError || !(error instanceof Error) || !('code' in error)) return error
  return new ConfigurationError(`SOCKET_DIR: ${path} can not be used (${error.code}).`, { cause: error })
}

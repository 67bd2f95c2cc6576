import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { rest } from '#src/core/wait.ts'
import { openWaitingRoom, type WaitingAddress, type WaitingRoom } from '#src/http/waiting-room.ts'
import { readVersion } from '#src/ops/version.ts'
import { listening } from './listening.ts'

type Obstacle = { del: string; kode: string; tekst: string }
export type StartWait = ReturnType<typeof createStartWait>

/**
 * Where a process that is not open yet says so: that it lives, and what it waits for. Whoever starts it would take its silence for
 * death and end it, in the middle of what it waits for, again and again. Once it has begun to say so it goes on at each address until
 * the service is about to listen there: who comes in between would be turned away.
 *
 * @param addresses where it will listen
 */
export function createStartWait(environment: Environment, addresses: readonly WaitingAddress[]) {
  let room: WaitingRoom | null = null
  let obstacle: Obstacle | null = null
  /** The service has begun to listen at some of them. */
  let isLeft = false

  /** @throws ConfigurationError when it can not listen there */
  async function say(what: Obstacle): Promise<void> {
    obstacle = what
    if (room !== null) return
    const opening = openWaitingRoom(addresses, {
      version: readVersion(environment),
      state: () => ({ klar: false, hindringer: obstacle === null ? [] : [obstacle], mangler: [] }),
      publicUrl: environment.publicUrl ?? `http://${environment.host}:${environment.port}`,
      trustProxy: environment.trustProxy,
      policy: policy.http,
    })
    room = await listening(opening, environment)
    isLeft = false
  }

  async function close(): Promise<void> {
    await room?.close()
    room = null
  }

  return {
    say,
    close,
    /** The service listens at these next. */
    async leave(some: readonly WaitingAddress[]): Promise<void> {
      isLeft = true
      await room?.leave(some)
    },
    /** The service is opened anew: where it has not begun to listen, whoever comes is answered all the while. */
    async goOn(): Promise<void> {
      if (isLeft) await close()
    },
    /** Says so while the work takes longer than a start does. Where it can not listen it is told when the service is to. */
    async during<T>(work: Promise<T>, what: Obstacle): Promise<T> {
      const over = new AbortController()
      const saying = rest(policy.startup.quickMs, over.signal)
        .then(() => (over.signal.aborted ? undefined : say(what)))
        .catch(() => {})
      try {
        return await work
      } finally {
        over.abort()
        await saying
      }
    },
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { StorageUnavailableError } from '#src/storage/database.ts'
import type { Fleet, Front } from '../fleet.ts'

type Answer = { status: number; text: string; headers: Headers }

/** Whoever may be answered by nobody, since a front or a store is dead. What no front may answer is kept in `wrong`. */
export function createAsking(fleet: Fleet) {
  const wrong: string[] = []

  /** @returns null when nobody answered */
  async function ask(front: Front, path: string, init: RequestInit = {}): Promise<Answer | null> {
    try {
      const asked = { redirect: 'manual', signal: AbortSignal.timeout(30_000), ...init } as const
      const answer = await fetch(fleet.addressOf(front).front + path, asked)
      const { status, headers } = answer
      const text = await answer.text()
      if (status >= 500 && !(status === 503 && headers.has('retry-after')))
        wrong.push(`${front} answered ${path} with ${status}: ${text.slice(0, 200)}`)
      return { status, text, headers }
    } catch {
      return null
    }
  }

  return {
    wrong,
    ask,
    get: (front: Front, path: string, token: string) =>
      ask(front, path, { headers: { authorization: `Bearer ${token}` } }),
    /** As the pages' forms do, each from a network of its own. */
    send: (front: Front, path: string, fields: Record<string, string>, network: string) =>
      ask(front, path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { 'x-forwarded-for': network },
      }),
    /** What PostgreSQL says when it is there again. */
    async rows<T extends Record<string, unknown>>(text: string, values: unknown[] = []): Promise<T[]> {
      for (let tries = 0; ; tries += 1) {
        try {
          return await fleet.postgres.database.query<T>(text, values)
        } catch (error) {
          if (!(error instanceof StorageUnavailableError) || tries > 200) throw error
          await pause(200)
        }
      }
    },
  }
}

export type Asking = ReturnType<typeof createAsking>

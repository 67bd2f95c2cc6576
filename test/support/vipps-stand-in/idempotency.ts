import { createHash } from 'node:crypto'
import type { Reply } from '../register-stand-in/reply.ts'
import { problem } from './problems.ts'

/**
 * What was answered under an idempotency key: the same request gets the same answer, a success as well as a refusal, and
 * another request under the same key is refused. Answers that pass (401, 403, 423, 429, 5xx) are not kept.
 */
export function createAnswered() {
  const kept = new Map<string, { request: string; reply: Reply }>()

  return {
    once(scope: string, key: string | null, request: string, work: () => Reply): Reply {
      if (key === null) return work()
      const name = `${scope} ${key}`
      const digest = createHash('sha256').update(request).digest('hex')
      const before = kept.get(name)
      if (before !== undefined) return before.request === digest ? before.reply : conflict()
      const reply = work()
      if (isKept(reply)) kept.set(name, { request: digest, reply })
      return reply
    },
  }
}

function conflict(): Reply {
  return problem(409, 'Idempotency-Key used with another body', { errorCode: 4020 })
}

export function isKept({ status }: Reply): boolean {
  return status < 500 && ![401, 403, 423, 429].includes(status)
}

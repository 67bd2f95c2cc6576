import type { Redis } from 'ioredis'

/** An answer, behind the number of the question it is the answer to. */
export type Numbered<T> = [number: string | Buffer, answer: T]

/**
 * Redis says in no answer what it was asked: each is taken for the answer to the question that has waited longest. Whatever stands
 * between, and says one twice, or loses one, or changes two, would have every reader behind it be given another company, whole, and who
 * is removed be shown. So what is shown or kept of an answer is asked for with a number, which comes back with it. Of a connection that
 * answers another question than was asked nothing is taken, and it is made anew.
 */
export function createInStep() {
  let last = 0

  return async function inStep<T>(
    redis: Pick<Redis, 'disconnect'>,
    ask: (number: string) => Promise<Numbered<T>>,
  ): Promise<T> {
    last += 1
    const number = String(last)
    const told: unknown = await ask(number)
    const [of, answer] = Array.isArray(told) ? told : []
    if (String(of) !== number) {
      redis.disconnect(true)
      throw new Error('the answer is not to the question that was asked')
    }
    // The command outlives its answer: see `read` of `redis-tier.ts`.
    if (Array.isArray(told)) told.length = 0
    return answer
  }
}

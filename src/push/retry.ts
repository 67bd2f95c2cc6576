import type { AfterFailure } from '#src/storage/push/sending.ts'
import type { Attempt } from './send.ts'

export type RetryPolicy = {
  /** From one attempt at a delivery to the next; after the last of them it is given up. */
  attemptsAfterMs: readonly number[]
  /** Each is so much shorter or longer by chance, so that what failed together does not come back together. */
  jitter: number
  pauseFirstMs: number
  pauseMostMs: number
  /** What a receiver asks for in Retry-After is heeded up to this. */
  retryAfterMostMs: number
}

/**
 * When a delivery is tried again, and how long the endpoint is left alone. A receiver that refuses one message may well take the next;
 * one that is silent, or says that it is too much, is given time: twice as much for each failure in a row.
 *
 * @param attempts at this delivery, this one too; `failuresInARow` of the endpoint, this one too
 */
export function afterFailure(
  { status, retryAfterSeconds }: Pick<Attempt, 'status' | 'retryAfterSeconds'>,
  { attempts, failuresInARow }: { attempts: number; failuresInARow: number },
  policy: RetryPolicy,
  random: () => number = Math.random,
): AfterFailure {
  const askedMs = Math.min((retryAfterSeconds ?? 0) * 1000, policy.retryAfterMostMs)
  const next = policy.attemptsAfterMs[attempts - 1]
  const againInMs =
    next === undefined ? null : Math.max(askedMs, next * (1 - policy.jitter + 2 * policy.jitter * random()))
  const isOverwhelmed = status === null || TOO_MUCH.includes(status) || askedMs > 0
  const patience = isOverwhelmed ? 0 : REFUSALS_BORNE
  const pauseMs =
    failuresInARow <= patience
      ? 0
      : Math.min(policy.pauseMostMs, policy.pauseFirstMs * 2 ** Math.min(failuresInARow - patience - 1, 30))
  return { againInMs, pauseMs: Math.max(askedMs, pauseMs) }
}

const TOO_MUCH: readonly number[] = [429, 502, 503, 504]
/** Messages a receiver may refuse one after another before it is taken to be out of order. */
const REFUSALS_BORNE = 4

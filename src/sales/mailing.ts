import { createHash, randomBytes } from 'node:crypto'
import { abortAfter } from '#src/core/wait.ts'
import type { MailOutcome } from '#src/mail/outcome.ts'
import { claimErrand, type Errand, finishErrand, postponeErrand } from '#src/storage/errands.ts'
import type { SalesContext } from './context.ts'
import type { Letter } from './ports.ts'

/**
 * Sends one letter within the time a mail may take. One that is under way when the process is told to end gets a moment to
 * come to its answer: without one a second mail has to go.
 */
export async function sendLetter(
  {
    post,
    policy,
    log,
  }: Pick<SalesContext, 'post' | 'log'> & {
    policy: Pick<SalesContext['policy'], 'mailDeadlineMs' | 'mailFinishMs'>
  },
  letter: Letter,
  ending: AbortSignal,
): Promise<MailOutcome> {
  const deadline = new AbortController()
  const sent = abortAfter(policy.mailDeadlineMs, deadline)
  let finished = () => {}
  const finish = () => {
    finished = abortAfter(policy.mailFinishMs, deadline)
  }
  if (ending.aborted) finish()
  ending.addEventListener('abort', finish, { once: true })
  try {
    return await post.send(letter, { signal: deadline.signal })
  } catch (error) {
    // A fault of ours. Taken for no answer, which is the most careful thing to take it for.
    log.error({ err: error, slag: letter.kind }, 'a letter could not be sent')
    return 'unknown'
  } finally {
    ending.removeEventListener('abort', finish)
    sent()
    finished()
  }
}

/** The same for one attempt and another for each: a receiver that knows it need not show a mail twice. */
export function messageId({ mailDomain }: Pick<SalesContext, 'mailDomain'>, errand: Errand): string {
  return `<${errand.gjelder}.${errand.slag}.${errand.nr}.${errand.forsok}@${mailDomain}>`
}

/** When an attempt is followed by the next; the last pause is that of all after it. */
export function retryAt(pausesMs: readonly number[], attempts: number, at: Date): Date {
  const pauseMs = pausesMs[Math.min(attempts, pausesMs.length) - 1] ?? pausesMs.at(-1) ?? 0
  return new Date(at.getTime() + pauseMs)
}

/** The text of a link, which is in the mail alone, and the form in which it is stored. 256 bits. */
export function makeLink(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: linkHash(token) }
}

export function linkHash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/**
 * One attempt at a mail that holds nothing that has to be taken back when it does not arrive.
 * Safe to run twice: at worst the mail goes twice, unless `isAtMostOnce`, when a mail that may have arrived is not repeated.
 *
 * @param write the letter, once the errand is taken on; null when there is nothing to write any more; `not yet` when it is not for
 *   this release to say, and the errand is left as it is
 */
export async function mailErrand(
  context: SalesContext,
  errand: Errand,
  {
    signal,
    write,
    isAtMostOnce = false,
    giveUpAfterMs = context.policy.deliverForMs,
    send = (letter) => sendLetter(context, letter, signal),
  }: {
    signal: AbortSignal
    write: (errand: Errand, at: Date) => Promise<Letter | 'not yet' | null>
    isAtMostOnce?: boolean
    giveUpAfterMs?: number
    send?: (letter: Letter) => Promise<MailOutcome>
  },
): Promise<void> {
  const { db, clock, log, policy } = context
  const at = clock.now()
  const until = new Date(at.getTime() + policy.leaseMs)
  const claimed = await claimErrand(db, errand, { at, until })
  if (claimed === null) return
  // Taken on before, by somebody who did not come back: that mail may have gone.
  if (isAtMostOnce && errand.omgang < errand.forsok) return finishErrand(db, errand, 'ukjent', at)
  const letter = await write(claimed, at)
  if (letter === 'not yet') return
  if (letter === null) return finishErrand(db, errand, 'uaktuell', at)
  const outcome = await send(letter)
  const now = clock.now()
  if (outcome === 'accepted') return finishErrand(db, errand, 'sendt', now)
  if (outcome === 'refused_recipient') return finishErrand(db, errand, 'adresse_avvist', now)
  if (outcome === 'unknown' && isAtMostOnce) return finishErrand(db, errand, 'ukjent', now)
  if (now.getTime() - errand.laget.getTime() >= giveUpAfterMs) {
    log.error({ arend: errand.id, slag: errand.slag }, 'a mail was given up')
    return finishErrand(db, errand, 'oppgitt', now)
  }
  await postponeErrand(db, claimed, retryAt(policy.mailRetryMs, claimed.forsok, now), { isRefused: true })
}

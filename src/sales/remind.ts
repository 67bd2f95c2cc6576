import { daysLeft } from '#src/core/key-expiry.ts'
import { DAY_MS } from '#src/core/units.ts'
import { type Errand, putErrand } from '#src/storage/errands.ts'
import { findChainOfKey } from '#src/storage/key-chain.ts'
import { dueReminders } from '#src/storage/reminders.ts'
import { insertKeyLink } from '#src/storage/replacements.ts'
import type { SalesContext } from './context.ts'
import { mailErrand, makeLink, messageId } from './mailing.ts'

/**
 * Writes down the reminders that are due: at most one of each kind for a key, since the errand has the kind for its number,
 * however many look at the same time. Of kinds that were missed only the nearest is sent.
 */
export async function writeReminders({ db, clock, policy }: SalesContext): Promise<void> {
  const at = clock.now()
  // The nearest first: one that was written keeps the farther ones away.
  for (const days of [...policy.reminderDays].sort((a, b) => a - b)) {
    const due = await dueReminders(db, { at, days, limit: policy.pageSize })
    for (const { kjede, nokkel } of due) {
      await putErrand(db, { slag: 'paaminn', gjelder: kjede, nr: days, nokkel, notBefore: at }, at)
    }
  }
}

/** Mails a reminder with a link that buys the next year. A mail that may have arrived is not sent again. */
export async function sendReminder(
  context: SalesContext,
  errand: Errand,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { db, links, policy } = context
  const { nokkel } = errand
  await mailErrand(context, errand, {
    signal,
    isAtMostOnce: true,
    giveUpAfterMs: DAY_MS,
    async write(claimed, at) {
      const chain = nokkel === null ? null : await findChainOfKey(db, nokkel, at)
      if (chain === null || chain.epost === null) return null
      const { token, hash } = makeLink()
      const validUntil = new Date(chain.utloper.getTime() + policy.renewForMs)
      await insertKeyLink(db, { hash, slag: 'forny', nokkel: chain.nokkel, grunn: null, validUntil })
      return {
        kind: 'reminder',
        to: chain.epost,
        keyId: chain.nokkel,
        daysLeft: daysLeft(chain.utloper, at.getTime()),
        expires: chain.utloper,
        url: links.renew(token),
        messageId: messageId(context, claimed),
      }
    },
  })
}

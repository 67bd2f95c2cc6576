import { expiryOf } from '#src/core/key-expiry.ts'
import type { MailOutcome } from '#src/mail/outcome.ts'
import { claimErrand, type Errand, finishErrand, postponeErrand } from '#src/storage/errands.ts'
import { isKeyUsed, markKeySent, voidKey } from '#src/storage/key-chain.ts'
import { findOrder, type StoredOrder } from '#src/storage/orders.ts'
import type { SalesContext } from './context.ts'
import { type MailedKey, makeMailedKey } from './mailed-key.ts'
import { messageId, retryAt, sendLetter } from './mailing.ts'
import { deliverBy } from './order.ts'
import { holdOrder, recordFact } from './record-fact.ts'
import { failpoint } from './steps.ts'

type Attempt = { errand: Errand; keyId: string; epost: string; utloper: Date }

/**
 * One attempt to mail the key of a paid order. Each attempt is a key of its own: its hash is stored before the mail goes, so
 * that what arrives works, and the key itself is gone when this returns. What is certain not to have arrived is void; what
 * may have arrived waits beside the next, and the first that is used is the one.
 *
 * Safe to run twice, also at once: the errand is taken on by one, for longer than a mail takes; whoever dies is followed
 * by another with a key of its own.
 */
export async function deliverKey(
  context: SalesContext,
  errand: Errand,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { db, clock, policy, reached } = context
  const order = await findOrder(db, errand.gjelder)
  if (order === null) {
    // Of a state or shape that another release knows: the errand is left to that one (P105).
    const at = clock.now()
    await claimErrand(db, errand, { at, until: new Date(at.getTime() + policy.leaseMs) })
    return
  }
  const key = await makeMailedKey(order.miljo)
  const attempt = await failpoint(reached, 'key-stored', () => begin(context, errand, { order, key }))
  if (attempt === null) return
  const outcome = await failpoint(reached, 'mail-sent', () =>
    sendLetter(
      context,
      key.letter({
        to: attempt.epost,
        expires: attempt.utloper,
        occasion: order.fornyer === null ? 'kjop' : 'fornyelse',
        order: order.id,
        messageId: messageId(context, attempt.errand),
      }),
      signal,
    ),
  )
  await failpoint(reached, 'delivery-stored', () => end(context, attempt, outcome))
}

/** Takes the errand on and stores the key, unless there is nothing to deliver any more. */
async function begin(
  context: SalesContext,
  errand: Errand,
  { order, key }: { order: StoredOrder; key: MailedKey },
): Promise<Attempt | null> {
  const { db, clock, policy } = context
  const at = clock.now()
  return db.transaction(async (connection) => {
    const held = await holdOrder(connection, order.id)
    const until = new Date(at.getTime() + policy.leaseMs)
    const claimed = await claimErrand(connection, errand, { at, until })
    if (held === null || claimed === null) return null
    if (await isKeyUsed(connection, { kjede: order.id, levering: null })) {
      await recordFact(connection, context, held, { kind: 'key_used', at })
      await finishErrand(connection, errand, 'brukt', at)
      return null
    }
    const now = await recordFact(connection, context, held, { kind: 'time', at })
    const { core, stored } = now
    if (core.state !== 'reservert' || core.deliveries !== errand.nr) {
      await finishErrand(connection, errand, 'uaktuell', at)
      return null
    }
    const { epost, fornyer } = stored
    // It was given up, and its address went with it, when somebody approved its payment after all: the buyer's page asks for one.
    if (epost === null) {
      await recordFact(connection, context, now, { kind: 'address_refused', at })
      await finishErrand(connection, errand, 'adresse_avvist', at)
      return null
    }
    // A clock that is behind by now takes nothing of the year that was paid for.
    const begins = Math.max(...[at, core.reservedAt ?? at, fornyer?.fra ?? at].map(Number))
    const utloper = expiryOf(new Date(begins))
    await key.store(connection, { kjede: order.id, levering: errand.id, epost, utstedt: at, utloper })
    return { errand: claimed, keyId: key.id, epost, utloper }
  })
}

async function end(context: SalesContext, { errand, keyId }: Attempt, outcome: MailOutcome): Promise<void> {
  const { db, clock, log, policy } = context
  const at = clock.now()
  await db.transaction(async (connection) => {
    const held = await holdOrder(connection, errand.gjelder)
    if (held === null) return
    if (await isKeyUsed(connection, { kjede: errand.gjelder, levering: null })) {
      await recordFact(connection, context, held, { kind: 'key_used', at })
      return finishErrand(connection, errand, 'brukt', at)
    }
    if (outcome === 'accepted') {
      // What was mailed opens nothing, and the errand is as it was: another key goes.
      if (!(await markKeySent(connection, keyId))) return
      await recordFact(connection, context, held, { kind: 'mail_accepted', at })
      return finishErrand(connection, errand, 'sendt', at)
    }
    if (outcome !== 'unknown') await voidKey(connection, keyId, at)
    if (outcome === 'refused_recipient') {
      await recordFact(connection, context, held, { kind: 'address_refused', at })
      return finishErrand(connection, errand, 'adresse_avvist', at)
    }
    if (outcome === 'refused_us')
      log.error({ ordre: errand.gjelder }, 'the mail server refuses our mail; it is tried again')
    const next = Math.min(
      retryAt(policy.mailRetryMs, errand.forsok, at).getTime(),
      Math.max(at.getTime(), deliverBy(held.core, policy).getTime()),
    )
    await postponeErrand(connection, errand, new Date(next))
  })
}

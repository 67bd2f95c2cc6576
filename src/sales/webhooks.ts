import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { type Each, uncounted } from '#src/core/repeat.ts'
import type { Database } from '#src/storage/database.ts'
import {
  endWebhookTurn,
  keepOnlyWebhook,
  listWebhooks,
  type StoredWebhook,
  storeWebhook,
  takeWebhookTurn,
} from '#src/storage/vipps-webhooks.ts'
import type { Vipps } from '#src/vipps/client.ts'
import { PAYMENT_EVENTS, parseWebhookEvent, type WebhookEvent } from '#src/vipps/webhook-event.ts'
import { verifyWebhook } from '#src/vipps/webhook-signature.ts'

export type Webhooks = ReturnType<typeof createWebhooks>

/** A message as it came: names of headers in lower case, the body's own bytes. */
export type WebhookDelivery = {
  method: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  rawBody: Uint8Array
}

/**
 * Our registrations for messages from Vipps. There is one at a time; where another takes its place, what the first one
 * signed is believed for a while longer, so that no message on its way is lost (VIPPS, webhooks).
 */
export function createWebhooks({
  db,
  vipps,
  url,
  clock,
  log,
  policy,
}: {
  db: Database
  vipps: Pick<Vipps, 'registerWebhook' | 'listWebhooks' | 'deleteWebhook'>
  /** Where messages are to be sent; null while that is not known. */
  url: () => string | null
  clock: Clock
  log: Log
  policy: {
    webhooksCheckedEveryMs: number
    webhookTurnMs: number
    webhookOverlapMs: number
    webhookSecretsHeldMs: number
  }
}) {
  let held: { atMs: number; webhooks: Promise<StoredWebhook[]> } | null = null
  const now = () => clock.now()
  const overlapBegan = () => new Date(now().getTime() - policy.webhookOverlapMs)

  /** Messages that nobody signed cost no query each. */
  function known(): Promise<StoredWebhook[]> {
    const atMs = now().getTime()
    // Either way: the clock may have been ahead when they were read.
    if (held === null || Math.abs(atMs - held.atMs) >= policy.webhookSecretsHeldMs) {
      const webhooks = listWebhooks(db, overlapBegan())
      held = { atMs, webhooks }
      webhooks.catch(() => {
        held = null
      })
    }
    return held.webhooks
  }

  /** A registration that is in use, ours, for this address and for every event; a new one where there is none. */
  async function registered(address: string, signal: AbortSignal) {
    const there = await vipps.listWebhooks({ signal })
    const isWhole = ({ id }: { id: string }) =>
      there.some(
        (each) =>
          each.id === id &&
          each.url === address &&
          PAYMENT_EVENTS.every((event) => each.events.includes(event)),
      )
    const stored = await listWebhooks(db, overlapBegan())
    const standing = stored.find((each) => each.replacedAt === null && isWhole(each))
    if (standing !== undefined) return { id: standing.id, there, stored }
    const { id, secret } = await vipps.registerWebhook(
      { url: address, events: [...PAYMENT_EVENTS] },
      { signal },
    )
    await storeWebhook(db, { id, url: address, secret, at: now() })
    log.info('registered for messages from Vipps')
    return { id, there, stored }
  }

  async function look(address: string, signal: AbortSignal): Promise<void> {
    const { id, there, stored } = await registered(address, signal)
    await keepOnlyWebhook(db, { id, at: now(), forgetBefore: overlapBegan() })
    held = null
    const isNeedless = (each: { id: string; url: string }) =>
      each.id !== id && (each.url === address || stored.some((known) => known.id === each.id))
    for (const each of there.filter(isNeedless)) await vipps.deleteWebhook(each.id, { signal })
    await endWebhookTurn(db, new Date(now().getTime() + policy.webhooksCheckedEveryMs))
  }

  return {
    /**
     * @returns what the message says; null when none of our registrations signed it (P28)
     * @throws VippsAnswerError when it is signed and not readable; StorageUnavailableError
     */
    async hear(delivery: WebhookDelivery): Promise<WebhookEvent | null> {
      const webhooks = await known()
      const isOurs = webhooks.some((each) =>
        verifyWebhook({ ...delivery, registeredUrl: each.url, secrets: [each.secret] }),
      )
      return isOurs ? parseWebhookEvent(delivery.rawBody) : null
    },

    /**
     * Sees to it that there is one registration, once a day and whenever the address has changed: Vipps deletes one whose
     * address did not answer for two weeks. Safe to call from many processes: one of them takes the turn. Killed after
     * registering and before its secret is stored, the next turn registers again and deletes the one nobody can use.
     */
    async keep({ signal, each = uncounted }: { signal: AbortSignal; each?: Each }): Promise<void> {
      const address = url()
      if (address === null) return
      const until = new Date(now().getTime() + policy.webhookTurnMs)
      if (await takeWebhookTurn(db, { url: address, now: now(), until }))
        await each(() => look(address, signal))
    },
  }
}

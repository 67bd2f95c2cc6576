import type { Log } from '#src/core/log.ts'
import { repeat } from '#src/core/repeat.ts'
import type { Sales } from '#src/sales/sales.ts'
import type { Webhooks } from '#src/sales/webhooks.ts'

/** The part of the sale that goes on in the background. */
export type SalesWork = Pick<
  Sales,
  | 'follow'
  | 'checkPayments'
  | 'runErrands'
  | 'mailTestKeys'
  | 'forgetTestKeyWishes'
  | 'lookAgain'
  | 'writeReminders'
  | 'removeOldTraces'
>

/**
 * Keeps orders, keys and mails going: payments are read back, errands run, reminders written and old traces removed, each on
 * a schedule of its own, so that a mail server that hangs holds up no payment.
 * Safe to run in many processes: whatever is taken up is taken up by one.
 */
export function keepSales(
  sales: SalesWork,
  {
    webhooks,
    log,
    policy,
  }: {
    /** Null without access to Vipps. */
    webhooks: Pick<Webhooks, 'keep'> | null
    log: Log
    policy: {
      lookEveryMs: number
      retryMs: number
      remindEveryMs: number
      retainEveryMs: number
      lookAgain: { everyMs: number }
      testKeys: { forgetEveryMs: number }
      webhooksEveryMs: number
    }
  },
): { close(): Promise<void> } {
  const { lookEveryMs, retryMs, remindEveryMs, retainEveryMs, webhooksEveryMs, testKeys, lookAgain } = policy
  const parts = [
    repeat('payments', { afterMs: lookEveryMs, retryMs, isOfMany: true, log }, (signal, each) =>
      sales.checkPayments({ signal, each }),
    ),
    repeat('errands', { afterMs: lookEveryMs, retryMs, isOfMany: true, log }, (signal, each) =>
      sales.runErrands({ signal, each }),
    ),
    repeat('test keys', { afterMs: lookEveryMs, retryMs, isOfMany: true, log }, (signal, each) =>
      sales.mailTestKeys({ signal, each }),
    ),
    repeat('wishes for test keys', { afterMs: testKeys.forgetEveryMs, retryMs, log }, () =>
      sales.forgetTestKeyWishes(),
    ),
    repeat('payments that were taken', { afterMs: lookAgain.everyMs, retryMs, log }, () => sales.lookAgain()),
    repeat('reminders', { afterMs: remindEveryMs, retryMs, log }, () => sales.writeReminders()),
    repeat('retention', { afterMs: retainEveryMs, retryMs, log }, (signal) =>
      sales.removeOldTraces({ signal }),
    ),
  ]
  if (webhooks !== null)
    parts.push(
      repeat('webhooks', { afterMs: webhooksEveryMs, retryMs, isOfMany: true, log }, (signal, each) =>
        webhooks.keep({ signal, each }),
      ),
    )
  return {
    async close() {
      await Promise.all(parts.map((part) => part.close()))
    },
  }
}

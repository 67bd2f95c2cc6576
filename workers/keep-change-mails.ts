import type { ChangeMails } from '#src/changes/mails/mail-changes.ts'
import type { Log } from '#src/core/log.ts'
import { repeat } from '#src/core/repeat.ts'

/**
 * Has changes mailed to those who want that: what is to be mailed is written down as the log grows, and sent when it is due, each
 * on a schedule of its own, so that a mail server that hangs holds up no writing down.
 * Safe to run in many processes: whatever is taken up is taken up by one.
 */
export function keepChangeMails(
  mails: Pick<ChangeMails, 'writeDown' | 'send' | 'removeOver'>,
  {
    log,
    policy: { lookEveryMs, retryMs, removeEveryMs },
  }: { log: Log; policy: { lookEveryMs: number; retryMs: number; removeEveryMs: number } },
): { close(): Promise<void> } {
  const parts = [
    repeat('changes to be mailed', { afterMs: lookEveryMs, retryMs, log }, (signal) =>
      mails.writeDown({ signal }),
    ),
    repeat('mails of changes', { afterMs: lookEveryMs, retryMs, isOfMany: true, log }, (signal, each) =>
      mails.send({ signal, each }),
    ),
    repeat(
      'watches that are over',
      { afterMs: removeEveryMs, retryMs: removeEveryMs, log },
      mails.removeOver,
    ),
  ]
  return {
    async close() {
      await Promise.all(parts.map((part) => part.close()))
    },
  }
}

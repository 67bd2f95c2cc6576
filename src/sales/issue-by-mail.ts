import type { Miljo } from '#src/core/api-key.ts'
import { expiryOf } from '#src/core/key-expiry.ts'
import type { MailOutcome } from '#src/mail/outcome.ts'
import { markKeySent, voidKey } from '#src/storage/key-chain.ts'
import type { SalesContext } from './context.ts'
import { makeMailedKey } from './mailed-key.ts'

/**
 * An operator has a key made and mailed, once: what did not go is for the operator to try again, as another key. A key whose
 * mail had no clear outcome works if it has arrived, as in a sale.
 */
export async function issueByMail(
  {
    db,
    clock,
    post,
    mailDomain,
    policy,
  }: Pick<SalesContext, 'db' | 'clock' | 'post' | 'mailDomain'> & { policy: { mailDeadlineMs: number } },
  { epost, miljo }: { epost: string; miljo: Miljo },
): Promise<{ id: string; utloper: Date; outcome: MailOutcome }> {
  const key = await makeMailedKey(miljo)
  const { id } = key
  const utstedt = clock.now()
  const utloper = expiryOf(utstedt)
  await key.store(db, { kjede: id, levering: null, epost, utstedt, utloper })
  const outcome = await post.send(
    key.letter({
      to: epost,
      expires: utloper,
      occasion: 'utstedt',
      order: null,
      messageId: `<${id}.utsted@${mailDomain}>`,
    }),
    { signal: AbortSignal.timeout(policy.mailDeadlineMs) },
  )
  if (outcome === 'accepted') await markKeySent(db, id)
  else if (outcome !== 'unknown') await voidKey(db, id, clock.now())
  return { id, utloper, outcome }
}

import type { MailOutcome } from '#src/mail/outcome.ts'
import { lockChain } from '#src/storage/chain-lock.ts'
import { ownerOfKey } from '#src/storage/changes/owner.ts'
import { readWatchNotes } from '#src/storage/changes/watch-notes.ts'
import { claimErrand, type Errand, finishErrand, postponeErrand } from '#src/storage/errands.ts'
import { endEarlierKeys, findChainOfKey, isKeyUsed, markKeySent, voidKey } from '#src/storage/key-chain.ts'
import { hasEndpoints } from '#src/storage/push/endpoints.ts'
import type { SalesContext } from './context.ts'
import { makeMailedKey } from './mailed-key.ts'
import { messageId, retryAt, sendLetter } from './mailing.ts'

/**
 * One attempt to mail a key in place of another, with the same end. As with a bought key: each attempt has its own, stored as
 * a hash before the mail goes, and the first that is used is the one and ends those before it.
 *
 * Safe to run twice, also at once: the errand is taken on by one.
 */
export async function mailReplacement(
  context: SalesContext,
  errand: Errand,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { db, clock, policy } = context
  const at = clock.now()
  const old = errand.nokkel === null ? null : await findChainOfKey(db, errand.nokkel, at)
  if (old === null || old.epost === null || at >= old.utloper) return finishErrand(db, errand, 'uaktuell', at)
  const { epost, miljo, utloper } = old
  const key = await makeMailedKey(miljo)
  const kjede = errand.gjelder
  const claimed = await db.transaction(async (connection) => {
    await lockChain(connection, kjede)
    const until = new Date(at.getTime() + policy.leaseMs)
    const taken = await claimErrand(connection, errand, { at, until })
    if (taken === null) return null
    if (await isKeyUsed(connection, { kjede, levering: errand.id })) {
      await finishErrand(connection, errand, 'brukt', at)
      return null
    }
    await key.store(connection, { kjede, levering: errand.id, epost, utstedt: at, utloper })
    return taken
  })
  if (claimed === null) return
  const owner = (await ownerOfKey(db, old.nokkel)) ?? kjede
  const hasLeaked = errand.grunn === 'lekket'
  const outcome = await sendLetter(
    context,
    key.letter({
      to: epost,
      expires: utloper,
      occasion: 'erstatning',
      order: null,
      areEndpointsOff: hasLeaked && (await hasEndpoints(db, owner)),
      watched: hasLeaked ? await readWatchNotes(db, owner, WATCH_NOTES_SHOWN) : null,
      messageId: messageId(context, claimed),
    }),
    signal,
  )
  await endReplacement(context, claimed, key.id, outcome)
}

async function endReplacement(
  { db, clock, log, policy }: SalesContext,
  errand: Errand,
  keyId: string,
  outcome: MailOutcome,
): Promise<void> {
  const at = clock.now()
  const kjede = errand.gjelder
  await db.transaction(async (connection) => {
    await lockChain(connection, kjede)
    if (await isKeyUsed(connection, { kjede, levering: errand.id }))
      return finishErrand(connection, errand, 'brukt', at)
    if (outcome === 'accepted') {
      // What was mailed opens nothing, and the errand is as it was: another key goes.
      if (!(await markKeySent(connection, keyId))) return
      // Counted from here, so that nobody is left without a key because a mail server took its time.
      const until = new Date(at.getTime() + policy.lostKeyMs)
      await endEarlierKeys(connection, { kjede, levering: errand.id }, until)
      return finishErrand(connection, errand, 'sendt', at)
    }
    if (outcome !== 'unknown') await voidKey(connection, keyId, at)
    const isOver = at.getTime() - errand.laget.getTime() >= policy.deliverForMs
    if (outcome === 'refused_recipient' || isOver) {
      log.error({ nokkel: errand.nokkel }, 'a replacement could not be mailed: its holder has to be asked')
      return finishErrand(connection, errand, isOver ? 'oppgitt' : 'adresse_avvist', at)
    }
    await postponeErrand(connection, errand, retryAt(policy.mailRetryMs, errand.forsok, at))
  })
}

const WATCH_NOTES_SHOWN = 20

import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { isoFromNorway, norwegianDay } from '#src/core/norwegian-time.ts'
import { type Each, uncounted } from '#src/core/repeat.ts'
import { DAY_MS } from '#src/core/units.ts'
import { retryAt, sendLetter } from '#src/sales/mailing.ts'
import type { Letter, Post } from '#src/sales/ports.ts'
import {
  claimMail,
  type DueMail,
  finishMail,
  hasUnwritten,
  linesOfMail,
  postponeMail,
  removeOverWatches,
  stopMails,
  writeDownMails,
} from '#src/storage/changes/change-mails.ts'
import { ownerAddress } from '#src/storage/changes/owner.ts'
import { removeOldWatchNotes } from '#src/storage/changes/watch-notes.ts'
import type { Database } from '#src/storage/database.ts'
import { companiesOf } from '#src/storage/search/candidates.ts'
import { tellsOfErased } from '../change.ts'
import { companiesOfChanges } from './change-words.ts'
import type { StopLinks } from './stop-links.ts'

export type ChangeMails = ReturnType<typeof createChangeMails>

/**
 * Mails of changes, to who does not write code: soon after each, or once a day (P123). What is to be mailed is written down once,
 * as the log is gone through; it stays until a mail server has taken it. A mail that may have gone is sent again as it was and
 * under the same id, so that nothing is lost by a kill, and a reader's program can show it once.
 */
export function createChangeMails({
  db,
  isErased,
  post,
  mailDomain,
  links,
  stopLinks,
  clock,
  log,
  policy,
}: {
  db: Database
  isErased: (orgnr: string) => boolean
  post: Post
  mailDomain: string
  links: { list: () => string; stop: (token: string) => string }
  stopLinks: Pick<StopLinks, 'write'>
  clock: Clock
  log: Log
  policy: {
    gatherMs: number
    atHour: number
    perDayMax: number
    listedMax: number
    linesMax: number
    mailedMax: number
    refusedMax: number
    pageSize: number
    leaseMs: number
    mailDeadlineMs: number
    mailFinishMs: number
    mailRetryMs: readonly number[]
    keptAfterEndMs: number
    testKeptMs: number
  }
}) {
  const soon = (at: Date) => new Date(at.getTime() + policy.gatherMs)

  async function letterOf(mail: DueMail, at: Date): Promise<Letter | null> {
    const to = await ownerAddress(db, mail.eier, at)
    if (to === null) return null
    const { changes: all, antall } = await linesOfMail(db, mail, policy.listedMax)
    // PostgreSQL knows of those that are buried there.
    const changes = all.filter((change) => !tellsOfErased(change, isErased))
    if (changes.length === 0) return null
    const names = await companiesOf(
      db,
      changes.map(({ orgnr }) => Number(orgnr)),
    )
    return {
      kind: 'changes',
      to,
      // Of what it tells: the same however often it is tried.
      messageId: `<endringer.${mail.slag}.${mail.eier}.${mail.tilNr}@${mailDomain}>`,
      cadence: mail.slag,
      companies: companiesOfChanges(changes, names),
      more: antall - all.length,
      listUrl: links.list(),
      stopUrl: links.stop(await stopLinks.write(mail.eier)),
    }
  }

  /** What has come meanwhile waits as it would have; beyond so many in a day it waits for the morning. */
  async function finish(mail: DueMail, outcome: { isSent: boolean; isRefused: boolean }): Promise<void> {
    const now = clock.now()
    await finishMail(db, mail, {
      ...outcome,
      day: norwegianDay(now),
      next: (sentToday) =>
        mail.slag === 'daglig' || sentToday >= policy.perDayMax
          ? morningAfter(now, policy.atHour)
          : soon(now),
    })
  }

  async function mailOne(mail: DueMail, signal: AbortSignal): Promise<void> {
    const letter = await letterOf(mail, clock.now())
    if (letter === null) return finish(mail, { isSent: false, isRefused: false })
    const outcome = await sendLetter({ post, policy, log }, letter, signal)
    if (outcome === 'accepted') return finish(mail, { isSent: true, isRefused: false })
    if (outcome === 'refused_recipient') {
      if (mail.avvist + 1 < policy.refusedMax) return finish(mail, { isSent: false, isRefused: true })
      log.warn({ eier: mail.eier }, 'an address has refused the mails of changes, and gets no more of them')
      return stopMails(db, mail.eier)
    }
    if (outcome === 'refused_us') log.error('the mail server refuses our mail of changes; it is tried again')
    const until = retryAt(policy.mailRetryMs, mail.forsok, clock.now())
    await postponeMail(db, mail, { until, mayHaveGone: outcome === 'unknown' })
  }

  return {
    /**
     * Goes on through the log and writes down what is to be mailed. Safe to run twice, also at once: how far it has come moves with
     * what is written.
     */
    async writeDown({ signal }: { signal: AbortSignal }): Promise<void> {
      if (!(await hasUnwritten(db))) return
      let hasMore = true
      while (hasMore && !signal.aborted) {
        const now = clock.now()
        const due = { straks: soon(now), daglig: morningAfter(now, policy.atHour), day: norwegianDay(now) }
        hasMore = await writeDownMails(db, due, policy)
      }
    },

    /** Sends what is due, one after the other. Safe to run twice, also at once: a mail is taken on by one, for longer than it takes. */
    async send({ signal, each = uncounted }: { signal: AbortSignal; each?: Each }): Promise<void> {
      for (let count = 0; count < policy.pageSize && !signal.aborted; count++) {
        const at = clock.now()
        const mail = await claimMail(db, { at, until: new Date(at.getTime() + policy.leaseMs) })
        if (mail === null) return
        await each(() => mailOne(mail, signal))
      }
    },

    /** Takes away what is watched with keys that ended long ago, and old notes of it. Safe to run twice: what is gone is gone. */
    async removeOver(): Promise<void> {
      const ago = (ms: number) => new Date(clock.now().getTime() - ms)
      const removed = await removeOverWatches(db, {
        ended: ago(policy.keptAfterEndMs),
        tests: ago(policy.testKeptMs),
      })
      await removeOldWatchNotes(db)
      if (removed > 0) log.info({ antall: removed }, 'watches of keys that ended were removed')
    },
  }
}

/** The next time it is this hour in Norway. By half days: one has 23 hours, and would be stepped over late the evening before. */
function morningAfter(at: Date, hour: number): Date {
  for (const ms of [0, DAY_MS / 2, DAY_MS]) {
    const day = norwegianDay(new Date(at.getTime() + ms))
    const moment = isoFromNorway(`${day} ${String(hour).padStart(2, '0')}:00:00`)
    if (moment !== null && new Date(moment) > at) return new Date(moment)
  }
  return new Date(at.getTime() + DAY_MS)
}

import { join } from 'node:path'
import type { Log } from '#src/core/log.ts'
import { tellMail } from '#src/core/mail-told.ts'
import { abortAfter } from '#src/core/wait.ts'
import { createComposer, domainOf, type Mail, type Sender } from './compose.ts'
import { openMailFolder } from './mail-folder.ts'
import type { MailOutcome, Sent } from './outcome.ts'
import { openSmtp, type SmtpPolicy } from './smtp.ts'

export type MailTransport = {
  /** Message ids are of this domain. */
  readonly domain: string
  /**
   * Sends one mail to one address. Whatever a mail server does, or does not do before `signal` ends the attempt, is an answer.
   *
   * @throws InputError, OppslagError `ugyldig_meldingsid`: mistakes of the caller, before anything is sent
   */
  send(mail: Mail, call: { signal: AbortSignal }): Promise<Sent>
  /** Whether mail would be taken now, log-in included: null, or what is in the way. Within the time a connection may take. */
  check(): Promise<Sent | null>
  /** Takes no more; what is under way gets `finishMs` to come to its answer. */
  close(): Promise<void>
}

type MailPolicy = SmtpPolicy & { waitingMax: number; finishMs: number; filesMax: number }

/**
 * Opens the way mails go out: the server at `smtpUrl`, or without one, files under `dataDir`/mail.
 * The log tells of each mail its id and what became of it: never an address, a subject or what a server said.
 */
export function openMail({
  smtpUrl,
  dataDir,
  from,
  replyTo,
  bounceAddress,
  dkim,
  policy,
  log,
}: Sender & {
  smtpUrl: string | null
  dataDir: string
  /** Where undeliverable mails come back to; null: to `from`. */
  bounceAddress: string | null
  policy: MailPolicy
  log: Pick<Log, 'info' | 'warn' | 'error'>
}): MailTransport {
  const domain = domainOf(from.address)
  const { compose } = createComposer({ from, replyTo, dkim })
  const folder = join(dataDir, 'mail')
  const outlet =
    smtpUrl === null
      ? openMailFolder({ folder, filesMax: policy.filesMax })
      : openSmtp({ url: smtpUrl, name: domain, policy })
  if (smtpUrl === null)
    log.warn({ folder }, 'no SMTP_URL: mails are files, and keys stand in them in the clear')
  const underWay = new Set<Promise<Sent>>()
  const ending = new AbortController()
  let isClosed = false

  async function post(mail: Mail, signal: AbortSignal): Promise<Sent> {
    if (isClosed) return notTaken('ECLOSED')
    if (underWay.size >= policy.waitingMax) return notTaken('EFULL')
    const { to, bytes } = await compose(mail)
    const posting = { from: bounceAddress ?? from.address, to, bytes, messageId: mail.messageId }
    return outlet.take(posting, { signal: AbortSignal.any([signal, ending.signal]) })
  }

  return {
    domain,
    async send(mail, { signal }) {
      const begin = performance.now()
      const posted = post(mail, signal)
      underWay.add(posted)
      const sent = await posted.finally(() => underWay.delete(posted))
      const ms = Math.round(performance.now() - begin)
      log[levels[sent.outcome]]({ melding: mail.messageId, ...sent, ms }, 'mail')
      const isTaken = sent.outcome === 'accepted' || sent.outcome === 'refused_recipient'
      tellMail({ outcome: sent.outcome, isTaken })
      return sent
    },
    check: () => outlet.check(),
    async close() {
      isClosed = true
      const finished = abortAfter(policy.finishMs, ending)
      await Promise.allSettled(underWay)
      finished()
      outlet.close()
    },
  }
}

function notTaken(fault: string): Sent {
  return { outcome: 'temporary', code: null, status: null, command: null, fault }
}

/** What somebody has to do something about is an error. */
const levels = {
  accepted: 'info',
  refused_recipient: 'warn',
  temporary: 'warn',
  unknown: 'warn',
  refused_us: 'error',
} as const satisfies Record<MailOutcome, string>

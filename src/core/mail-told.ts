import { channel } from 'node:diagnostics_channel'

/** What became of one attempt at a mail. `isTaken`: a server said what becomes of it, also that there is no such address. */
export type MailTold = { outcome: string; isTaken: boolean }

/** Listeners get a `MailTold`, synchronously. */
export const MAIL_CHANNEL = 'bedriftsoppslag:mail'

const mails = channel(MAIL_CHANNEL)

export function tellMail(told: MailTold): void {
  if (mails.hasSubscribers) mails.publish(told)
}

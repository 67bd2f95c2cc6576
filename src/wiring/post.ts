import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { Log } from '#src/core/log.ts'
import { contentOf, type Letterhead } from '#src/mail/templates/content-of.ts'
import { type MailTransport, openMail } from '#src/mail/transport.ts'
import type { Post } from '#src/sales/ports.ts'
import type { OpenedThings } from './opened.ts'

/** Mails as configured, written as letters of this service. `domain` is that of their message ids. */
export function openPost(
  environment: Environment,
  { publicUrl, log, opened }: { publicUrl: () => string; log: Log; opened: OpenedThings },
): { post: Post; domain: string } {
  const { mail, dataDir } = environment
  const transport: MailTransport = opened.keep(
    'mail',
    openMail({ ...mail, dataDir, policy: policy.mail, log }),
  )
  // Asked for each letter: the address is known when the front listens.
  const letterhead = (): Letterhead => ({
    name: 'Bedriftsoppslag',
    publicUrl: publicUrl(),
    replaceUrl: `${publicUrl()}/bytt-nokkel`,
    keysUrl: `${publicUrl()}/nokler`,
    contact: environment.contact,
  })
  return {
    domain: transport.domain,
    post: {
      async send(letter, call) {
        const { to, messageId } = letter
        const content = contentOf(letter, letterhead())
        const { outcome } = await transport.send({ to, messageId, ...content }, call)
        return outcome
      },
    },
  }
}

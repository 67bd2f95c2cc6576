import { domainToASCII } from 'node:url'
import { createTransport } from 'nodemailer'
import { parseKeptAddress } from '#src/core/email-address.ts'
import { OppslagError } from '#src/core/errors.ts'

/** A mail to one reader, in words alone: nothing is attached, nothing is fetched. */
export type Mail = Content & {
  /** One address, without a name. */
  to: string
  /** `<…@domain>`. The same for one attempt, so that a receiver that knows it need not show the mail twice. */
  messageId: string
}

/** The same in text and HTML: a reader gets all of it from either. */
export type Content = {
  subject: string
  text: string
  html: string
  /** Of mails that come again and again: ends them, by a POST that a mail program sends when its reader presses a button (RFC 8058). */
  unsubscribeUrl?: string
}

/** Who it is from. */
export type Sender = {
  from: { name: string | null; address: string }
  /** Null: answers go to `from`. */
  replyTo: string | null
  /** Null: the server that sends it on signs it, or nobody does. */
  dkim: { domain: string; selector: string; privateKey: string } | null
}

/** The bytes of a mail, ready for a mail server or a file: the same for both. */
type Composed = { to: string; bytes: Buffer }

/** All that a reader, or its program, goes by. RFC 8058 wants the last two to be among them. */
const SIGNED =
  'From:Reply-To:Subject:Date:Message-ID:To:MIME-Version:Content-Type:Content-Language:Auto-Submitted:List-Unsubscribe:List-Unsubscribe-Post'

const MESSAGE_ID = /^<[A-Za-z0-9._=+-]{1,150}@[A-Za-z0-9.-]{1,90}>$/

/**
 * Makes a composer for a sender. A mail is put together in memory and is nowhere else.
 *
 * `compose` throws InputError `ugyldig_epost` for anything but one address, and OppslagError `ugyldig_meldingsid`: both are
 * mistakes of the caller.
 */
export function createComposer({ from, replyTo, dkim }: Sender): {
  compose(mail: Mail): Promise<Composed>
} {
  const writer = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    logger: false,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(dkim === null
      ? {}
      : {
          dkim: {
            domainName: dkim.domain,
            keySelector: dkim.selector,
            privateKey: dkim.privateKey,
            headerFieldNames: SIGNED,
          },
        }),
  })

  return {
    async compose({ to, messageId, subject, text, html, unsubscribeUrl }) {
      // One that was taken once may be a slip: the mail server says so.
      const address = parseKeptAddress(to)
      if (!MESSAGE_ID.test(messageId)) {
        throw new OppslagError('ugyldig_meldingsid', 'a message id is "<name@domain>", in ASCII')
      }
      const { message } = await writer.sendMail({
        from: from.name === null ? from.address : { name: from.name, address: from.address },
        to: address,
        ...(replyTo === null ? {} : { replyTo }),
        messageId,
        subject,
        text,
        html,
        textEncoding: 'quoted-printable',
        xMailer: false,
        headers: {
          'Content-Language': 'nb, en',
          // RFC 3834, and what Exchange listens to: nobody's holiday notice is to come back.
          'Auto-Submitted': 'auto-generated',
          'X-Auto-Response-Suppress': 'All',
          ...(unsubscribeUrl !== undefined && {
            'List-Unsubscribe': `<${unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
      })
      return { to: address, bytes: message as Buffer }
    },
  }
}

/** The domain of an address, as it stands in headers and in the greeting of a mail server. */
export function domainOf(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1))
}

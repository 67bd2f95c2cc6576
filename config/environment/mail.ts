import { createPrivateKey } from 'node:crypto'
import { parseEmailAddress } from '#src/core/email-address.ts'
import { ConfigurationError } from '#src/core/errors.ts'
import { givenText } from './from-file.ts'
import { NotUnderstood, refuseMisspelt, unlessEmpty, words } from './kinds.ts'
import { allOrNone, type Given, valuesOf } from './variable.ts'

/** How mail goes out, and under which name. */
export const mailVariables = {
  SMTP_URL: {
    meaning:
      'Mail server: smtps:// or smtp+starttls://, user:password@host:port; smtp:// is in the clear. Empty: mails are files.',
    standard: '',
    read: unlessEmpty(mailServerAddress),
  },
  MAIL_FROM: {
    meaning:
      'Sender of mails, "Name <address>" or an address. Needed with SMTP_URL; SPF and DMARC of its domain are yours.',
    standard: 'Bedriftsoppslag <nokler@bedriftsoppslag.example>',
    read: mailbox,
  },
  MAIL_REPLY_TO: {
    meaning: 'Where answers to mails go: to somebody who reads them. Empty: to MAIL_FROM.',
    standard: '',
    read: unlessEmpty(emailAddress),
  },
  MAIL_BOUNCE: {
    meaning: 'Where mail servers report what they could not deliver (the return path). Empty: to MAIL_FROM.',
    standard: '',
    read: unlessEmpty(emailAddress),
  },
  DKIM_DOMAIN: {
    meaning:
      'Domain mails are signed for. Set with DKIM_SELECTOR and DKIM_KEY, or none of them: then the mail server signs.',
    standard: '',
    read: unlessEmpty(domainName),
  },
  DKIM_SELECTOR: {
    meaning: 'The public key is in DNS at <selector>._domainkey.<domain>.',
    standard: '',
    read: unlessEmpty(domainName),
  },
  DKIM_KEY: {
    meaning: 'The private RSA key, PEM; usually as DKIM_KEY_FILE.',
    standard: '',
    read: unlessEmpty(signingKey),
  },
} as const

export type MailSettings = {
  /** null: mails are files under `dataDir`. */
  readonly smtpUrl: string | null
  readonly from: Mailbox
  readonly replyTo: string | null
  readonly bounceAddress: string | null
  /** null: not signed here. */
  readonly dkim: { readonly domain: string; readonly selector: string; readonly privateKey: string } | null
}

type Mailbox = { readonly name: string | null; readonly address: string }

export function mailSettings(env: Given): MailSettings {
  const value = valuesOf(mailVariables, env)
  const smtpUrl = value('SMTP_URL')
  if (smtpUrl !== null && !givenText('MAIL_FROM', env)) {
    throw new ConfigurationError(
      `MAIL_FROM: expected a sender, since SMTP_URL is set. (${mailVariables.MAIL_FROM.meaning})`,
    )
  }
  return {
    smtpUrl,
    from: value('MAIL_FROM'),
    replyTo: value('MAIL_REPLY_TO'),
    bounceAddress: value('MAIL_BOUNCE'),
    dkim: dkimKey(env),
  }
}

function dkimKey(env: Given): MailSettings['dkim'] {
  const value = valuesOf(mailVariables, env)
  const dkim = allOrNone(
    {
      DKIM_DOMAIN: value('DKIM_DOMAIN'),
      DKIM_SELECTOR: value('DKIM_SELECTOR'),
      DKIM_KEY: value('DKIM_KEY'),
    },
    'since mails are to be signed. (All of DKIM_* are set, or none.)',
  )
  if (dkim === null) return null
  return { domain: dkim.DKIM_DOMAIN, selector: dkim.DKIM_SELECTOR, privateKey: dkim.DKIM_KEY }
}

function mailServerAddress(value: string): string {
  const url = URL.parse(value)
  const isOnlyServer =
    url !== null && ['', '/'].includes(url.pathname) && url.search === '' && url.hash === ''
  if (!isOnlyServer || !['smtp:', 'smtps:', 'smtp+starttls:'].includes(url.protocol) || url.hostname === '') {
    throw new NotUnderstood('smtps://, smtp+starttls:// or smtp://, a host, and nothing behind it')
  }
  if ((url.username === '') !== (url.password === '')) throw new NotUnderstood('both user and password')
  refuseMisspelt(url)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.username !== '' && url.protocol === 'smtp:' && !isHere) {
    throw new NotUnderstood(
      'smtps:// or smtp+starttls://: with smtp:// the password would be sent in the clear',
    )
  }
  return value
}

function emailAddress(value: string): string {
  try {
    return parseEmailAddress(value)
  } catch {
    throw new NotUnderstood('one e-mail address, without a name')
  }
}

function mailbox(value: string): Mailbox {
  const form = /^([^<>"]{1,100}) <([^<> ]+)>$/.exec(value)
  if (form === null) return { name: null, address: emailAddress(value) }
  const [, name = '', address = ''] = form
  return { name: words(1, 100)(name.trim()), address: emailAddress(address) }
}

function domainName(value: string): string {
  if (!/^[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?$/.test(value)) {
    throw new NotUnderstood('a name in small letters, as it is in DNS')
  }
  return value
}

/** A key that can not sign would let mails go out unsigned, and nobody would notice. RFC 8301 wants 1024 bits, better 2048. */
function signingKey(value: string): string {
  const expected = new NotUnderstood('a private RSA key of 1024 to 4096 bits, PEM')
  try {
    const key = createPrivateKey(value)
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
    if (key.asymmetricKeyType !== 'rsa' || bits < 1024 || bits > 4096) throw expected
    return value
  } catch {
    throw expected
  }
}

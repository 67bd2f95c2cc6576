import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readEnvironment } from '#config/environment.ts'
import { ConfigurationError } from '#src/core/errors.ts'

const sender = { MAIL_FROM: 'Oppslag <nokler@selger.example>' }
const pem = (type: 'rsa' | 'ed25519') =>
  (type === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ed25519')
  ).privateKey
    .export({ type: 'pkcs8', format: 'pem' })
    .toString()

describe('configuration of mail', () => {
  it('nothing set: mails are files', () => {
    expect(readEnvironment({}).mail).toEqual({
      smtpUrl: null,
      from: { name: 'Bedriftsoppslag', address: 'nokler@bedriftsoppslag.example' },
      replyTo: null,
      bounceAddress: null,
      dkim: null,
    })
  })

  it.each([
    'smtps://u:p@mail.example',
    'smtp+starttls://u:p%40@mail.example:587',
    'smtp://mail.example:25',
    'smtp://u:p@127.0.0.1:25/',
  ])('%s is a mail server', (SMTP_URL) => {
    expect(readEnvironment({ ...sender, SMTP_URL }).mail.smtpUrl).toBe(SMTP_URL)
  })

  it.each([
    ['SMTP_URL', 'http://u:hemmelig@mail.example'],
    ['SMTP_URL', 'smtp://u:hemmelig@mail.example'],
    ['SMTP_URL', 'smtps://u@mail.example'],
    ['SMTP_URL', 'smtps://u:hemmelig@mail.example?tls.rejectUnauthorized=false'],
    ['SMTP_URL', 'mail.example'],
    ['MAIL_FROM', 'Oppslag'],
    ['MAIL_FROM', 'Oppslag <a@b.example>, <c@d.example>'],
    ['MAIL_FROM', 'Opp\r\nBcc: x@y.example <a@b.example>'],
    ['MAIL_REPLY_TO', 'Oppslag <a@b.example>'],
    ['MAIL_BOUNCE', 'retur'],
    ['DKIM_DOMAIN', 'Selger.Example; x=y'],
    ['DKIM_KEY', 'hemmelig'],
    ['DKIM_KEY', pem('ed25519')],
  ])('a malformed %s (%j) stops the start, and is not repeated', (name, value) => {
    const start = () => readEnvironment({ ...sender, [name]: value })
    expect(start).toThrow(ConfigurationError)
    expect(start).toThrow(new RegExp(`^${name}: expected [^\\n]+$`))
    expect(start).not.toThrow(/hemmelig|PRIVATE KEY/)
  })

  it('a mail server wants a sender', () => {
    expect(() => readEnvironment({ SMTP_URL: 'smtps://u:p@mail.example' })).toThrow(/^MAIL_FROM: /)
  })

  it('a signature has all of its parts, or there is none', () => {
    const all = { DKIM_DOMAIN: 'selger.example', DKIM_SELECTOR: 'nokler', DKIM_KEY: pem('rsa') }
    expect(readEnvironment(all).mail.dkim).toEqual({
      domain: 'selger.example',
      selector: 'nokler',
      privateKey: all.DKIM_KEY.trim(),
    })
    for (const missing of Object.keys(all)) {
      expect(() => readEnvironment({ ...all, [missing]: '' })).toThrow(new RegExp(`^${missing}: `))
    }
  })
})

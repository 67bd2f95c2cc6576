import { createHash, createVerify, generateKeyPairSync } from 'node:crypto'
import postalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { InputError } from '#src/core/errors.ts'
import { createComposer } from '#src/mail/compose.ts'
import { letter, openOptions } from './parts.ts'

const composer = createComposer(openOptions)

describe('a mail as it is put together', () => {
  it('has text and HTML, says that nobody wrote it, and nothing about what made it', async () => {
    const { bytes } = await composer.compose(letter)
    const head = bytes.toString('latin1').split('\r\n\r\n')[0] ?? ''
    expect(head).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    expect(head).toMatch(/^X-Auto-Response-Suppress: All\r$/m)
    expect(head).toMatch(/^Content-Type: multipart\/alternative;/m)
    expect(head).toMatch(/^Date: /m)
    expect(head).not.toMatch(/nodemailer|x-mailer|user-agent/i)
    // RFC 5322, 2.1.1; every line of it, ASCII alone, and no line feed without its carriage return.
    expect(bytes.toString('latin1')).toMatch(/^[\x20-\x7e\t\r\n]*$/)
    expect(
      Math.max(
        ...bytes
          .toString('latin1')
          .split('\r\n')
          .map((line) => line.length),
      ),
    ).toBeLessThan(999)
    expect(bytes.toString('latin1').replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it.each([
    ['a subject', { subject: 'Ordre 1\r\nBcc: fremmed@andre.example' }],
    ['a subject of one line feed', { subject: 'Ordre 1\nBcc: fremmed@andre.example\n\nbrødtekst' }],
    ['a subject in another script', { subject: 'Ordre \u2028 ø\r\nBcc: fremmed@andre.example' }],
    ['the text', { text: '\r\n.\r\nMAIL FROM:<fremmed@andre.example>\r\nBcc: fremmed@andre.example' }],
  ])('%s can not add a header or a reader', async (_what, change) => {
    const { bytes } = await composer.compose({ ...letter, ...change })
    const { headers, to, cc, bcc } = await postalMime.parse(bytes)
    expect(headers.map(({ key }) => key)).not.toContain('bcc')
    expect([to, cc, bcc]).toEqual([[{ name: '', address: letter.to }], undefined, undefined])
  })

  it.each([
    'kari@kjoper.example, ola@andre.example',
    'Kari <kari@kjoper.example>',
    'kari@kjoper.example\r\nBcc: ola@andre.example',
    'kari@kjoper.example\n.',
    '<kari@kjoper.example>',
    `${'k'.repeat(65)}@kjoper.example`,
    '',
  ])('%j is not one address, and no mail is made', async (to) => {
    await expect(composer.compose({ ...letter, to })).rejects.toBeInstanceOf(InputError)
  })

  it.each(['<a@b>\r\nBcc: x@y.example', 'a@b.example', '<a b@c.example>', '<a@b.example> <c@d.example>', ''])(
    '%j is no message id',
    async (messageId) => {
      await expect(composer.compose({ ...letter, messageId })).rejects.toMatchObject({
        code: 'ugyldig_meldingsid',
      })
    },
  )

  it('a domain with Norwegian letters is written as mail servers know it', async () => {
    const { bytes } = await composer.compose({ ...letter, to: 'kari@blåbær.example' })
    expect(bytes.toString('latin1')).toMatch(/^To: kari@xn--blbr-roah\.example\r$/m)
  })

  it('P32: a mail is signed (DKIM, RFC 6376) when there is a key, over all that a reader sees', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    const signing = createComposer({
      ...openOptions,
      dkim: { domain: 'selger.example', selector: 'nokler', privateKey: pem },
    })
    const { bytes } = await signing.compose(letter)
    const signature = readSignature(bytes)
    expect(signature.tags).toMatchObject({
      a: 'rsa-sha256',
      c: 'relaxed/relaxed',
      d: 'selger.example',
      s: 'nokler',
    })
    expect(signature.headers).toEqual(
      expect.arrayContaining(['from', 'to', 'reply-to', 'subject', 'date', 'message-id', 'content-type']),
    )
    expect(signature.bodyHash).toBe(signature.tags.bh)
    const isSigned = (signed: string) =>
      createVerify('RSA-SHA256')
        .update(signed, 'latin1')
        .verify(publicKey, signature.tags.b ?? '', 'base64')
    expect(isSigned(signature.signed)).toBe(true)
    expect(isSigned(signature.signed.replace('N', 'M'))).toBe(false)
  })
})

/** What a receiver of a signed mail computes, relaxed/relaxed (RFC 6376, 3.4 and 3.7). */
function readSignature(bytes: Buffer) {
  const mail = bytes.toString('latin1')
  const end = mail.indexOf('\r\n\r\n')
  const fields = mail
    .slice(0, end)
    .split(/\r\n(?![ \t])/)
    .map((field) => {
      const colon = field.indexOf(':')
      const value = field
        .slice(colon + 1)
        .replace(/\r\n/g, '')
        .replace(/[ \t]+/g, ' ')
        .trim()
      return { name: field.slice(0, colon).trim().toLowerCase(), value }
    })
  const own = fields.find(({ name }) => name === 'dkim-signature')?.value ?? ''
  const tags: Record<string, string> = Object.fromEntries(
    own
      .split(';')
      .map((tag) => [tag.split('=')[0]?.trim(), tag.slice(tag.indexOf('=') + 1).replace(/\s/g, '')]),
  )
  const body = mail
    .slice(end + 4)
    .replace(/[ \t]+(?=\r\n)/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/(\r\n)+$/, '\r\n')
  const headers = (tags.h ?? '').toLowerCase().split(':')
  const signed = [
    ...headers.flatMap((wanted) => fields.filter(({ name }) => name === wanted)),
    { name: 'dkim-signature', value: own.replace(/(\bb=)[^;]*$/, '$1').trim() },
  ]
  return {
    tags,
    headers,
    bodyHash: createHash('sha256').update(body, 'latin1').digest('base64'),
    signed: signed.map(({ name, value }) => `${name}:${value}`).join('\r\n'),
  }
}

import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type SignedDelivery, verifyWebhook } from '#src/vipps/webhook-signature.ts'
import { signWebhook } from '#test/support/vipps-stand-in/sign-webhook.ts'

/** As published (Vipps, Webhooks API, request authentication, 2023). */
const VECTOR = {
  secret: 'A0+AeKBRG2KRGvnNwJpQlb6IJFk48CKXCIcrLoHncVJKDILsQSxS6NWCccwWm6r6FhGKhiHTBsG2wo/xU6FY/A==',
  url: 'https://webhook.site/e2cee29b-012e-4f1d-8ef4-e95fd74a7a63',
  body: '{"some-unique-content":"ee6e441b-cc4a-46f8-895d-a5af79bcc233/hello-world"}',
  date: 'Thu, 30 Mar 2023 08:38:32 GMT',
  hash: 'lNlsp1XA03N34HrQsVzPgJKtC+r7l/RBF4V3JQUWMj4=',
  signature: 'agAiSyogQbDHpeucoNwYz+yAr5nJ+v+zasdkSbqzv+U=',
}
const PREFIX = 'HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature='

function published(change: Partial<SignedDelivery> = {}): SignedDelivery {
  return {
    method: 'POST',
    registeredUrl: VECTOR.url,
    headers: headers(),
    rawBody: Buffer.from(VECTOR.body),
    secrets: [VECTOR.secret],
    ...change,
  }
}

function headers(change: Record<string, string | string[] | undefined> = {}) {
  return {
    'x-ms-date': VECTOR.date,
    'x-ms-content-sha256': VECTOR.hash,
    authorization: PREFIX + VECTOR.signature,
    ...change,
  }
}

/** The text with every byte in turn changed in every bit, cut out, and doubled. */
function* spoilt(text: string): Generator<string> {
  const bytes = Buffer.from(text, 'latin1')
  for (const [at, byte] of bytes.entries()) {
    for (let bit = 0; bit < 8; bit += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = byte ^ (1 << bit)
      yield changed.toString('latin1')
    }
    yield text.slice(0, at) + text.slice(at + 1)
    yield text.slice(0, at + 1) + text.slice(at)
  }
  yield ''
  yield `${text} `
  yield ` ${text}`
}

describe('the signature of a delivery', () => {
  test('the published one is accepted', () => {
    expect(verifyWebhook(published())).toBe(true)
  })

  test('the stand-in signs as published', () => {
    const signed = signWebhook({
      url: VECTOR.url,
      body: Buffer.from(VECTOR.body),
      secret: VECTOR.secret,
      date: new Date(VECTOR.date),
    })
    expect(signed).toEqual(headers())
  })

  test('the secret is used as the text it is, not as the base64 it looks like', () => {
    const decoded = Buffer.from(VECTOR.secret, 'base64')
    const { pathname, host } = new URL(VECTOR.url)
    const signature = createHmac('sha256', decoded)
      .update(`POST\n${pathname}\n${VECTOR.date};${host};${VECTOR.hash}`)
      .digest('base64')
    expect(verifyWebhook(published({ headers: headers({ authorization: PREFIX + signature }) }))).toBe(false)
  })

  test('port and query of the registered address are signed along', () => {
    const url = 'https://oppslag.example:8443/vipps?til=en&og=to'
    const body = Buffer.from('{}')
    const signed = signWebhook({ url, body, secret: 'hemmelig', date: new Date() })
    const delivery = { method: 'POST', headers: signed, rawBody: body, secrets: ['hemmelig'] }
    expect(verifyWebhook({ ...delivery, registeredUrl: url })).toBe(true)
    for (const other of [
      url.replace(':8443', ''),
      url.replace('en', 'tre'),
      url.replace('?til=en&og=to', ''),
    ]) {
      expect(verifyWebhook({ ...delivery, registeredUrl: other }), other).toBe(false)
    }
  })

  test('what a proxy made of host and path does not matter', () => {
    const behind = headers({ host: 'intern:8080', 'x-forwarded-host': 'webhook.site' })
    expect(verifyWebhook(published({ headers: behind }))).toBe(true)
  })

  test('two secrets are good at once, in either order; none or others are not', () => {
    expect(verifyWebhook(published({ secrets: ['den-nye', VECTOR.secret] }))).toBe(true)
    expect(verifyWebhook(published({ secrets: [VECTOR.secret, 'den-nye'] }))).toBe(true)
    expect(verifyWebhook(published({ secrets: ['den-nye'] }))).toBe(false)
    expect(verifyWebhook(published({ secrets: [] }))).toBe(false)
  })

  test('an old date is accepted: deliveries are repeated for a week', () => {
    expect(Date.parse(VECTOR.date)).toBeLessThan(Date.now() - 365 * 24 * 3_600_000)
    expect(verifyWebhook(published())).toBe(true)
  })
})

describe('P28: a delivery with one byte changed is refused', () => {
  const accepted = (changes: Iterable<Partial<SignedDelivery>>) => {
    let tried = 0
    const slipped: Partial<SignedDelivery>[] = []
    for (const change of changes) {
      tried += 1
      if (verifyWebhook(published(change))) slipped.push(change)
    }
    // Nothing tried would be nothing shown.
    expect(tried).toBeGreaterThan(0)
    return slipped
  }

  test.each(['x-ms-date', 'x-ms-content-sha256', 'authorization'] as const)('in %s', (name) => {
    const value = headers()[name]
    expect(accepted(spoilt(value).map((changed) => ({ headers: headers({ [name]: changed }) })))).toEqual([])
  })

  test('in the body', () => {
    expect(
      accepted(spoilt(VECTOR.body).map((changed) => ({ rawBody: Buffer.from(changed, 'latin1') }))),
    ).toEqual([])
  })

  test('in the body, with a hash made to fit it', () => {
    const fitting = spoilt(VECTOR.body).map((changed) => {
      const rawBody = Buffer.from(changed, 'latin1')
      const { 'x-ms-content-sha256': hash } = signWebhook({
        url: VECTOR.url,
        body: rawBody,
        secret: '',
        date: new Date(),
      })
      return { rawBody, headers: headers({ 'x-ms-content-sha256': hash }) }
    })
    expect(accepted(fitting)).toEqual([])
  })

  test('in path or host, when it was signed for another address', () => {
    const { host, pathname } = new URL(VECTOR.url)
    const addresses = [...spoilt(pathname)].flatMap((path) => {
      const url = URL.parse(`https://${host}/${path.replace(/^\//, '')}`)
      return url === null || url.href === VECTOR.url ? [] : [url.href]
    })
    expect(accepted(addresses.map((registeredUrl) => ({ registeredUrl })))).toEqual([])
    expect(accepted([{ registeredUrl: VECTOR.url.replace('webhook.site', 'webhook.sites') }])).toEqual([])
  })

  test('in the secret', () => {
    expect(accepted(spoilt(VECTOR.secret).map((changed) => ({ secrets: [changed] })))).toEqual([])
  })

  test('in the method', () => {
    expect(accepted(['GET', 'PUT', 'post', ''].map((method) => ({ method })))).toEqual([])
  })

  test('a header that is missing, or there twice, is refused', () => {
    for (const name of ['x-ms-date', 'x-ms-content-sha256', 'authorization'] as const) {
      const value = headers()[name]
      expect(accepted([{ headers: headers({ [name]: undefined }) }])).toEqual([])
      expect(accepted([{ headers: headers({ [name]: [value, value] }) }])).toEqual([])
    }
  })
})

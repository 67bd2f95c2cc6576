import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { eventually } from '#test/support/eventually.ts'
import { type ShopService, startShopService } from '#test/support/shop-service.ts'
import { signWebhook } from '#test/support/vipps-stand-in/sign-webhook.ts'
import type { SignedRequest } from '#test/support/vipps-stand-in.ts'

describe('the address Vipps sends its messages to', () => {
  let shop: ShopService

  beforeAll(async () => {
    shop = await startShopService()
    await eventually('we are registered at Vipps', () => shop.vipps.webhooks.registrations().length === 1)
  })
  afterAll(() => shop.close())

  const rows = async () => {
    const [row] = await shop.storage.database.query<{ antall: string }>(
      'select count(*) as antall from betalingshendelse',
    )
    return Number(row?.antall)
  }

  it('is the one that was registered, and takes what was signed, once', async () => {
    expect(shop.vipps.webhooks.registrations()[0]?.url).toBe(`${shop.address}/vipps/webhook`)
    const before = await rows()
    const event = { reference: 'bo-ukjent-1', pspReference: 'psp-1' }
    await eventually('the secret is stored', async () => (await shop.vipps.webhooks.send(event)) === 200)
    expect(await shop.vipps.webhooks.send(event)).toBe(200)
    expect(await rows()).toBe(before + 1)
  })

  const header = (name: string, change: (value: string) => string) => (request: SignedRequest) => ({
    ...request,
    headers: { ...request.headers, [name]: change(request.headers[name] ?? '') },
  })
  const without = (name: string) => (request: SignedRequest) => ({
    ...request,
    headers: Object.fromEntries(Object.entries(request.headers).filter(([each]) => each !== name)),
  })

  it.each<[string, (request: SignedRequest) => SignedRequest]>([
    [
      'a byte of the body',
      ({ body, ...rest }) => ({ ...rest, body: Buffer.from(String(body).replace('100', '900')) }),
    ],
    [
      'a blank at the end of the body',
      ({ body, ...rest }) => ({ ...rest, body: Buffer.concat([body, Buffer.from(' ')]) }),
    ],
    ['the date', header('x-ms-date', () => 'Thu, 30 Mar 2023 08:38:33 GMT')],
    [
      'the hash',
      header('x-ms-content-sha256', (hash) => hash.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))),
    ],
    [
      'the signature',
      header('authorization', (value) =>
        value.replace(/(?<=Signature=)./, (first) => (first === 'A' ? 'B' : 'A')),
      ),
    ],
    ['no signature at all', without('authorization')],
    ['no date at all', without('x-ms-date')],
    ['no hash at all', without('x-ms-content-sha256')],
  ])('P28: %s changed: 401 and no row', async (_name, tamper) => {
    const before = await rows()
    expect(await shop.vipps.webhooks.send({ pspReference: crypto.randomUUID() }, tamper)).toBe(401)
    expect(await rows()).toBe(before)
  })

  it('P28: signed for another path or another host: 401 and no row', async () => {
    const before = await rows()
    const [registration] = shop.vipps.webhooks.registrations()
    for (const url of [`${shop.address}/vipps/webhook2`, 'https://annet.example/vipps/webhook']) {
      const status = await shop.vipps.webhooks.send({ pspReference: crypto.randomUUID() }, (request) => ({
        ...request,
        headers: {
          ...request.headers,
          ...signWebhook({
            url,
            body: request.body,
            secret: registration?.secret ?? '',
            date: new Date(),
          }),
        },
      }))
      expect(status).toBe(401)
    }
    expect(await rows()).toBe(before)
  })

  it.each(['/', '?', '?til=3', '/?til=3'])(
    'P28: what was rightly signed and is sent to the address with %s behind it: 401 and no row',
    async (more) => {
      const before = await rows()
      const sent = shop.vipps.webhooks.send({ pspReference: crypto.randomUUID() }, (signed) => ({
        ...signed,
        url: signed.url + more,
      }))
      expect(await sent).toBe(401)
      expect(await rows()).toBe(before)
    },
  )

  it('what is larger than any message is not read', async () => {
    const answer = await fetch(`${shop.address}/vipps/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: 'x'.repeat(policy.vipps.webhookBytesMax + 1),
    })
    expect(answer.status).toBe(413)
  })

  it('what is signed and not understood is taken, so that what follows is not held up', async () => {
    const before = await rows()
    for (const odd of [{ name: 'ikke et navn' }, { reference: 'bo-\0-1' }, { pspReference: 'psp\0' }])
      expect(await shop.vipps.webhooks.send(odd)).toBe(200)
    expect(await rows()).toBe(before)
  })
})

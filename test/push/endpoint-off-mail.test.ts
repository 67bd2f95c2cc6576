import { describe, expect, it } from 'vitest'
import { changeEndpoint } from '#src/storage/push/endpoints.ts'
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts'
import { changeOf } from '#test/support/written-changes.ts'
import { keyholders } from '../sales/keyholders.ts'
import { type OpenShop, shopForEachTest } from '../sales/shop-for-each-test.ts'
import { sendingPlace } from './sending-place.ts'

let current: OpenShop
const { bought, mailsTo } = keyholders(() => current)
shopForEachTest((open) => {
  current = open
})

const A = '923609016'

describe('an endpoint that is switched off', () => {
  it('P127: is told of by mail to whoever bought the key, once, without the address itself; not when it is on again', async () => {
    const { storage, shop } = current
    const receiver = await startWebhookReceiver()
    receiver.conduct({ status: 410 })
    const place = sendingPlace(storage.database, receiver)
    const { epost } = await bought()
    const [key] = await storage.database.query<{ kjede: string }>(
      'select kjede from api_nokkel where epost = $1',
      [epost],
    )
    const eier = key?.kjede ?? ''
    await place.watch(eier, [A])
    const { id, path } = await place.endpoint(eier, '/hemmelig-krok')
    const before = mailsTo(epost).length
    await place.changed(changeOf(A))
    await place.deliverAll()
    await shop.goOn()
    const [mail] = mailsTo(epost).slice(before)
    expect(mailsTo(epost)).toHaveLength(before + 1)
    const text = JSON.stringify(mail)
    expect(text).toContain(new URL(receiver.origin).host)
    expect(text).toContain('410')
    expect(text).not.toContain('hemmelig-krok')
    // Switched off anew, and on again before the mail was written.
    const wish = { adresse: receiver.origin + path, typer: null, isOn: true, by: null }
    await changeEndpoint(storage.database, eier, id, wish)
    await place.changed(changeOf(A))
    await place.deliverAll()
    await changeEndpoint(storage.database, eier, id, wish)
    await shop.goOn()
    expect(mailsTo(epost)).toHaveLength(before + 1)
    await receiver.close()
  })
})

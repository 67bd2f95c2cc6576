import { describe, expect, test } from 'vitest'
import { VippsAnswerError } from '#src/vipps/errors.ts'
import { parseWebhookEvent } from '#src/vipps/webhook-event.ts'

const sent = {
  msn: '123456',
  reference: 'bo-ordre-1-1',
  pspReference: 'dd8e0a8e-2b26-40ed-98f1-1d5832fc129f',
  name: 'AUTHORIZED',
  amount: { currency: 'NOK', value: 49_900 },
  timestamp: '2026-01-19T16:26:32.099Z',
  success: true,
}
const read = (body: unknown) => parseWebhookEvent(Buffer.from(JSON.stringify(body)))

describe('the body of a delivery', () => {
  test('is read, and what nobody asked for is left out of it', () => {
    const event = read({ ...sent, idempotencyKey: 'k', userDetails: { email: 'kari@example.no' } })
    expect(event).toEqual({
      merchantSerialNumber: '123456',
      reference: 'bo-ordre-1-1',
      pspReference: sent.pspReference,
      name: 'AUTHORIZED',
      amountOre: 49_900,
      currency: 'NOK',
      occurredAt: new Date('2026-01-19T16:26:32.099Z'),
      isSuccess: true,
    })
  })

  test('that something failed is told', () => {
    expect(read({ ...sent, success: false }).isSuccess).toBe(false)
  })

  test.each([
    ['a name in lower case', { ...sent, name: 'authorized' }],
    ['no success', { ...sent, success: undefined }],
    ['no reference', { ...sent, reference: '' }],
    ['a reference without end', { ...sent, reference: 'r'.repeat(101) }],
    ['a sum in text', { ...sent, amount: { currency: 'NOK', value: '1' } }],
    ['a time that is none', { ...sent, timestamp: 'i går' }],
    ['nothing', null],
  ])('%s is not an event', (_, body) => {
    expect(() => read(body)).toThrow(VippsAnswerError)
  })

  test('what is not JSON is not an event, and is not repeated', () => {
    expect(() => parseWebhookEvent(Buffer.from('{"email":"kari@example.no"'))).toThrow(/^(?!.*kari)/)
    expect(() => parseWebhookEvent(Buffer.from([0x22, 0xff, 0x22]))).toThrow(VippsAnswerError)
  })
})

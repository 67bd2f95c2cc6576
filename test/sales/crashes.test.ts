import { describe, test } from 'vitest'
import { type Crash, crash, pointsOf } from './crashes.ts'
import { processes } from './killed-process.ts'

/**
 * Processes that are really killed: at the end of every step once, and the dangerous ones in company. The whole matrix, of
 * sellers that die within one process, is in test/heavy.
 */
const alone: Crash[] = pointsOf('mailed')
  .filter((at) => at.endsWith(':after'))
  .map((at) => ({ at, workers: 1, fate: 'mailed' }))
const inCompany: Crash[] = (
  ['key-stored:after', 'mail-sent:after', 'delivery-stored:after', 'money-captured:after'] as const
).map((at) => ({ at, workers: 2, fate: 'mailed' }))
const unhappy: Crash[] = [
  { at: 'mail-sent:after', workers: 1, fate: 'unanswered' },
  { at: 'mail-sent:after', workers: 2, fate: 'used' },
  { at: 'delivery-stored:before', workers: 1, fate: 'used' },
  { at: 'mail-sent:after', workers: 1, fate: 'refused' },
  { at: 'payment-cancelled:after', workers: 2, fate: 'refused' },
  { at: 'cancellation-stored:before', workers: 1, fate: 'refused' },
]

/** Each of what an operator's refund comes to, and the dangerous one in company. */
const refunds: Crash[] = [
  ...pointsOf('refunded').map((at): Crash => ({ at, workers: 1, fate: 'refunded' })),
  { at: 'money-refunded:after', workers: 2, fate: 'refunded' },
]

describe('P110: killed in the middle of a refund', () => {
  test.concurrent.each(refunds)(
    'at $at, $workers worker(s): the money goes back once, no key is left, and the customer is told',
    (one) => crash(one, processes),
  )
})

describe('P30: killed in the middle of an order', () => {
  test.concurrent.each([...alone, ...inCompany, ...unhappy])(
    'at $at, $workers worker(s), mail $fate: one mail at least, one key at most, and no charge without a delivery',
    (one) => crash(one, processes),
  )
})

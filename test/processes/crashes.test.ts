import { describe, test } from 'vitest'
import { type Crash, crash, dangerous, dangerousRefund, pointsOf } from '../sales/crashes.ts'
import { processes } from '../sales/killed-process.ts'

/** At the end of every step once, and where it is dangerous. The whole matrix, of sellers that die within one process, is in test/heavy. */
const alone = pointsOf('mailed')
  .filter((at) => at.endsWith(':after'))
  .map((at): Crash => ({ at, workers: 1, fate: 'mailed' }))

/** Each of what an operator's refund comes to. */
const refunds = pointsOf('refunded').map((at): Crash => ({ at, workers: 1, fate: 'refunded' }))

describe('P110: killed in the middle of a refund', () => {
  test.concurrent.each([...refunds, dangerousRefund])(
    'at $at, $workers worker(s): the money goes back once, no key is left, and the customer is told',
    (one) => crash(one, processes),
  )
})

describe('P30: killed in the middle of an order', () => {
  test.concurrent.each([...alone, ...dangerous])(
    'at $at, $workers worker(s), mail $fate: one mail at least, one key at most, and no charge without a delivery',
    (one) => crash(one, processes),
  )
})

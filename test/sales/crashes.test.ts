import { describe, test } from 'vitest'
import { crash, dangerous, dangerousRefund } from './crashes.ts'
import { mortals } from './mortal-seller.ts'

/** Sellers that die within this process; processes that are killed are in test/processes. */
describe('P30: a seller dies where it is dangerous', () => {
  test.concurrent.each(dangerous)(
    'at $at, $workers worker(s), mail $fate: one mail at least, one key at most, and no charge without a delivery',
    (one) => crash(one, mortals),
  )

  test.concurrent('P110: and when money that went back is not known to have', () =>
    crash(dangerousRefund, mortals))
})

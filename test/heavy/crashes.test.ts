import { describe, test } from 'vitest'
import { type Crash, crash, type Fate, pointsOf } from '../sales/crashes.ts'
import { mortals } from '../sales/mortal-seller.ts'

const all: Crash[] = (['mailed', 'unanswered', 'used', 'refused', 'refunded'] satisfies Fate[]).flatMap(
  (fate) => pointsOf(fate).flatMap((at) => ([1, 2] as const).map((workers) => ({ at, workers, fate }))),
)

describe('P30: killed before and after every step, with one worker and with two, whatever the mail server does', () => {
  test.concurrent.each(all)('at $at, $workers worker(s), mail $fate', (one) => crash(one, mortals), 120_000)
})

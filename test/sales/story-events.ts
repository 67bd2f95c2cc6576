import fc from 'fast-check'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#src/core/units.ts'
import { type StepName, steps } from '#src/sales/steps.ts'
import type { MailFault } from '#test/support/mail-server.ts'
import type { VippsFault } from '#test/support/vipps-stand-in.ts'

/** One thing that happens in a story of the shop. `which` picks one of those there are, be it an order, a key or a message. */
export type Event =
  | {
      do: 'approve' | 'abort' | 'expire' | 'refund' | 'revoke' | 'decide' | 'address' | 'form'
      which: number
    }
  | { do: 'portal'; act: 'capture' | 'part' | 'refund' | 'part back' | 'cancel'; which: number }
  | { do: 'hear' | 'hear twice' | 'lose'; which: number }
  | {
      do: 'vipps'
      call: 'create' | 'get' | 'capture' | 'cancel' | 'refund' | 'alle'
      fault: VippsFault
      times: number
    }
  | { do: 'mail'; fault: MailFault }
  | {
      do:
        | 'well'
        | 'work'
        | 'both'
        | 'look'
        | 'look again'
        | 'errands'
        | 'year'
        | 'renew'
        | 'link'
        | 'tidy'
        | 'give way'
        | 'erase'
    }
  | { do: 'use'; which: number }
  | { do: 'lost'; grunn: 'tapt' | 'lekket' }
  | { do: 'replace'; grunn: 'tapt' | 'lekket'; which: number }
  | { do: 'die'; at: `${StepName}:before` | `${StepName}:after` }
  | { do: 'pass'; ms: number }

const which = fc.nat(5)
const grunn = fc.constantFrom('tapt' as const, 'lekket' as const)
const lost: VippsFault[] = [
  { kind: 'reset' },
  { kind: 'reset', accepts: true },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 500, accepts: true },
  { kind: 'locked' },
  // It says that it is done, and nothing is.
  { kind: 'status', status: 200 },
]
/** A payment that is read back, and is not the one that was asked for. */
const others: VippsFault[] = [
  { kind: 'wrongAmount', amountOre: 100 },
  { kind: 'wrongCurrency', currency: 'DKK' },
  { kind: 'wrongMerchant', merchantSerialNumber: '999999' },
  { kind: 'wrongReference', reference: 'bo-0000000000-1' },
  { kind: 'altered', change: { state: 'PARTIALLY_CAPTURED' } },
  { kind: 'altered', change: { aggregate: null } },
  { kind: 'notJson' },
]
const refusals: Omit<MailFault, 'times'>[] = [
  { at: 'rcpt', does: 550 },
  { at: 'rcpt', does: 450 },
  { at: 'end', does: 'reset' },
  { at: 'end', does: 554 },
  { at: 'mail', does: 550 },
]
const often = fc.constantFrom(1, 1, 2, 1000)
const points = steps.flatMap((name) => [`${name}:before`, `${name}:after`] as const)

const events: fc.Arbitrary<Event> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('work' as const).map((name) => ({ do: name })) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(5000, MINUTE_MS, 13 * MINUTE_MS, HOUR_MS, DAY_MS, 3 * DAY_MS, 8 * DAY_MS),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'approve',
        'approve',
        'abort',
        'expire',
        'refund',
        'refund',
        'revoke',
        'decide',
        'address',
        'form',
      ),
      which,
    }) as fc.Arbitrary<Event>,
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('portal' as const),
      act: fc.constantFrom('capture', 'part', 'refund', 'part back', 'cancel'),
      which,
    }) as fc.Arbitrary<Event>,
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('hear', 'hear', 'hear twice', 'lose'),
      which,
    }) as fc.Arbitrary<Event>,
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('vipps' as const),
      call: fc.constantFrom('create', 'get', 'capture', 'cancel', 'refund', 'alle'),
      fault: fc.constantFrom(...lost),
      times: often,
    }) as fc.Arbitrary<Event>,
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('vipps' as const),
      call: fc.constant('get' as const),
      fault: fc.constantFrom(...others),
      times: often,
    }) as fc.Arbitrary<Event>,
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...refusals), often)
      .map(([fault, times]) => ({ do: 'mail' as const, fault: { ...fault, times } })),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        'well',
        'well',
        'both',
        'look',
        'look again',
        'errands',
        'year',
        'renew',
        'link',
        'tidy',
        'give way',
        'erase',
      )
      .map((name) => ({ do: name }) as Event),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('use' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lost' as const), grunn }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('replace' as const), grunn, which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('die' as const), at: fc.constantFrom(...points) }) },
)

/** Most of what can happen happens to an order that was approved. */
export const stories: fc.Arbitrary<{ story: Event[]; hearsAll: boolean }> = fc
  .record({
    beginning: fc.constantFrom<Event[]>(
      [],
      [{ do: 'approve', which: 0 }],
      [{ do: 'approve', which: 0 }, { do: 'pass', ms: 5000 }, { do: 'work' }],
    ),
    rest: fc.array(events, { minLength: 3, maxLength: 40, size: 'max' }),
    hearsAll: fc.boolean(),
  })
  .map(({ beginning, rest, hearsAll }) => ({ story: [...beginning, ...rest], hearsAll }))

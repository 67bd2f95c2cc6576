import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { DAY_MS, HOUR_MS } from '#src/core/units.ts'
import { type OrderCore, type OrderFact, step } from '#src/sales/order.ts'
import { differencesOf, type ObservedPayment } from '#src/sales/payment.ts'
import type { OrderState } from '#src/storage/order-states.ts'

const AT = new Date('2026-05-04T10:00:00.000Z')
const MERCHANT = '123456'

describe('P31: a payment that is not the one we asked for', () => {
  test.each([
    ['a smaller amount', { amountOre: 100 }],
    ['another amount reserved than asked for', { authorizedOre: 100 }],
    ['another currency', { currency: 'DKK' }],
    ['another merchant', { merchantSerialNumber: '999999' }],
    ['another reference', { reference: 'bo-0000000000-1' }],
  ])('%s: no key, and an operator is told', (_, wrong: Partial<ObservedPayment>) => {
    const { order, effects } = step(created(), seen({ ...authorized(), ...wrong }), policy.sales)
    expect(order).toMatchObject({ state: 'avvik', alarm: 'betaling_avviker' })
    expect(effects).toEqual([])
  })

  test('an answer that does not name the merchant is believed: it was asked for as one', () => {
    const payment = { ...authorized(), merchantSerialNumber: null }
    expect(differencesOf(payment, { ...created(), merchant: MERCHANT })).toEqual([])
    expect(step(created(), seen(payment), policy.sales).order.state).toBe('reservert')
  })
})

describe('an order', () => {
  test.each(['0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '2026-05-04T10:00:00Z'])(
    'P31: whose reservation is guaranteed until %s, before it was ordered at all, is delivered as one of which nothing is told',
    (until) => {
      const payment = { ...authorized(), captureGuaranteedUntil: new Date(until) }
      const { order } = step(created(), seen(payment), policy.sales)
      expect(order.guaranteedUntil).toBeNull()
      expect(step(order, { kind: 'time', at: AT }, policy.sales).order.state).toBe('reservert')
    },
  )

  test('P31: that is let go, since its reservation is guaranteed for some hours alone, is told to operators', () => {
    const until = (ms: number) => ({
      ...authorized(),
      captureGuaranteedUntil: new Date(AT.getTime() + ms),
    })
    const short = step(created(), seen(until(HOUR_MS)), policy.sales).order
    expect(step(short, { kind: 'time', at: AT }, policy.sales).order).toMatchObject({
      state: 'kanselleres',
      reason: 'levering_oppgitt',
      alarm: 'betaling_avviker',
    })
    const week = step(created(), seen(until(7 * DAY_MS)), policy.sales).order
    const later = new Date(AT.getTime() + policy.sales.deliverForMs)
    expect(step(week, { kind: 'time', at: later }, policy.sales).order).toMatchObject({
      state: 'kanselleres',
      alarm: null,
    })
  })

  test('that nobody approved comes to nothing, as Vipps says or when it is over', () => {
    for (const [state, outcome] of [
      ['ABORTED', 'avbrutt'],
      ['TERMINATED', 'avbrutt'],
      ['EXPIRED', 'utlopt'],
    ] as const) {
      const payment = { ...authorized(), state, authorizedOre: 0 }
      expect(step(created(), seen(payment), policy.sales).order.state).toBe(outcome)
    }
    const late = new Date(AT.getTime() + policy.sales.paymentWindowMs)
    expect(step(created(), seen(null), policy.sales).order.state).toBe('opprettet')
    expect(step(created(), seen(null, late), policy.sales).order.state).toBe('utlopt')
  })

  test('P110: whose money was taken and given back in the portal before its key is out gets none', () => {
    const back = { ...authorized(), capturedOre: 49_900, refundedOre: 49_900 }
    const unseen = step(created(), seen(back), policy.sales)
    expect([unseen.order.state, unseen.effects]).toEqual(['avbrutt', []])
    const waiting = step(created(), seen(authorized()), policy.sales).order
    const { order, effects } = step(waiting, seen(back), policy.sales)
    expect(order).toMatchObject({ state: 'kansellert', reason: 'reservasjon_borte' })
    expect(effects).toEqual(['tilbakekall_nokler'])
    // A part of it given back is the seller's kindness, and the key is paid for.
    const part = step(created(), seen({ ...back, refundedOre: 100 }), policy.sales)
    expect(part.order.state).toBe('reservert')
  })

  test('P110: attack: that was taken whole is not told of for what was asked before it was, and answered after', () => {
    let order = step(created(), seen(authorized()), policy.sales).order
    for (const fact of [
      { kind: 'mail_accepted', at: AT },
      { kind: 'captured', moved: { capturedOre: 49_900, refundedOre: 0 }, at: AT },
    ] as OrderFact[])
      order = step(order, fact, policy.sales).order
    expect(order.state).toBe('fullfort')
    const before = new Date(AT.getTime() - 1000)
    expect(step(order, seen(authorized(), before), policy.sales).order.alarm).toBe(null)
    const after = new Date(AT.getTime() + 1000)
    expect(step(order, seen(authorized(), after), policy.sales).order.alarm).toBe('betaling_avviker')
  })

  test('P110: attack: two look at its payment while it is given back in parts: the slower, asked before, takes nothing back', () => {
    let order = step(created(), seen(authorized()), policy.sales).order
    const later = (seconds: number) => new Date(AT.getTime() + 1000 * seconds)
    const given = (refundedOre: number) => ({ ...authorized(), capturedOre: 49_900, refundedOre })
    for (const fact of [
      { kind: 'mail_accepted', at: AT },
      { kind: 'captured', moved: { capturedOre: 49_900, refundedOre: 0 }, at: AT },
      seen(given(20_000), later(3)),
      seen(given(100), later(2)),
    ] as OrderFact[])
      order = step(order, fact, policy.sales).order
    expect(order.moved).toEqual({ capturedOre: 49_900, refundedOre: 20_000 })
  })

  test('P110: attack: that came to nothing, taken in the portal: who asked before that, and is answered after, tells it off for nobody', () => {
    const taken = { ...authorized(), capturedOre: 49_900 }
    let order = step(created(), seen(authorized()), policy.sales).order
    for (const fact of [
      { kind: 'revoked', at: AT },
      { kind: 'cancelled', at: AT },
    ] as OrderFact[])
      order = step(order, fact, policy.sales).order
    const told = step(order, seen(taken, new Date(AT.getTime() + 3000)), policy.sales).order
    expect(told).toMatchObject({ state: 'kansellert', alarm: 'betaling_avviker' })
    expect(step(told, seen(authorized(), new Date(AT.getTime() + 2000)), policy.sales).order).toBe(told)
    const back = step(
      told,
      seen({ ...taken, refundedOre: 49_900 }, new Date(AT.getTime() + 4000)),
      policy.sales,
    )
    expect(back.order.alarm).toBe(null)
  })

  test('whose address is refused waits for another, as often as is reasonable, and then lets the money go', () => {
    let order = step(created(), seen(authorized()), policy.sales).order
    for (let address = 1; address < policy.sales.addressesMax; address += 1) {
      order = step(order, { kind: 'address_refused', at: AT }, policy.sales).order
      expect(order.state).toBe('avvist')
      const again = step(order, { kind: 'other_address', at: AT }, policy.sales)
      expect(again.effects).toEqual([{ errand: 'lever', number: address + 1, notBefore: AT }])
      order = again.order
    }
    order = step(order, { kind: 'address_refused', at: AT }, policy.sales).order
    expect(step(order, { kind: 'other_address', at: AT }, policy.sales).order).toBe(order)
    const over = step(order, { kind: 'time', at: order.addressUntil ?? AT }, policy.sales)
    expect(over.order).toMatchObject({ state: 'kanselleres', reason: 'adresse_avvist' })
    expect(over.effects).toContain('tilbakekall_nokler')
  })
})

/**
 * A world in miniature: what is durable, what Vipps holds, and whoever works. Mails and charges happen outside the order's
 * transaction, so between a mail that was sent and the fact that it was, anything else may come, or nothing ever.
 */
type World = {
  order: OrderCore
  errands: Set<string>
  /** Whether each key may have arrived, and whether it still works. */
  keys: { mayHaveArrived: boolean; isVoid: boolean; isActive: boolean; everWorked: boolean }[]
  vipps: ObservedPayment
  at: Date
  /** Mails and charges whose outcome nobody has recorded yet. */
  pending: (() => void)[]
}

type Act =
  | {
      do:
        | 'look'
        | 'approve'
        | 'abort'
        | 'expire'
        | 'capture'
        | 'cancel'
        | 'portal_cancel'
        | 'pass'
        | 'address'
    }
  | { do: 'mail'; outcome: 'accepted' | 'refused_recipient' | 'temporary' | 'unknown'; isRecorded: boolean }
  | { do: 'use'; key: number }
  | { do: 'record'; which: number }
  | { do: 'capture_refused' }

const acts: fc.Arbitrary<Act> = fc.oneof(
  fc
    .constantFrom<Act['do']>('look', 'approve', 'look', 'capture', 'cancel', 'pass', 'address')
    .map((name) => ({ do: name }) as Act),
  fc
    .constantFrom<Act['do']>('abort', 'expire', 'portal_cancel', 'capture_refused')
    .map((name) => ({ do: name }) as Act),
  fc.record({
    do: fc.constant('mail' as const),
    outcome: fc.constantFrom('accepted', 'refused_recipient', 'temporary', 'unknown'),
    isRecorded: fc.boolean(),
  }),
  fc.record({ do: fc.constant('use' as const), key: fc.nat(5) }),
  fc.record({ do: fc.constant('record' as const), which: fc.nat(5) }),
)

describe('P29, P30, P32: over any interleaving of events, crashes, refusals and repetitions', () => {
  test('money is taken only for a delivered key, one key at most ever works, and none works in the end without its money', () => {
    const reached = new Set<OrderState>()
    fc.assert(
      fc.property(fc.boolean(), fc.array(acts, { maxLength: 40, size: 'max' }), (isApproved, script) => {
        const world = newWorld()
        // Most of what can happen happens to a paid order.
        const first: Act[] = isApproved ? [{ do: 'approve' }, { do: 'look' }] : []
        for (const act of [{ do: 'look' } as Act, ...first, ...script]) {
          perform(world, act)
          hold(world)
          reached.add(world.order.state)
        }
        settle(world)
        reached.add(world.order.state)
        hold(world)
        inTheEnd(world)
      }),
      { numRuns: 3000, seed: 20_260_504 },
    )
    // The walk has been everywhere it can go without a foreign payment.
    expect([...reached].sort()).toEqual(
      [
        'opprettet',
        'reservert',
        'avvist',
        'sendt',
        'kanselleres',
        'fullfort',
        'kansellert',
        'avbrutt',
        'utlopt',
        'tapt',
      ].sort(),
    )
  })
})

function hold({ order, keys, vipps }: World): void {
  expect(keys.filter(({ everWorked }) => everWorked).length).toBeLessThanOrEqual(1)
  if (vipps.capturedOre > 0) expect(keys.some(({ mayHaveArrived }) => mayHaveArrived)).toBe(true)
  if (vipps.capturedOre > 0) expect(vipps.cancelledOre).toBe(0)
  if (['kansellert', 'kanselleres', 'avbrutt', 'utlopt', 'tapt', 'avvik'].includes(order.state))
    expect(keys.every(({ isVoid }) => isVoid)).toBe(true)
}

function inTheEnd({ order, keys, vipps }: World): void {
  expect(['fullfort', 'kansellert', 'avbrutt', 'utlopt', 'tapt']).toContain(order.state)
  if (order.state === 'fullfort') {
    expect(vipps.capturedOre).toBe(order.amountOre)
    expect(keys.some(({ isVoid, mayHaveArrived }) => mayHaveArrived && !isVoid)).toBe(true)
  } else {
    expect(vipps.capturedOre).toBe(0)
    expect(keys.every(({ isVoid }) => isVoid)).toBe(true)
  }
}

function perform(world: World, act: Act): void {
  const { order, vipps, at } = world
  switch (act.do) {
    case 'look':
      take(world, seen({ ...vipps }, at))
      return
    case 'approve':
      if (vipps.state === 'CREATED')
        Object.assign(vipps, { state: 'AUTHORIZED', authorizedOre: order.amountOre })
      return
    case 'abort':
      if (vipps.state === 'CREATED') vipps.state = 'ABORTED'
      return
    case 'expire':
      if (vipps.state === 'CREATED') vipps.state = 'EXPIRED'
      return
    case 'portal_cancel':
      if (isReserved(vipps)) vipps.cancelledOre = order.amountOre
      return
    case 'pass':
      world.at = new Date(at.getTime() + 31 * 60 * 60_000)
      return
    case 'address':
      take(world, { kind: 'other_address', at })
      return
    case 'mail':
      mail(world, act)
      return
    case 'use': {
      const key = world.keys[act.key]
      if (key?.mayHaveArrived && !key.isVoid && !key.isActive) {
        for (const other of world.keys) if (other !== key) other.isVoid = true
        key.isActive = true
        key.everWorked = true
      }
      return
    }
    case 'capture':
      if (!world.errands.has('trekk') || order.state !== 'sendt') return
      if (isReserved(vipps)) vipps.capturedOre = order.amountOre
      world.pending.push(() =>
        take(
          world,
          vipps.capturedOre > 0
            ? { kind: 'captured', moved: vipps, at: world.at }
            : { kind: 'capture_impossible', at: world.at },
        ),
      )
      return
    case 'capture_refused':
      if (order.state !== 'sendt' || vipps.capturedOre > 0) return
      vipps.cancelledOre = order.amountOre
      take(world, { kind: 'capture_impossible', at })
      return
    case 'cancel':
      cancel(world)
      return
    case 'record':
      world.pending.splice(act.which % Math.max(1, world.pending.length), 1)[0]?.()
  }
}

function mail(world: World, { outcome, isRecorded }: Extract<Act, { do: 'mail' }>): void {
  if (!world.errands.has(`lever ${world.order.deliveries}`) || world.order.state !== 'reservert') return
  if (world.keys.some(({ isActive }) => isActive)) {
    take(world, { kind: 'key_used', at: world.at })
    return
  }
  take(world, { kind: 'time', at: world.at })
  if ((world.order.state as OrderState) !== 'reservert') return
  const key = {
    mayHaveArrived: outcome === 'accepted' || outcome === 'unknown',
    isVoid: false,
    isActive: false,
    everWorked: false,
  }
  world.keys.push(key)
  const record = () => {
    if (world.keys.some(({ isActive }) => isActive)) {
      take(world, { kind: 'key_used', at: world.at })
      return
    }
    if (outcome === 'accepted') {
      take(world, { kind: 'mail_accepted', at: world.at })
      return
    }
    if (outcome !== 'unknown') key.isVoid = true
    if (outcome === 'refused_recipient') take(world, { kind: 'address_refused', at: world.at })
  }
  if (isRecorded) record()
  // Otherwise it is recorded later, or the process has died and it never is: a script may well not come to it.
  else world.pending.push(record)
}

function cancel(world: World): void {
  if (![...world.errands].some((errand) => errand.startsWith('kanseller'))) return
  const isUsed = world.keys.some(({ isActive }) => isActive)
  take(world, { kind: isUsed ? 'key_used' : 'time', at: world.at })
  if (world.order.state !== 'kanselleres') return
  if (isReserved(world.vipps)) world.vipps.cancelledOre = world.order.amountOre
  world.pending.push(() => take(world, { kind: 'cancelled', at: world.at }))
}

/** What has crashed is forgotten, and everybody goes on trying until nothing changes any more. */
function settle(world: World): void {
  world.pending = []
  if (world.vipps.state === 'CREATED') world.vipps.state = 'EXPIRED'
  for (let turn = 0; turn < 20; turn += 1) {
    for (const name of ['look', 'capture', 'cancel'] as const) perform(world, { do: name })
    for (const record of world.pending.splice(0)) record()
    perform(world, { do: 'mail', outcome: 'temporary', isRecorded: true })
    perform(world, { do: 'pass' })
  }
}

function take(world: World, fact: OrderFact): void {
  const { order, effects } = step(world.order, fact, policy.sales)
  world.order = order
  for (const effect of effects) {
    if (effect === 'tilbakekall_nokler') for (const key of world.keys) key.isVoid = true
    else {
      world.errands.add(`${effect.errand} ${effect.number}`)
      world.errands.add(effect.errand)
    }
  }
}

function isReserved({ state, capturedOre, cancelledOre }: ObservedPayment): boolean {
  return state === 'AUTHORIZED' && capturedOre === 0 && cancelledOre === 0
}

function newWorld(): World {
  return {
    order: created(),
    errands: new Set(),
    keys: [],
    vipps: { ...authorized(), state: 'CREATED', authorizedOre: 0 },
    at: AT,
    pending: [],
  }
}

function created(): OrderCore {
  return {
    reference: 'bo-abcdefghjk-1',
    amountOre: 49_900,
    currency: 'NOK',
    state: 'opprettet',
    createdAt: AT,
    pspReference: null,
    reservedAt: null,
    guaranteedUntil: null,
    addressUntil: null,
    deliveries: 0,
    capturedAt: null,
    refundedAt: null,
    moved: null,
    reason: null,
    alarm: null,
  }
}

function authorized(): ObservedPayment {
  return {
    reference: 'bo-abcdefghjk-1',
    state: 'AUTHORIZED',
    amountOre: 49_900,
    currency: 'NOK',
    merchantSerialNumber: MERCHANT,
    authorizedOre: 49_900,
    capturedOre: 0,
    refundedOre: 0,
    cancelledOre: 0,
    pspReference: 'psp-1',
    captureGuaranteedUntil: null,
  }
}

function seen(payment: ObservedPayment | null, at = AT): OrderFact {
  return { kind: 'payment', payment, merchant: MERCHANT, at }
}

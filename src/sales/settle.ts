import { claimErrand, type Errand, finishErrand, postponeErrand } from '#src/storage/errands.ts'
import { isKeyUsed } from '#src/storage/key-chain.ts'
import type { StoredOrder } from '#src/storage/orders.ts'
import { askForCheck } from '#src/storage/payment-checks.ts'
import type { SalesContext } from './context.ts'
import { PaymentRefusedError, PaymentUnavailableError } from './errors.ts'
import { retryAt } from './mailing.ts'
import type { OrderFact } from './order.ts'
import { isHeldNoMore, isMoneyGone, type ObservedPayment } from './payment.ts'
import type { Payments, Settlement } from './ports.ts'
import { type HeldOrder, holdOrder, recordFact } from './record-fact.ts'
import { failpoint } from './steps.ts'

/**
 * Takes the money of an order whose key was delivered. Safe to run twice, also at once: the same key of the same order takes
 * it once. Whatever Vipps answers, the payment is read back: no answer is no refusal, and a success that moved nothing is no money.
 */
export async function captureMoney(
  context: SalesContext,
  errand: Errand,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { policy, reached } = context
  const begun = await begin(context, errand, async (held) => (held.core.state === 'sendt' ? held : null))
  if (begun === null) return
  const { order, claimed, payments } = begun
  const call = { signal: AbortSignal.any([signal, AbortSignal.timeout(policy.paymentDeadlineMs)]) }
  const asked = await failpoint(reached, 'money-captured', () =>
    answered(() =>
      moveRest(
        begun,
        { rest: ({ capturedOre }) => order.belopOre - capturedOre, by: 'trekk', move: payments.capture },
        call,
      ),
    ),
  )
  const seen = await readBack(payments, order, call)
  const isTaken = isSeen(seen, (payment) => payment.capturedOre >= order.belopOre && !isMoneyGone(payment))
  const isTooLate = age(context, errand) >= policy.captureForMs
  // What nobody could tell is not lost yet, however late it is: it may have been taken, and the answer not heard, or not be shown yet.
  const isLost = isTaken === false && (asked === 'gone' || (isTooLate && asked !== 'done'))
  await failpoint(reached, 'capture-stored', async () => {
    if (!isTaken && !isLost && age(context, errand) >= policy.captureAlarmMs)
      await tellDelayed(context, errand)
    await end(context, claimed, {
      fact:
        isTaken && seen ? { kind: 'captured', moved: seen } : isLost ? { kind: 'capture_impossible' } : null,
      outcome: isTaken ? 'trukket' : 'trekk_umulig',
      isRefused: asked === 'refused' || (asked === 'done' && isTaken === false),
    })
  })
}

/**
 * Lets the reservation of an order go. The keys are void before Vipps is asked; a key that turns out to have arrived before
 * that is a delivery, and there is nothing to cancel. It is read back, as what is taken is. It is tried until it is done; an operator is
 * told when that takes long. Safe to run twice, also at once.
 */
export async function cancelPayment(
  context: SalesContext,
  errand: Errand,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { policy, reached } = context
  const begun = await begin(context, errand, async (held, connection, at) => {
    const isUsed = await isKeyUsed(connection, { kjede: errand.gjelder, levering: null })
    const now = await recordFact(connection, context, held, { kind: isUsed ? 'key_used' : 'time', at })
    if (now.core.state === 'kanselleres') return now
    // Another address was given, or there is time left to give one.
    return now.core.state === 'avvist' ? 'not yet' : null
  })
  if (begun === null) return
  const { order, claimed, payments } = begun
  const call = { signal: AbortSignal.any([signal, AbortSignal.timeout(policy.paymentDeadlineMs)]) }
  const asked = await failpoint(reached, 'payment-cancelled', () =>
    answered(() =>
      payments.cancel({ reference: order.referanse, idempotencyKey: keyOf(order, 'avbryt', claimed) }, call),
    ),
  )
  const isLetGo = asked === 'gone' || isSeen(await readBack(payments, order, call), isHeldNoMore)
  // One whose address was refused has waited for another.
  const dueAt = Math.max(errand.laget.getTime(), order.adressefrist?.getTime() ?? 0)
  const isLate = context.clock.now().getTime() - dueAt >= policy.cancelAlarmMs
  await failpoint(reached, 'cancellation-stored', async () => {
    if (!isLetGo && isLate) await tellDelayed(context, errand)
    await end(context, claimed, {
      fact: isLetGo ? { kind: 'cancelled' } : null,
      outcome: 'kansellert',
      isRefused: asked === 'refused' || (asked === 'done' && isLetGo === false),
    })
  })
}

/**
 * Gives back the money of an order whose keys have ended. Safe to run twice, also at once: the same key of the same order gives
 * it back once, and Vipps gives back no more than it took. It is read back, as what is taken is. It is owed, so it is tried until it
 * is done; an operator is told when that takes long.
 */
export async function refundMoney(
  context: SalesContext,
  errand: Errand,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { policy, reached } = context
  const begun = await begin(context, errand, async (held) => (held.core.state === 'refunderes' ? held : null))
  if (begun === null) return
  const { order, claimed, payments } = begun
  const call = { signal: AbortSignal.any([signal, AbortSignal.timeout(policy.paymentDeadlineMs)]) }
  const asked = await failpoint(reached, 'money-refunded', () =>
    answered(() => moveRest(begun, { rest: keptOf, by: 'refusjon', move: payments.refund }, call)),
  )
  const seen = await readBack(payments, order, call)
  const isGiven = isSeen(seen, (payment) => payment.refundedOre > 0 && keptOf(payment) <= 0)
  await failpoint(reached, 'refund-stored', async () => {
    if (!isGiven && age(context, errand) >= policy.refundAlarmMs) await tellDelayed(context, errand)
    await end(context, claimed, {
      fact: isGiven && seen ? { kind: 'refunded', moved: seen } : null,
      outcome: 'refundert',
      // A reservation that is gone was taken: what Vipps means by it is for another time, under another name.
      isRefused: asked === 'refused' || asked === 'gone' || (asked === 'done' && isGiven === false),
    })
  })
}

type Begun = { order: StoredOrder; claimed: Errand; payments: Payments }

/** Takes the errand on, if the order still wants it by what `isWanted` says: null when it does not. */
async function begin(
  context: SalesContext,
  errand: Errand,
  isWanted: (
    held: HeldOrder,
    connection: Parameters<typeof holdOrder>[0],
    at: Date,
  ) => Promise<HeldOrder | 'not yet' | null>,
): Promise<Begun | null> {
  const { db, clock, log, policy, shop } = context
  const at = clock.now()
  if (shop === null) {
    log.error({ ordre: errand.gjelder }, 'money waits to be settled, and access to Vipps is not configured')
    await claimErrand(db, errand, { at, until: retryAt(policy.moneyRetryMs, policy.moneyRetryMs.length, at) })
    return null
  }
  const until = new Date(at.getTime() + policy.leaseMs)
  return db.transaction(async (connection) => {
    const held = await holdOrder(connection, errand.gjelder)
    const claimed = await claimErrand(connection, errand, { at, until })
    if (held === null || claimed === null) return null
    const wanted = await isWanted(held, connection, at)
    if (wanted === null) await finishErrand(connection, errand, 'uaktuell', at)
    if (wanted === 'not yet')
      await postponeErrand(connection, claimed, held.core.addressUntil ?? retryAt(policy.moneyRetryMs, 1, at))
    return wanted === null || wanted === 'not yet'
      ? null
      : { order: wanted.stored, claimed, payments: shop.payments }
  })
}

type Settled =
  | Pick<Extract<OrderFact, { kind: 'captured' | 'refunded' }>, 'kind' | 'moved'>
  | { kind: 'capture_impossible' | 'cancelled' }

async function end(
  context: SalesContext,
  errand: Errand,
  {
    fact,
    outcome,
    isRefused,
  }: {
    fact: Settled | null
    outcome: string
    isRefused: boolean
  },
): Promise<void> {
  const { db, clock, log, policy } = context
  const at = clock.now()
  await db.transaction(async (connection) => {
    // What was done with it in the portal is why Vipps refuses, and is let go by nobody: it is told when it is seen.
    if (isRefused || errand.slag === 'kanseller') await askForCheck(connection, errand.gjelder, at)
    if (fact === null) {
      if (isRefused)
        log.error({ ordre: errand.gjelder, slag: errand.slag }, 'Vipps refuses; it is tried again')
      return postponeErrand(connection, errand, retryAt(policy.moneyRetryMs, errand.forsok, at), {
        isRefused,
      })
    }
    const held = await holdOrder(connection, errand.gjelder)
    if (held !== null) await recordFact(connection, context, held, { ...fact, at })
    await finishErrand(connection, errand, outcome, at)
  })
}

async function tellDelayed(context: SalesContext, errand: Errand): Promise<void> {
  await context.db.transaction(async (connection) => {
    const held = await holdOrder(connection, errand.gjelder)
    const at = context.clock.now()
    if (held !== null) await recordFact(connection, context, held, { kind: 'money_delayed', at })
  })
}

/**
 * All of it; and when that was refused what is left of it, since a part may have been moved in the portal. Nothing left is a refusal
 * too: the payment itself tells what is true.
 */
async function moveRest(
  { order, claimed, payments }: Begun,
  {
    rest,
    by,
    move,
  }: { rest: (payment: ObservedPayment) => number; by: 'trekk' | 'refusjon'; move: Payments['capture'] },
  call: { signal: AbortSignal },
): Promise<Settlement> {
  const payment = claimed.omgang === 0 ? null : await readOwn(payments, order, call)
  const amountOre = payment === null ? order.belopOre : rest(payment)
  if (amountOre <= 0) return 'refused'
  const idempotencyKey = keyOf(order, by, claimed)
  return move({ reference: order.referanse, amountOre, currency: order.valuta, idempotencyKey }, call)
}

/** What is to be given back: what was taken, be it less than all of it. */
const keptOf = ({ capturedOre, refundedOre }: ObservedPayment) => capturedOre - refundedOre

/** No answer is `later`: nothing was found out. */
async function answered(ask: () => Promise<Settlement>): Promise<Settlement> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof PaymentUnavailableError) return 'later'
    if (error instanceof PaymentRefusedError) return 'refused'
    throw error
  }
}

/** The payment itself: null when there is none, undefined when it can not be heard. */
async function readBack(
  payments: Payments,
  order: StoredOrder,
  call: { signal: AbortSignal },
): Promise<ObservedPayment | null | undefined> {
  try {
    return await readOwn(payments, order, call)
  } catch (error) {
    if (error instanceof PaymentUnavailableError || error instanceof PaymentRefusedError) return undefined
    throw error
  }
}

/** Another's that was taken or given back would have this one's never be. @throws PaymentUnavailableError of this one nothing was heard */
async function readOwn(
  payments: Payments,
  { referanse }: StoredOrder,
  call: { signal: AbortSignal },
): Promise<ObservedPayment | null> {
  const payment = await payments.read(referanse, call)
  if (payment !== null && payment.reference !== referanse)
    throw new PaymentUnavailableError(new Error('the answer is about another payment'))
  return payment
}

/** What the payment itself says; null when it can not be heard. */
function isSeen(
  seen: ObservedPayment | null | undefined,
  isSo: (payment: ObservedPayment) => boolean,
): boolean | null {
  return seen === undefined ? null : seen !== null && isSo(seen)
}

/** The same as long as it may still be carried out; a refusal, or a success that moved nothing, is for ever under its key. At most 50 characters. */
function keyOf(
  { referanse }: StoredOrder,
  what: 'trekk' | 'avbryt' | 'refusjon',
  { omgang }: Errand,
): string {
  return omgang === 0 ? `${referanse}-${what}` : `${referanse}-${what}-${omgang}`
}

function age({ clock }: SalesContext, errand: Errand): number {
  return clock.now().getTime() - errand.laget.getTime()
}

import { setTimeout as pause } from 'node:timers/promises'
import { type Each, uncounted } from '#src/core/repeat.ts'
import { findOrder, type StoredOrder, whyNotRenewed } from '#src/storage/orders.ts'
import { claimCheck, claimChecks, endCheck } from '#src/storage/payment-checks.ts'
import type { SalesContext } from './context.ts'
import { PaymentRefusedError, PaymentUnavailableError } from './errors.ts'
import { step } from './order.ts'
import { differencesOf, type ObservedPayment } from './payment.ts'
import { coreOf, holdOrder, recordFact } from './record-fact.ts'
import { failpoint } from './steps.ts'

/**
 * Reads the payment of an order back from Vipps and lets the order take the step that follows. Whoever has a reason to look
 * comes here: a message of Vipps, the clock, the sweep. Of many at once one reads.
 */
export async function observePayment(
  context: SalesContext,
  id: string,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { db, clock, shop, policy } = context
  const at = clock.now()
  const order = await findOrder(db, id)
  if (order === null || shop === null) return
  const next = new Date(at.getTime() + pauseAfter(order, at, policy))
  if (!(await claimCheck(db, id, { at, next }))) return
  await lookAtPayment(context, { order, next }, { signal })
}

/**
 * Reads back every payment that is due, the newest Vipps has told of first: some at once, and so many in a second. An unpaid
 * order nothing has happened to costs a question to Vipps and its part of one statement here.
 *
 * @param changed an order has come to something: what follows from that is due
 */
export async function observeDuePayments(
  context: SalesContext,
  { signal, each = uncounted }: { signal: AbortSignal; each?: Each },
  changed: (id: string) => void,
): Promise<void> {
  const { db, clock, shop, policy } = context
  if (shop === null) return
  const waiting: Claimed[] = []
  const failures: unknown[] = []
  let claiming: Promise<void> | null = null
  let paced: Promise<void> = Promise.resolve()
  let isDone = false

  /** The next page is taken on when nobody is left in this one, and not before the time it may take is over. */
  async function claim(): Promise<void> {
    await paced
    const page = await claimChecks(db, {
      at: clock.now(),
      limit: policy.pageSize,
      windowMs: policy.paymentWindowMs,
      everyMs: policy.pollEveryMs,
      slowlyMs: policy.pollSlowlyMs,
      takenMs: policy.lookAgain.everyMs,
    })
    const pageMs = (1000 * page.length) / policy.readsPerSecond
    paced = pause(pageMs, undefined, { signal, ref: false }).catch(() => {})
    waiting.push(...page)
    isDone = page.length < policy.pageSize
  }

  async function next(): Promise<Claimed | undefined> {
    while (waiting.length === 0 && !isDone && !signal.aborted) {
      claiming ??= claim().finally(() => {
        claiming = null
      })
      await claiming
    }
    return signal.aborted ? undefined : waiting.shift()
  }

  async function hand(): Promise<void> {
    for (let claimed = await next(); claimed !== undefined; claimed = await next()) {
      const { id } = claimed.order
      await each(() => lookAtPayment(context, claimed, { signal })).then(
        (isChanged) => isChanged && changed(id),
        (error) => failures.push(error),
      )
    }
  }

  await Promise.all(Array.from({ length: policy.readsAtOnce }, hand))
  if (failures.length > 0) throw failures[0]
}

/** An order whose payment somebody here reads back; the next time it is due. */
type Claimed = { order: StoredOrder; next: Date }

/** @returns whether the order is another than before */
async function lookAtPayment(
  context: SalesContext,
  { order, next }: Claimed,
  { signal }: { signal: AbortSignal },
): Promise<boolean> {
  const { db, clock, shop, policy, reached } = context
  if (shop === null) return false
  if (order.viker !== null && order.tilstand === 'opprettet') await letGo(context, order, signal)
  // What it tells is no newer than the question.
  const at = clock.now()
  const payment = await read(context, order, signal)
  if (payment === undefined) return false
  const { merchant } = shop.payments
  const fact = { kind: 'payment', payment, merchant, at } as const
  // Most are unpaid, and stay so: there is nothing to write.
  const core = coreOf(order)
  if (core.state === 'opprettet' && step(core, fact, policy).order === core) return false
  return failpoint(reached, 'payment-stored', () =>
    db.transaction(async (connection) => {
      const held = await holdOrder(connection, order.id)
      if (held === null) return false
      const notRenewed = await whyNotRenewed(connection, held.stored)
      const after = await recordFact(connection, context, held, { ...fact, notRenewed })
      // Of what has become of this payment an answer about something else says nothing. An operator is told the first time, and it is
      // asked once more.
      const isOfAnother = payment !== null && differencesOf(payment, { ...held.core, merchant }).length > 0
      if (!isOfAnother || held.core.alarm !== null) await endCheck(connection, order.id, next)
      return after !== held
    }),
  )
}

/**
 * Only Vipps knows whether somebody approves it at this moment. Whatever it says here, the payment is read back then. Each try
 * has a key of its own: a refusal is for ever under its key, also that of a payment which was not there yet.
 */
async function letGo(
  { shop, clock, log, policy }: SalesContext,
  { id, referanse }: StoredOrder,
  signal: AbortSignal,
): Promise<void> {
  try {
    await shop?.payments.letGo(
      {
        reference: referanse,
        idempotencyKey: `${referanse}-vik-${clock.now().getTime().toString(36)}`,
      },
      { signal: AbortSignal.any([signal, AbortSignal.timeout(policy.paymentDeadlineMs)]) },
    )
  } catch (error) {
    if (!(error instanceof PaymentUnavailableError || error instanceof PaymentRefusedError)) throw error
    log.debug({ err: error, ordre: id }, 'an unpaid order that gives way was not let go')
  }
}

/** Undefined when Vipps could not be heard: it is asked again at the next turn. */
async function read(
  { shop, policy, log, reached }: SalesContext,
  order: StoredOrder,
  signal: AbortSignal,
): Promise<ObservedPayment | null | undefined> {
  try {
    return await failpoint(reached, 'payment-read', async () =>
      shop?.payments.read(order.referanse, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(policy.paymentDeadlineMs)]),
      }),
    )
  } catch (error) {
    if (!(error instanceof PaymentUnavailableError || error instanceof PaymentRefusedError)) throw error
    log.warn({ err: error, ordre: order.id }, 'a payment could not be read back; it is tried again')
    return undefined
  }
}

function pauseAfter(order: StoredOrder, at: Date, policy: SalesContext['policy']): number {
  const age = at.getTime() - order.laget.getTime()
  return age < policy.paymentWindowMs ? policy.pollEveryMs : policy.pollSlowlyMs
}

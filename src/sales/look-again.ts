import { askForLaterChecks } from '#src/storage/payment-checks.ts'
import type { SalesContext } from './context.ts'

/**
 * Has what was taken read back now and again, as long as its key works: somebody may have given it back in Vipps' portal, and the
 * message that told of it was lost. Safe to run twice: what waits to be read waits once.
 */
export async function lookAgain({ db, clock, shop, policy }: SalesContext): Promise<void> {
  if (shop === null) return
  await askForLaterChecks(db, { at: clock.now(), ...policy.lookAgain })
}

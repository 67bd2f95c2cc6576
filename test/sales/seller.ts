import { setTimeout as pause } from 'node:timers/promises'
import type { Sales } from '#src/sales/sales.ts'

/** What a process of the sale is for: to take one order, or to work until it is ended. */
export type Role = 'front' | 'worker'

/** Does what its role says: a worker until `signal`. */
export async function sell(
  role: Role,
  sales: Sales,
  request: Parameters<Sales['placeOrder']>[0],
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  if (role === 'front') {
    await sales.placeOrder(request)
    return
  }
  while (!signal.aborted) {
    await sales.checkPayments({ signal }).catch(() => {})
    await sales.runErrands({ signal }).catch(() => {})
    await pause(20)
  }
}

/**
 * Every step of the way from order to receipt that reaches another party or makes something durable. What lies between two
 * of them can be done again by anybody; that this is so is tested by ending the process before and after each.
 */
export const steps = [
  'order-stored',
  'payment-created',
  'payment-link-stored',
  'payment-read',
  'payment-stored',
  'key-stored',
  'mail-sent',
  'delivery-stored',
  'money-captured',
  'capture-stored',
  'receipt-sent',
  'receipt-stored',
  'payment-cancelled',
  'cancellation-stored',
  'money-refunded',
  'refund-stored',
  'credit-note-sent',
  'credit-note-stored',
] as const

export type StepName = (typeof steps)[number]

/** Told before and after each step. The service has nobody who listens; a test may end the process here. */
export type Reached = (point: `${StepName}:before` | `${StepName}:after`) => void | Promise<void>

export async function failpoint<T>(reached: Reached, name: StepName, work: () => Promise<T>): Promise<T> {
  await reached(`${name}:before`)
  const result = await work()
  await reached(`${name}:after`)
  return result
}

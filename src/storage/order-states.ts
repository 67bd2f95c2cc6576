/**
 * What holds of an order in each of its states. How one leads to another, and why, stands in src/sales/order.ts.
 *
 * - `leadsTo`: what it will come to, or has, if nothing else happens: a payment, a key, nothing, or an operator who decides
 * - `money`: `never` reserved, `held` at Vipps for us, `taken`, `let_go` again, or not ours (`none`)
 * - `isEnd`: nothing leads on from here
 * - `isDelivered`: the buyer has a key
 */
const table = {
  opprettet: { leadsTo: 'payment', money: 'never', isEnd: false, isDelivered: false },
  reservert: { leadsTo: 'key', money: 'held', isEnd: false, isDelivered: false },
  avvist: { leadsTo: 'key', money: 'held', isEnd: false, isDelivered: false },
  sendt: { leadsTo: 'key', money: 'held', isEnd: false, isDelivered: true },
  fullfort: { leadsTo: 'key', money: 'taken', isEnd: true, isDelivered: true },
  kanselleres: { leadsTo: 'nothing', money: 'held', isEnd: false, isDelivered: false },
  kansellert: { leadsTo: 'nothing', money: 'let_go', isEnd: true, isDelivered: false },
  avbrutt: { leadsTo: 'nothing', money: 'never', isEnd: true, isDelivered: false },
  utlopt: { leadsTo: 'nothing', money: 'never', isEnd: true, isDelivered: false },
  refunderes: { leadsTo: 'nothing', money: 'taken', isEnd: false, isDelivered: true },
  refundert: { leadsTo: 'nothing', money: 'let_go', isEnd: true, isDelivered: true },
  tapt: { leadsTo: 'operator', money: 'none', isEnd: true, isDelivered: false },
  avvik: { leadsTo: 'operator', money: 'none', isEnd: true, isDelivered: false },
} as const satisfies Record<string, OrderStateFacts>

export type OrderStateFacts = {
  leadsTo: 'payment' | 'key' | 'nothing' | 'operator'
  money: 'never' | 'held' | 'taken' | 'let_go' | 'none'
  isEnd: boolean
  isDelivered: boolean
}

export type OrderState = keyof typeof table

export const orderStates: Readonly<Record<OrderState, OrderStateFacts>> = table

/** Those this release knows; what they are in a row. */
export const orderStateNames = Object.keys(table) as [OrderState, ...OrderState[]]

/** A condition on `ordre`: it is in one of the states of which this holds. @param column as it is called in the query */
export function inStates(holds: (facts: OrderStateFacts) => boolean, column = 'tilstand'): string {
  const states = Object.keys(table).filter((state) => holds(table[state as OrderState]))
  return `${column} in (${states.map((state) => `'${state}'`).join(', ')})`
}

/**
 * What becomes of the wish that an order be refunded.
 *
 * - `bedt`: it is on its way now. `underveis`: it was before. `refundert`: it is done.
 * - `ikke_trukket`: there is no money of it to give back. `holdes`: there is not yet, and it is taken when its key is delivered.
 * - `for_sent`: Vipps gives back within a year alone.
 */
export type RefundAsked = 'bedt' | 'underveis' | 'refundert' | 'ikke_trukket' | 'holdes' | 'for_sent'

/**
 * What becomes of an operator's word that an order is decided.
 *
 * - `avgjort`: its alarm is put out. `uten_alarm`: it had none.
 * - `underveis`: its money is still to be moved, and the alarm goes out with that.
 */
export type OrderDecided = 'avgjort' | 'uten_alarm' | 'underveis'

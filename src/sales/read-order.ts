import { parseEmailAddress } from '#src/core/email-address.ts'
import { type OrderState, orderStates } from '#src/storage/order-states.ts'
import { findOrderByToken, setOrderAddress } from '#src/storage/orders.ts'
import type { SalesContext } from './context.ts'
import { mayGiveOtherAddress, type OrderReason } from './order.ts'
import { tokenHash } from './place-order.ts'
import { coreOf, holdOrder, recordFact } from './record-fact.ts'

/** What the buyer's page may show: where the order is, truly, and nothing that could be used. There is no key in it. */
export type OrderView = {
  nummer: string
  tilstand: OrderState
  grunn: OrderReason | null
  /** `o••@example.no`; null once it is no longer kept. */
  epost: string | null
  produkt: string
  belopOre: number
  valuta: string
  laget: Date
  /** Where to go on paying, while that can be done. */
  betalingslenke: string | null
  kanGiNyAdresse: boolean
  adressefrist: Date | null
  erFornyelse: boolean
  /** Nothing will change any more: the page need not ask again. */
  erEndelig: boolean
}

/** The order whose page has this token; null when there is none. */
export async function readOrder(
  { db, clock, policy }: SalesContext,
  token: string,
): Promise<OrderView | null> {
  const order = await findOrderByToken(db, tokenHash(token))
  if (order === null) return null
  const core = coreOf(order)
  return {
    nummer: order.id,
    tilstand: core.state,
    grunn: core.reason,
    epost: order.epost === null ? null : masked(order.epost),
    produkt: order.produkt,
    belopOre: order.belopOre,
    valuta: order.valuta,
    laget: order.laget,
    betalingslenke: order.betalingslenke,
    kanGiNyAdresse: mayGiveOtherAddress(core, clock.now(), policy),
    adressefrist: order.adressefrist,
    erFornyelse: order.fornyer !== null,
    erEndelig: orderStates[core.state].isEnd,
  }
}

/**
 * The buyer, by the token of their page, gives another address after theirs was refused. `gjelder` is to be followed up.
 *
 * @throws InputError when it is no address
 */
export async function giveOtherAddress(
  context: SalesContext,
  token: string,
  epost: string,
): Promise<{ utfall: 'sendes'; gjelder: string } | { utfall: 'ikke_mulig' }> {
  const { db, clock } = context
  const address = parseEmailAddress(epost)
  const order = await findOrderByToken(db, tokenHash(token))
  if (order === null) return { utfall: 'ikke_mulig' }
  return db.transaction(async (connection) => {
    const held = await holdOrder(connection, order.id)
    if (held === null) return { utfall: 'ikke_mulig' }
    const after = await recordFact(connection, context, held, { kind: 'other_address', at: clock.now() })
    if (after === held) return { utfall: 'ikke_mulig' }
    await setOrderAddress(connection, order.id, address)
    return { utfall: 'sendes', gjelder: order.id }
  })
}

/** The first letter and the domain: enough to see a typing error in the half that is most often wrong. */
function masked(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, 1)}••${address.slice(at)}`
}

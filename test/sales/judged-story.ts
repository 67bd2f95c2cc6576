import type { Database } from '#src/storage/database.ts'
import { inStates, type OrderStateFacts, orderStates } from '#src/storage/order-states.ts'
import type { VippsStandIn } from '#test/support/vipps-stand-in.ts'
import { rowsWith } from '#test/support/whole-contents.ts'

/** What has to be known of a story besides what is stored, and stands at Vipps. */
export type Told = {
  now: Date
  /** Ids of keys that work after each that was mailed has been used. */
  works: ReadonlySet<string>
  /** Orders whose alarm an operator has put out, and those whose keys one has revoked. */
  decided: ReadonlySet<string>
  revoked: ReadonlySet<string>
  /** Payments of which a message was lost for good. */
  unheard: ReadonlySet<string>
}

/**
 * At the end of a story each order has come to an end: a key that works and money that is kept for it, or neither, or an operator is
 * told. The books have a line for each sale, without a gap.
 *
 * @returns what is not so
 */
export async function judge(
  db: Database,
  payments: VippsStandIn['payments'],
  { now, works, decided, revoked, unheard }: Told,
): Promise<string[]> {
  const wrong: string[] = []
  for (const order of await db.query<Row>(`select ${ROW} from ordre order by laget_at, id`)) {
    const payment = payments.find(order.referanse)
    const kept = (payment?.capturedOre ?? 0) - (payment?.refundedOre ?? 0)
    const held =
      payment?.state === 'AUTHORIZED' ? payment.authorizedOre - payment.capturedOre - payment.cancelledOre : 0
    const isTold = order.alarm !== null || decided.has(order.id)
    const isHeard = !unheard.has(order.referanse)
    const stored = await db.query<{
      id: string
      tilbakekalt: Date | null
      utloper: Date
    }>(`select id, tilbakekalt_at as tilbakekalt, utloper_at as utloper from api_nokkel where kjede = $1`, [
      order.id,
    ])
    const working = stored.filter(({ id }) => works.has(id))
    const say = (what: string) =>
      wrong.push(
        `${what}: ${order.tilstand} grunn ${order.grunn} alarm ${order.alarm} kept ${kept} held ${held} keys ${working.length}/${stored.length} arend ${order.venter}`,
      )
    if (!orderStates[order.tilstand].isEnd && !isTold) say('no end and nobody told')
    if (working.length > 1) say('two keys work')
    if (working.length > 0 && order.tilstand !== 'fullfort') say('a key works of an order that is not done')
    if (order.tilstand === 'fullfort' && kept <= 0 && !isTold && isHeard) say('done without money')
    if (order.tilstand !== 'fullfort' && kept > 0 && !isTold) say('money kept without a key')
    if (held > 0 && !isTold) say('money held for nothing')
    if (order.tilstand === 'fullfort') {
      const isGivenUp = stored.every(({ tilbakekalt }) => tilbakekalt !== null)
      const isOver = stored.every(({ utloper }) => utloper <= now)
      if (working.length === 0 && !isGivenUp && !isOver) say('paid, not revoked, and no key works')
      if (isGivenUp && order.tatt_bort === 0 && !revoked.has(order.id))
        say('all keys void, and nobody revoked or replaced them')
    }
    if (order.venter > 0 && !isTold) say('an errand without end')
    const inBooks = ['fullfort', 'refunderes', 'refundert'].includes(order.tilstand)
    if ((order.bilag === 1) !== inBooks) say(`receipts ${order.bilag}`)
    const isAsMoved =
      order.trukket_ore === payment?.capturedOre && order.refundert_ore === payment?.refundedOre
    // Whose payment Vipps says another thing of each time it is asked is an operator's to look at.
    const isDoubted = order.alarm === 'betaling_avviker'
    if (inBooks && isHeard && !isAsMoved && !isDoubted)
      say(
        `sums ${order.trukket_ore}-${order.refundert_ore} of ${payment?.capturedOre}-${payment?.refundedOre}`,
      )
    if ((order.kreditnota === 1) !== (order.tilstand === 'refundert')) say(`credit notes ${order.kreditnota}`)
  }
  for (const table of ['bilag', 'kreditnota']) {
    const rows = await db.query<{ nummer: string }>(`select nummer from ${table} order by nummer`)
    if (rows.some(({ nummer }, at) => Number(nummer) !== at + 1)) wrong.push(`gaps in ${table}`)
  }
  for (const payment of payments.all()) {
    const isOurs =
      (await db.query('select 1 from ordre where referanse = $1', [payment.reference])).length > 0
    if (!isOurs && payment.authorizedOre > 0) wrong.push('a payment of no order')
  }
  return wrong
}

/**
 * Of who is erased when nothing is under way any more, the address stands in no column of no table; but of an order whose money waits for
 * an operator.
 *
 * @returns where it is left
 */
export async function judgeErased(db: Database, addresses: readonly string[]): Promise<string[]> {
  const waiting = await db.query(`select 1 from ordre where ${inStates(isOnTheWay)} limit 1`)
  if (waiting.length > 0) return []
  const left: string[] = []
  for (const address of addresses)
    left.push(...(await rowsWith(db, address)).map((table) => `erased, and left in ${table}`))
  return left
}

function isOnTheWay({ isEnd, money }: OrderStateFacts): boolean {
  return !isEnd && money === 'held'
}

type Row = {
  id: string
  referanse: string
  tilstand: keyof typeof orderStates
  grunn: string | null
  alarm: string | null
  venter: number
  bilag: number
  kreditnota: number
  trukket_ore: number | null
  refundert_ore: number | null
  tatt_bort: number
}
const ROW = `id, referanse, tilstand, grunn, alarm, trukket_ore, refundert_ore,
  (select count(*)::integer from utboks where gjelder = ordre.id and ferdig_at is null) as venter,
  (select count(*)::integer from bilag where ordre = ordre.id) as bilag,
  (select count(*)::integer from kreditnota where ordre = ordre.id) as kreditnota,
  (select count(*)::integer from utboks where gjelder = ordre.id and slag = 'erstatt') as tatt_bort`

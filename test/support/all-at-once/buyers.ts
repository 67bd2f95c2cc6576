import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { policy } from '#config/policy.ts'
import { systemClock } from '#src/core/clock.ts'
import { refundOrder } from '#src/sales/refund-order.ts'
import { eraseCustomerData } from '#src/storage/customer-data.ts'
import { type Fleet, fronts } from '../fleet.ts'
import { keyIn, linkIn, type MailServer } from '../mail-server.ts'
import type { VippsStandIn } from '../vipps-stand-in.ts'
import { wholeDatabase } from '../whole-contents.ts'
import type { Asking } from './asking.ts'
import type { Chance } from './chance.ts'
import type { Judge } from './judge.ts'

type Buyer = {
  epost: string
  network: string
  reference: string | null
  hasPaid: boolean
  hasAsked: boolean
  isRefunded: boolean
  /** `unpaid`: before anything was known to be paid, of which they may become a buyer anew. */
  erased: 'no' | 'unpaid' | 'yes'
}

/** Those who buy, lose their keys, are given their money back and are forgotten. */
export function createBuyers({
  fleet,
  vipps,
  mail,
  asking,
  chance,
}: {
  fleet: Fleet
  vipps: VippsStandIn
  mail: MailServer
  asking: Asking
  chance: Chance
}) {
  const buyers: Buyer[] = []
  const operator = { db: fleet.postgres.database, clock: systemClock, policy: policy.sales }
  const links = () => `${fleet.addressOf('front A').front}/nokkel/erstatt/`
  const mailsTo = (epost: string) => mail.mails.filter(({ envelope }) => envelope.to === epost)
  const keysOf = (epost: string) => [...new Set(mailsTo(epost).flatMap((one) => keyIn(one) ?? []))]
  const linksTo = (epost: string) => mailsTo(epost).flatMap((one) => linkIn(one, links()) ?? [])
  const some = (is: (buyer: Buyer) => boolean): Buyer | null => {
    const those = buyers.filter(is)
    return those.length === 0 ? null : chance.oneOf(those)
  }

  /** Whoever comes presses until there is somewhere to pay, and pays three times of four. */
  async function come(): Promise<void> {
    const nr = buyers.length
    const buyer: Buyer = {
      epost: `kjoper-${nr}@example.no`,
      network: `198.51.${nr % 250}.${Math.floor(nr / 250)}`,
      reference: null,
      hasPaid: false,
      hasAsked: false,
      isRefunded: false,
      erased: 'no',
    }
    buyers.push(buyer)
    const { epost, network } = buyer
    const form = { epost, skjema: randomBytes(24).toString('base64url'), vilkaar: 'ja' }
    const pays = chance.part() < 0.75
    for (let tries = 0; tries < 60; tries += 1) {
      const answer = await asking.send(chance.oneOf(fronts), '/kjop/betal', form, network)
      if (answer?.headers.get('location')?.startsWith(vipps.url)) break
      await pause(2000)
    }
    const [order] = await asking.rows<{ referanse: string }>('select referanse from ordre where epost = $1', [
      epost,
    ])
    if (order === undefined || !pays) return
    await pause(3000 * chance.part())
    // Vipps has let go of the payment of whoever was forgotten meanwhile.
    if (buyer.erased !== 'no') return
    buyer.reference = order.referanse
    vipps.approve(order.referanse)
    buyer.hasPaid = true
  }

  async function loseKey(): Promise<void> {
    const buyer = some(({ epost, erased }) => erased === 'no' && keysOf(epost).length > 0)
    if (buyer === null) return
    const { epost, network } = buyer
    const grunn = chance.oneOf(['tapt', 'lekket'])
    const said = await asking.send(chance.oneOf(fronts), '/bytt-nokkel', { epost, grunn }, network)
    if (said !== null && said.status < 400) buyer.hasAsked = true
    await pause(3000)
    const link = linksTo(epost).at(-1)
    if (link === undefined) return
    const presses = [...fronts, ...fronts].map((front) =>
      asking.send(front, new URL(link).pathname, {}, network),
    )
    await Promise.all(presses)
  }

  async function refund(): Promise<void> {
    const orders = await asking.rows<{ id: string; referanse: string }>(
      `select id, referanse from ordre where tilstand = 'fullfort' order by laget_at`,
    )
    if (orders.length === 0) return
    const order = chance.oneOf(orders)
    const buyer = buyers.find(({ reference }) => reference === order.referanse)
    if (buyer === undefined) return
    // Of what PostgreSQL did not live to say the outcome is read at the end.
    await Promise.allSettled([1, 2].map(() => refundOrder(operator, order.id)))
    buyer.isRefunded = true
  }

  async function forget(): Promise<void> {
    const buyer = some(({ erased, reference }) => erased === 'no' && reference !== null)
    if (buyer === null) return
    const by = { hvem: 'proven', hvorfor: 'ba om det', at: systemClock.now() }
    const done = await eraseCustomerData(fleet.postgres.database, buyer.epost, by).catch(() => null)
    if (done !== null) buyer.erased = done.ubetalte.length > 0 ? 'unpaid' : 'yes'
  }

  async function use(): Promise<void> {
    const buyer = some(({ epost }) => keysOf(epost).length > 0)
    if (buyer !== null)
      await asking.get(chance.oneOf(fronts), '/api/bedrift/status', chance.oneOf(keysOf(buyer.epost)))
  }

  async function judge({ holds, isSo }: Judge): Promise<void> {
    await holds('all that was to be done for them is done', async () => {
      const open = await asking.rows(
        `select 1 from erstatningsonske union all select 1 from utboks where ferdig_at is null and slag <> 'paaminn'`,
      )
      return open.length === 0
    })
    for (const buyer of buyers) {
      const { epost, hasPaid, hasAsked, reference, erased } = buyer
      if (!hasPaid || reference === null) {
        isSo(`${epost} has no key, and has not paid`, keysOf(epost).length === 0)
        continue
      }
      const sums = () => vipps.ledger().sums(reference)
      await holds(`${epost} has paid`, () => sums().captured.times === 1 || erased !== 'no')
      const [wished] = await asking.rows<{ tilstand: string }>(
        'select tilstand from ordre where referanse = $1',
        [reference],
      )
      const isBack = buyer.isRefunded && wished?.tilstand.startsWith('refunder') === true
      if (isBack) await holds(`${epost} is given the money back`, () => sums().refunded.times === 1)
      isSo(`${epost} has paid once`, sums().captured.times <= 1 && sums().cancelled.ore === 0)
      isSo(`${epost} has all back, or nothing`, sums().refunded.ore === (isBack ? sums().captured.ore : 0))
      // The first use of one ends others.
      for (const key of keysOf(epost)) await asking.get('front A', '/api/bedrift/status', key)
      const works = await Promise.all(
        keysOf(epost).map(async (key) => (await asking.get('front B', '/api/bedrift/status', key))?.status),
      )
      const live = works.filter((status) => status === 200).length
      const due = isBack || sums().captured.times === 0 ? 0 : 1
      isSo(`${epost} has ${due} key that works, not ${live}`, live === due || erased !== 'no')
      if (hasAsked && !isBack && erased === 'no')
        await holds(`${epost} has a link`, () => linksTo(epost).length > 0)
    }
    const kept = await wholeDatabase(fleet.postgres.database)
    for (const { epost, erased, hasPaid } of buyers)
      if (erased === 'yes' || (erased === 'unpaid' && !hasPaid))
        await holds(
          `${epost} is forgotten`,
          async () =>
            !kept.includes(epost) || !(await wholeDatabase(fleet.postgres.database)).includes(epost),
        )
  }

  return { come, loseKey, refund, forget, use, judge, count: () => buyers.length }
}

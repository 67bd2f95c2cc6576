import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Reached } from '#src/sales/steps.ts'
import { createTestClock, type TestClock } from '#test/support/clock.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { type MailServer, startMailServer } from '#test/support/mail-server.ts'
import { startVippsStandIn, type VippsStandIn } from '#test/support/vipps-stand-in.ts'
import { openShop, type TestShop } from './shop.ts'

/** The shop, and all it deals with. */
export type OpenShop = {
  storage: TestDatabase
  mail: MailServer
  vipps: VippsStandIn
  clock: TestClock
  shop: TestShop
}

/**
 * For each test of this file a shop, a Vipps and a clock of its own; the database and the mail server stay, with nothing left
 * of what was sold before.
 */
export function shopForEachTest(opened: (open: OpenShop) => void): void {
  const place = placeOfAllTests()
  beforeEach(async () => {
    const open = await openEmptyShop(place())
    opened(open)
    return async () => {
      await open.shop.close()
      await open.vipps.close()
    }
  })
}

export type Place = Pick<OpenShop, 'storage' | 'mail'>

/** A database and a mail server, for all tests of this file. */
export function placeOfAllTests(): () => Place {
  let place: Place
  beforeAll(async () => {
    place = { storage: await createTestDatabase(), mail: await startMailServer() }
  })
  afterAll(async () => {
    await place.mail.close()
    await place.storage.close()
  })
  return () => place
}

/** A shop where nothing was sold yet, with a Vipps and a clock of its own. */
export async function openEmptyShop(
  place: Place,
  { reached = () => {} }: { reached?: Reached } = {},
): Promise<OpenShop> {
  const clock = createTestClock()
  const vipps = await startVippsStandIn({ clock, tokenLifeSeconds: LONGER_THAN_ANY_TEST })
  const db = place.storage.database
  place.mail.behave()
  await db.query(
    'truncate api_nokkel, ordre, utboks, betalingshendelse, erstatningsonske, testnokkelonske, nokkellenke, bilag, kreditnota, bilagsrekke cascade',
  )
  return { ...place, vipps, clock, shop: openShop({ db, vipps, mailUrl: place.mail.url, clock, reached }) }
}

/** However far a test moves the clock, Vipps' token is not what ends. */
const LONGER_THAN_ANY_TEST = 10 * 365 * 24 * 3600

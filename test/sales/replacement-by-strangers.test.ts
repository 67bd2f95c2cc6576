import { describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { replaceAsOperator } from '#src/sales/replace-key.ts'
import { lockChain } from '#src/storage/chain-lock.ts'
import { HOUR_MS, MINUTE_MS, type TestClock } from '#test/support/clock.ts'
import type { TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import type { MailServer } from '#test/support/mail-server.ts'
import { keyholders, newAddress, newToken, tokenOf } from './keyholders.ts'
import { openShop, type TestShop } from './shop.ts'
import { type OpenShop, shopForEachTest } from './shop-for-each-test.ts'

let storage: TestDatabase
let mail: MailServer
let clock: TestClock
let shop: TestShop
let current: OpenShop

const { bought, replaced, later, keysTo, linksTo, newestLink, newVerifier } = keyholders(() => current)

shopForEachTest((open) => {
  current = open
  ;({ storage, mail, clock, shop } = open)
})

test('P35: whoever holds several chains takes them by name: links and an erasure wait for each other, and none gives way', async () => {
  const { epost } = await bought()
  await bought(epost)
  const chains = await storage.database.query<{ kjede: string }>(
    'select kjede from api_nokkel where epost = $1',
    [epost],
  )
  const [first = '', last = ''] = chains.map(({ kjede }) => kjede).sort()
  // The later by name is the newer: links go to that one first.
  await storage.database.query(
    `update api_nokkel set utstedt_at = utstedt_at - interval '1 hour' where kjede = $1`,
    [first],
  )
  await shop.sales.requestReplacement(epost, 'tapt')
  let looked: Promise<unknown> = Promise.resolve()
  await storage.database.transaction(async (holder) => {
    await lockChain(holder, first)
    looked = shop.sales.runErrands({ signal: new AbortController().signal })
    await eventually('they wait', async () => (await waitingForChains()) > 0)
    await lockChain(holder, last)
  })
  await looked
  await shop.goOn()
  expect(linksTo(epost)).toHaveLength(2)
})

describe('P45: attack: who says that a key leaked before it is known to have arrived', () => {
  test('of what was bought, gets the link when it is known', async () => {
    const epost = newAddress()
    mail.behave({ at: 'end', does: 'reset', times: 1 })
    const { ordre } = await shop.sales.placeOrder({
      epost,
      vilkaarGodtatt: true,
      idempotensToken: newToken(),
    })
    current.vipps.approve(`bo-${(await shop.sales.readOrder(ordre))?.nummer}-1`)
    await later(policy.sales.pollFirstMs)
    await mail.waitForMails({ to: epost })
    await shop.sales.requestReplacement(epost, 'lekket')
    await later(1000)
    expect([keysTo(epost).length, linksTo(epost).length]).toEqual([1, 0])
    await later(10 * MINUTE_MS)
    await later(1000)
    expect([keysTo(epost).length, linksTo(epost).length]).toEqual([2, 1])
    expect(await shop.sales.confirmReplacement(newestLink(epost))).toMatchObject({ utfall: 'sendes' })
    await shop.goOn()
    const works = await Promise.all(keysTo(epost).map(async (key) => (await newVerifier().verify(key)).ok))
    expect(works).toEqual([false, false, true])
  })

  test('of what replaced another, too; and nobody else waits for it', async () => {
    const { epost } = await bought()
    const other = await bought()
    await shop.sales.requestReplacement(epost, 'lekket')
    await shop.goOn()
    mail.behave({ at: 'end', does: 'reset', times: 1 })
    await shop.sales.confirmReplacement(newestLink(epost))
    await later(1000)
    await shop.sales.requestReplacement(epost, 'lekket')
    await shop.sales.requestReplacement(other.epost, 'lekket')
    await later(1000)
    expect([linksTo(epost).length, linksTo(other.epost).length]).toEqual([1, 1])
    await later(10 * MINUTE_MS)
    await later(1000)
    expect(linksTo(epost)).toHaveLength(2)
  })

  test('P45: ten thousand times, of a key whose mail server never answers, takes nobody’s place: it is one wish, and heard in its time', async () => {
    const other = await bought()
    const { epost } = await bought()
    await replaced(epost, 'lekket')
    mail.behave({ at: 'end', does: 'reset' })
    await shop.sales.requestReplacement(epost, 'lekket')
    await shop.goOn()
    await shop.sales.confirmReplacement(newestLink(epost))
    await later(1000)
    const { replacementsWaitingMax } = policy.sales
    const before = linksTo(epost).length
    await storage.database.query(
      `insert into erstatningsonske (epost, grunn, spurt_at)
       select case n % 2 when 0 then upper($1) else $1 end, grunn, now()
       from generate_series(1, $2) n, unnest('{tapt,lekket}'::text[]) grunn`,
      [epost, replacementsWaitingMax],
    )
    await later(1000)
    mail.behave()
    for (const grunn of ['tapt', 'lekket'] as const) {
      await shop.sales.requestReplacement(other.epost, grunn)
      await shop.goOn()
    }
    expect([linksTo(other.epost).length, linksTo(epost).length]).toEqual([2, before])
    await later(10 * MINUTE_MS)
    await later(1000)
    expect(linksTo(epost)).toHaveLength(before + 2)
  })
})

describe('P45: attack: who buys five keys for the address of one that leaked', () => {
  test.each(['tapt', 'lekket'] as const)(
    'has its owner led to it all the same, when asked again (%s)',
    async (grunn) => {
      const { epost, id, key } = await bought()
      for (let others = 0; others < 5; others += 1) await bought(epost)
      const came: number[] = []
      for (let asked = 0; asked < 4; asked += 1) {
        const before = linksTo(epost).length
        await shop.sales.requestReplacement(epost, grunn)
        await shop.goOn()
        came.push(linksTo(epost).length - before)
      }
      // Five at once, then what is left, and nothing more for whoever goes on.
      expect(came).toEqual([5, 1, 0, 0])
      const led = await storage.database.query<{ nokkel: string }>(
        `select distinct nokkel from nokkellenke where slag = 'erstatt'`,
      )
      expect(led).toHaveLength(6)
      expect(led).toContainEqual({ nokkel: id })
      expect(await shop.sales.confirmReplacement(newestLink(epost))).toMatchObject({ utfall: 'sendes' })
      expect((await newVerifier().verify(key)).ok).toBe(grunn === 'tapt')
    },
  )
})

describe('P45: a stranger who asks for a new key for an address', () => {
  test('and has used up the links for a lost key does not keep the owner from saying that it leaked', async () => {
    const { epost, key } = await bought()
    for (let times = 0; times < 20; times += 1) {
      await shop.sales.requestReplacement(epost, 'tapt')
      await shop.goOn()
    }
    const before = linksTo(epost).length
    await shop.sales.requestReplacement(epost, 'lekket')
    await shop.goOn()
    expect(linksTo(epost)).toHaveLength(before + 1)
    expect(await shop.sales.confirmReplacement(newestLink(epost))).toMatchObject({ utfall: 'sendes' })
    expect(await newVerifier().verify(key)).toMatchObject({ ok: false, why: 'tilbakekalt' })
  })

  test('over and over, as leaked: the mailbox gets five links in two hours, each later than the one before', async () => {
    const { epost } = await bought()
    const minutes: number[] = []
    for (let minute = 0; minute < 120; minute += 10) {
      const before = linksTo(epost).length
      await shop.sales.requestReplacement(epost, 'lekket')
      await shop.sales.runErrands({ signal: new AbortController().signal })
      if (linksTo(epost).length > before) minutes.push(minute)
      clock.advance(10 * MINUTE_MS)
    }
    expect(minutes).toEqual([0, 10, 30, 60, 100])
  })

  test('over and over, as leaked, for an address with three keys: a link for each at once, and then as few as for one', async () => {
    const { epost } = await bought()
    await bought(epost)
    await bought(epost)
    const came: number[] = []
    for (let minute = 0; minute < 120; minute += 10) {
      const before = linksTo(epost).length
      await shop.sales.requestReplacement(epost, 'lekket')
      await shop.sales.runErrands({ signal: new AbortController().signal })
      came.push(linksTo(epost).length - before)
      clock.advance(10 * MINUTE_MS)
    }
    expect(came).toEqual([3, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0])
    // Each key can be replaced from the mailbox, and those that came later are of other keys than the one before.
    const keys = await storage.database.query<{ antall: string }>(
      `select count(*) as antall from nokkellenke where slag = 'erstatt' group by nokkel order by 1`,
    )
    expect(keys.map(({ antall }) => Number(antall))).toEqual([1, 2, 2])
  })

  test('has no link left when the owner has replaced the key, and the owner can do so again the same day', async () => {
    const { epost } = await bought()
    for (const grunn of ['tapt', 'tapt', 'tapt', 'lekket'] as const) {
      await shop.sales.requestReplacement(epost, grunn)
      await shop.goOn()
    }
    const [first = '', second = '', third = '', leaked = ''] = linksTo(epost).map(tokenOf)
    expect(await shop.sales.confirmReplacement(second)).toMatchObject({ utfall: 'sendes' })
    for (const ended of [first, third, leaked])
      expect(await shop.sales.confirmReplacement(ended)).toMatchObject({ utfall: 'ugyldig_lenke' })
    expect(await shop.sales.confirmReplacement(second)).toMatchObject({ utfall: 'alt_byttet' })
    await shop.goOn()
    expect(keysTo(epost)).toHaveLength(2)
    await replaced(epost, 'tapt')
    await replaced(epost, 'lekket')
    expect(keysTo(epost)).toHaveLength(4)
  })

  test('at the same moment as the owner presses the button: of all links pressed at once one begins a replacement', async () => {
    const { epost } = await bought()
    for (const grunn of ['tapt', 'tapt', 'lekket'] as const) {
      await shop.sales.requestReplacement(epost, grunn)
      await shop.goOn()
    }
    const outcomes = await Promise.all(
      linksTo(epost).map((link) => shop.sales.confirmReplacement(tokenOf(link))),
    )
    expect(outcomes.map(({ utfall }) => utfall).sort()).toEqual(['sendes', 'ugyldig_lenke', 'ugyldig_lenke'])
  })

  test('whose link is on its way when the key is replaced: it is not mailed any more', async () => {
    const { epost, id } = await bought()
    mail.behave({ at: 'rcpt', does: 451 })
    await shop.sales.requestReplacement(epost, 'tapt')
    await shop.goOn()
    const by = { db: storage.database, clock, policy: policy.sales }
    expect(await replaceAsOperator(by, id, 'lekket')).toMatchObject({ utfall: 'sendes' })
    mail.behave()
    for (let hours = 0; hours < 24; hours += 1) await later(HOUR_MS)
    expect(linksTo(epost)).toEqual([])
  })

  test('whose link is being made while an operator replaces the key: it is not mailed, and there is none', async () => {
    const { epost, id } = await bought()
    mail.behave({ at: 'rcpt', does: 451 })
    await shop.sales.requestReplacement(epost, 'tapt')
    await shop.goOn()
    mail.behave()
    clock.advance(HOUR_MS)
    const [{ kjede = '' } = {}] = await storage.database.query<{ kjede: string }>(
      'select kjede from api_nokkel where id = $1',
      [id],
    )
    const by = { db: storage.database, clock, policy: policy.sales }
    let replacing: Promise<unknown> = Promise.resolve()
    let making = Promise.resolve()
    // Whoever waits for a chain gets it in the order of coming.
    await storage.database.transaction(async (holder) => {
      await lockChain(holder, kjede)
      replacing = replaceAsOperator(by, id, 'tapt')
      await eventually('the operator waits', async () => (await waitingForChains()) === 1)
      making = shop.sales.follow(kjede, { signal: new AbortController().signal })
      await eventually('the link waits', async () => (await waitingForChains()) === 2)
    })
    expect(await replacing).toMatchObject({ utfall: 'sendes' })
    await making
    await shop.goOn()
    expect(linksTo(epost)).toEqual([])
    const open = await storage.database.query('select from nokkellenke where gyldig_til > $1', [clock.now()])
    expect(open).toEqual([])
  })

  test('with the addresses of other customers: what leaked is looked into before all that was lost', async () => {
    const lost = await bought()
    const leaked = await bought()
    const narrow = openShop({
      db: storage.database,
      vipps: current.vipps,
      mailUrl: mail.url,
      clock,
      changes: { pageSize: 1 },
    })
    await shop.sales.requestReplacement(lost.epost, 'tapt')
    await shop.sales.requestReplacement(leaked.epost, 'lekket')
    await narrow.sales.runErrands({ signal: new AbortController().signal })
    await narrow.close()
    expect(linksTo(leaked.epost)).toHaveLength(1)
    expect(linksTo(lost.epost)).toEqual([])
  })

  test('with ten thousand other addresses: it is said that there are too many, and what leaked is heard at once', async () => {
    const { epost } = await bought()
    const { replacementsWaitingMax } = policy.sales
    await storage.database.query(
      `insert into erstatningsonske (epost, grunn, spurt_at)
       select 'ukjent-' || n || '@example.no', 'tapt', now() from generate_series(1, $1) n`,
      [replacementsWaitingMax],
    )
    const refused = { code: 'for_mange_onsker' }
    await expect(shop.sales.requestReplacement(epost, 'tapt')).rejects.toMatchObject(refused)
    await expect(shop.sales.requestReplacement(newAddress(), 'tapt')).rejects.toMatchObject(refused)
    await shop.sales.requestReplacement(epost, 'lekket')
    await shop.sales.runErrands({ signal: new AbortController().signal })
    expect(linksTo(epost)).toHaveLength(1)
    await shop.sales.requestReplacement(epost, 'tapt')
    await shop.sales.runErrands({ signal: new AbortController().signal })
    expect(linksTo(epost)).toHaveLength(2)
  })
})

async function waitingForChains(): Promise<number> {
  const waiting = await storage.database.query(
    `select from pg_locks where locktype = 'advisory' and not granted
       and database = (select oid from pg_database where datname = current_database())`,
  )
  return waiting.length
}

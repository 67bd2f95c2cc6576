import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { DAY_MS } from '#src/core/units.ts'
import { putWatches } from '#src/storage/changes/watches.ts'
import { listDeeds } from '#src/storage/operator-trail.ts'
import { keyholders, newAddress, newToken, tokenOf } from '#test/sales/keyholders.ts'
import { type OpenShop, shopForEachTest } from '#test/sales/shop-for-each-test.ts'
import { runCommand } from '#test/support/command.ts'
import { rowsWith as inRows } from '#test/support/whole-contents.ts'

const WHY = ['--hvorfor', 'krav om innsyn og sletting']

let current: OpenShop
const { bought, later, linksTo, renewalsTo, newVerifier } = keyholders(() => current)
shopForEachTest((open) => {
  current = open
})

test('P40: what is kept about an address is shown whole, and erased from every place: keys work on, the books stay', async () => {
  const { storage, shop } = current
  const folder = await mkdtemp(join(tmpdir(), 'oppslag-kunde-'))
  try {
    const { epost, key, ordre } = await bought()
    const other = await bought()
    await mkdir(join(folder, 'mail'))
    for (const [name, to] of [
      ['1.eml', epost.toUpperCase()],
      ['2.eml', other.epost],
    ])
      await writeFile(
        join(folder, 'mail', name ?? ''),
        `From: a@b.no\r\nTo:\r\n <${to}>\r\n\r\nTo: ${epost}\r\n`,
      )
    const run = (verb: string, ...more: string[]) =>
      runCommand({ DATABASE_URL: storage.url, DATA_DIR: folder }, [
        'kunde',
        verb,
        ...['--epost', epost.toUpperCase(), ...WHY, ...more],
      ])
    await shop.sales.requestReplacement(epost, 'tapt')

    const shown = await run('eksporter')
    expect(shown).toMatchObject({ code: 0, err: '' })
    const told = JSON.parse(shown.out)
    expect(told).toMatchObject({
      nokler: [{ epost }],
      ordrer: [{ epost, tilstand: 'fullfort' }],
      bilag: [{ nummer: expect.anything() }],
      onsker: [{ epost }],
      epostfiler: ['1.eml'],
    })
    expect(shown.out).not.toContain('argon2id')

    const unpaid = { epost, vilkaarGodtatt: true, idempotensToken: 'x'.repeat(32) }
    await shop.sales.placeOrder(unpaid)
    const erased = await run('slett')
    expect(erased).toMatchObject({ code: 0, err: '' })
    expect(erased.out).toContain('bokføringsloven')
    current.clock.advance(5000)
    await shop.goOn()
    expect(await rowsWith(epost)).toBe(0)
    expect(await rowsWith(other.epost)).toBeGreaterThan(0)
    expect(await readdir(join(folder, 'mail'))).toEqual(['2.eml'])
    expect(await newVerifier().verify(key)).toMatchObject({ ok: true })
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'fullfort', epost: null })
    expect(await storage.database.query('select 1 from bilag')).toHaveLength(2)
    const deeds = await listDeeds(storage.database, { limit: 20 })
    expect(deeds.map(({ handling }) => handling)).toContain('kunde.slett')
    expect(JSON.stringify(deeds)).not.toMatch(/@/)
    expect(JSON.parse((await run('eksporter')).out).nokler).toEqual([])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('P40: attack: an address that was typed first and refused the mail is shown and erases nothing of the buyer’s', async () => {
  const { storage, shop, mail, vipps } = current
  const { database } = storage
  const [first, epost] = [newAddress(), newAddress()]
  const { ordre } = await shop.sales.placeOrder({
    epost: first,
    vilkaarGodtatt: true,
    idempotensToken: newToken(),
  })
  vipps.approve(`bo-${(await shop.sales.readOrder(ordre))?.nummer}-1`)
  mail.behave({ at: 'rcpt', does: 550, to: first })
  await later(policy.sales.pollFirstMs)
  expect(await shop.sales.giveOtherAddress(ordre, epost)).toBe('sendes')
  await shop.goOn()
  const { nummer = '' } = (await shop.sales.readOrder(ordre)) ?? {}
  await putWatches(
    database,
    { eier: nummer, prove: false },
    [{ orgnr: '910000004', navn: null, typer: null, epost: 'daglig' }],
    { max: 9, at: current.clock.now() },
  )
  const run = (verb: string) =>
    runCommand({ DATABASE_URL: storage.url, DATA_DIR: tmpdir() }, ['kunde', verb, '--epost', first, ...WHY])
  const { out } = await run('eksporter')
  expect(JSON.parse(out)).toMatchObject({ nokler: [{ epost: first }], ordrer: [], overvakinger: [] })
  expect(out).not.toContain(epost)
  expect((await run('slett')).code).toBe(0)
  expect((await run('slett')).code).toBe(0)
  const ends = (await listDeeds(database, { limit: 3 })).map(({ utfall }) => utfall)
  // The second finds nothing any more.
  expect(ends).toEqual(['ingenting_lagret', 'begynt', 'gjort'])
  expect(await rowsWith(first)).toBe(0)
  expect(await rowsWith(epost)).toBe(2)
  expect(await database.query('select 1 from overvaking where eier = $1', [nummer])).toHaveLength(1)
})

test('an order that is paid and on its way to the address is not left without one', async () => {
  const { storage, shop, mail } = current
  const { epost, ordre } = await bought()
  await storage.database.query(`update ordre set tilstand = 'reservert' where tilstand = 'fullfort'`)
  const { code, err } = await runCommand({ DATABASE_URL: storage.url, DATA_DIR: tmpdir() }, [
    ...['kunde', 'slett', '--epost', epost, ...WHY],
  ])
  expect([code, err]).toEqual([1, expect.stringContaining('på vei')])
  expect((await shop.sales.readOrder(ordre))?.epost).not.toBeNull()
  expect(mail.mails.length).toBeGreaterThan(0)
})

test('P160: attack: what is kept under an address is shown and erased by it spelt otherwise', async () => {
  const { storage, shop } = current
  const folder = await mkdtemp(join(tmpdir(), 'oppslag-kunde-'))
  try {
    const { key } = await bought('kari@blåbær.example')
    // As an earlier release kept what was typed.
    for (const [table, typed] of [
      ['api_nokkel', 'kari@BLÅBÆR.example'],
      ['ordre', 'kari@xn--blbr-roah.example'],
    ])
      await storage.database.query(`update ${table} set epost = $1`, [typed])
    await shop.sales.removeOldTraces()
    await mkdir(join(folder, 'mail'))
    await writeFile(join(folder, 'mail', '1.eml'), 'To: kari@xn--blbr-roah.example\r\n\r\nHei\r\n')
    const run = (verb: string, epost: string) =>
      runCommand({ DATABASE_URL: storage.url, DATA_DIR: folder }, ['kunde', verb, '--epost', epost, ...WHY])
    for (const epost of ['Kari@XN--BLBR-ROAH.example', 'kari@ｂｌåｂæｒ.example']) {
      const told = JSON.parse((await run('eksporter', epost)).out)
      expect([told.ordrer.length, told.nokler.length, told.epostfiler]).toEqual([1, 1, ['1.eml']])
    }
    await shop.sales.requestReplacement('kari@BLÅBÆR.example', 'tapt')
    await shop.goOn()
    expect(linksTo('kari@blåbær.example')).toHaveLength(1)
    expect((await run('slett', 'kari@xn--blbr-roah.example')).code).toBe(0)
    expect([await rowsWith('bær.example'), await rowsWith('xn--')]).toEqual([0, 0])
    expect(await readdir(join(folder, 'mail'))).toEqual([])
    expect(await newVerifier().verify(key)).toMatchObject({ ok: true })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('P160: attack: an address that was taken once and would not be now is its holder’s: replaced, renewed, shown and erased', async () => {
  const { storage, shop } = current
  const folder = await mkdtemp(join(tmpdir(), 'oppslag-kunde-'))
  const slip = 'kari..nordmann@firma.example'
  try {
    const { epost, utloper } = await bought()
    current.clock.advance(utloper.getTime() - 7 * DAY_MS - current.clock.now().getTime())
    await shop.sales.writeReminders()
    await shop.goOn()
    for (const table of ['api_nokkel', 'ordre'])
      await storage.database.query(`update ${table} set epost = $1`, [slip])
    await shop.sales.requestReplacement(slip, 'tapt')
    await shop.goOn()
    expect(await storage.database.query(`select slag from utboks where slag = 'lenke'`)).toHaveLength(1)
    const link = tokenOf(renewalsTo(epost).at(-1) ?? '')
    expect(await shop.sales.renew(link, { vilkaarGodtatt: true })).toMatchObject({ utfall: 'bestilt' })
    const run = (verb: string) =>
      runCommand({ DATABASE_URL: storage.url, DATA_DIR: folder }, ['kunde', verb, '--epost', slip, ...WHY])
    const told = JSON.parse((await run('eksporter')).out)
    expect([told.ordrer.length, told.nokler.length]).toEqual([2, 1])
    expect(await run('slett')).toMatchObject({ code: 0, err: '' })
    await later(5000)
    expect(await rowsWith(slip)).toBe(0)
    const anew = { epost: slip, vilkaarGodtatt: true, idempotensToken: 'x'.repeat(32) }
    await expect(shop.sales.placeOrder(anew)).rejects.toMatchObject({ code: 'ugyldig_epost' })
  } finally {
    await rm(folder, { recursive: true })
  }
})

const rowsWith = async (word: string) => (await inRows(current.storage.database, word)).length

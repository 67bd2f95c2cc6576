import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listDeeds } from '#src/storage/operator-trail.ts'
import { keyholders } from '#test/sales/keyholders.ts'
import { type OpenShop, shopForEachTest } from '#test/sales/shop-for-each-test.ts'
import { runCommand } from '#test/support/command.ts'

const WHY = ['--hvorfor', 'krav om innsyn og sletting']

let current: OpenShop
const { bought, newVerifier } = keyholders(() => current)
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

async function rowsWith(word: string): Promise<number> {
  const { database } = current.storage
  const tables = await database.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  let found = 0
  for (const { name } of tables)
    found += (
      await database.query(`select 1 from ${name} t where strpos(lower(to_jsonb(t)::text), lower($1)) > 0`, [
        word,
      ])
    ).length
  return found
}

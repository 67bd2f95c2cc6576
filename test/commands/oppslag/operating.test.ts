import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { lanes } from '#src/queue/jobs.ts'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { type Outcome, runCommand } from '#test/support/command.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

const oppslag = (...args: string[]): Promise<Outcome> => runCommand({ DATABASE_URL: storage.url }, args)

const json = async (...args: string[]) => {
  const { code, out, err } = await oppslag(...args, '--json')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out)
}

describe('an operator with the command alone', () => {
  it('makes operators, whose token is shown once and stored nowhere', async () => {
    const { token } = await json(
      'operator',
      'ny',
      '--hvorfor',
      'en prøve',
      '--navn',
      'Kari',
      '--rolle',
      'lese',
    )
    expect(token).toMatch(/^bodrift_[\w-]{43}$/)
    expect(
      (await oppslag('operator', 'ny', '--hvorfor', 'en prøve', '--navn', 'kari', '--rolle', 'skrive')).code,
    ).toBe(1)
    const { operatorer } = await json('operator', 'liste')
    expect(operatorer).toMatchObject([{ navn: 'Kari', rolle: 'lese' }])
    const rows = await storage.database.query('select * from operator')
    expect(JSON.stringify(rows)).not.toContain(token.slice(8))
    expect((await oppslag('operator', 'tilbakekall', '--hvorfor', 'en prøve', 'KARI')).code).toBe(0)
  })

  it('is told when the database’s disk is full', async () => {
    await storage.database.query(
      `create function full_disk() returns trigger language plpgsql as $$ begin raise exception using errcode = 'disk_full'; end $$`,
    )
    await storage.database.query(
      'create trigger full_disk before insert on operator execute function full_disk()',
    )
    const { code, err } = await oppslag(
      'operator',
      'ny',
      '--hvorfor',
      'en prøve',
      '--navn',
      'Per',
      '--rolle',
      'lese',
    )
    await storage.database.query('drop function full_disk cascade')
    expect([code, err]).toEqual([1, expect.stringContaining('Databasens disk er full')])
  })

  it('is told what to look for when a table is closed to the service', async () => {
    const [me] = await storage.database.query<{ rolle: string }>('select quote_ident(current_user) as rolle')
    await storage.database.query(`revoke all on operator from ${me?.rolle}`)
    const made = ['operator', 'ny', '--hvorfor', 'en prøve', '--navn', 'Ida', '--rolle', 'lese']
    const told = [await oppslag('operator', 'liste'), await oppslag(...made), await oppslag('status')]
    await storage.database.query(`grant all on operator to ${me?.rolle}`)
    const { code: last } = await oppslag('operator', 'liste')
    expect(told.map(({ code }) => code)).toEqual([1, 1, 0])
    for (const { err } of told.slice(0, 2)) expect(err).toMatch(/en annen rolles.*PostgreSQLs logg/)
    expect(last).toBe(0)
  })

  it('is told whether anything is wrong', async () => {
    const seen = await json('status')
    expect(seen.galt).toContain('Ingen prosesser har meldt seg.')
    const { out } = await oppslag('status')
    expect(out).toContain('GALT: Ingen prosesser har meldt seg.')
    expect(out).toContain('Ingen prosess har endt av en feil.')
  })

  it('halves the calls to the accounts register, sees what that would have cost, and goes back', async () => {
    expect(await json('levetider', 'beregn', 'regnskap.fersk', '1209600')).toHaveProperty('estimates')
    const set = ['levetider', 'sett', 'regnskap.kall', '5', '--hvorfor', 'registeret ber om det']
    expect(await json(...set)).toMatchObject({ versjon: 1, verdier: { 'regnskap.kall': 5 } })
    expect((await oppslag('levetider', 'vis')).out).toMatch(/regnskap\.kall +5 \*/)
    expect((await oppslag(...set, '--versjon', '0')).code).toBe(1)
    expect((await oppslag('levetider', 'sett', 'regnskap.kall', '0', '--hvorfor', 'feil')).code).toBe(2)
    expect(await json('levetider', 'rull-tilbake', '--hvorfor', 'over')).toMatchObject({
      versjon: 2,
      verdier: {},
    })
  })

  it('is told that the registers can not be reached, and sees it afterwards', async () => {
    const away = { DATABASE_URL: storage.url, REGISTER_URL: 'http://127.0.0.1:1' }
    expect((await oppslag('kanari', '--siste')).out).toContain('Ingen har sett etter ennå')
    const { code, out, err } = await runCommand(away, ['kanari'])
    expect([code, out]).toEqual([1, expect.stringContaining('nettverk: 1')])
    expect(err).toContain('ingen av registrene kunne nås')
    expect(await json('kanari', '--siste')).toMatchObject({ kanari: { utenNett: true } })
  })

  it('sees a company, and does something about it', async () => {
    expect(await json('foretak', 'vis', SAMPLE.healthy)).toMatchObject({ holdt: [], erFjernet: false })
    const away = { DATABASE_URL: storage.url, CACHE_REDIS_URL: 'redis://127.0.0.1:1' }
    const { out } = await runCommand(away, ['foretak', 'vis', SAMPLE.healthy])
    expect(out, 'what nobody could ask for is not told as nothing').toContain('er ikke kjent')
    expect((await oppslag('foretak', 'glem', SAMPLE.healthy, '--hvorfor', 'kunden spør')).code).toBe(0)
    const { spor } = await json('foretak', 'vis', SAMPLE.healthy)
    expect(spor[0]).toMatchObject({ handling: 'foretak.glem', hvorfor: 'kunden spør', utfall: 'gjort' })
  })

  it('finds out who did what to a key', async () => {
    const { id } = await issueKey(
      { db: storage.database, clock: systemClock },
      { epost: 'a@example.com', miljo: 'test' },
    )
    expect(
      (await oppslag('nokkel', 'erstatt', id, '--grunn', 'lekket', '--hvorfor', 'funnet på nett')).code,
    ).toBe(0)
    const { spor, keys, errands } = await json('kunde', 'vis', id)
    expect(spor[0]).toMatchObject({ handling: 'nokkel.erstatt.lekket', hvorfor: 'funnet på nett' })
    expect(keys[0].tilbakekalt).not.toBeNull()
    expect(errands[0]).toMatchObject({ slag: 'erstatt', utfall: null })
    expect(JSON.stringify({ keys, errands, spor })).not.toMatch(/example\.com|argon2/)
  })

  it('P110: has the money of an order given back, says why, and finds both afterwards', async () => {
    const order = 'abcde12345'
    await storage.database.query(
      `insert into ordre (id, token_hash, referanse, tilstand, epost, miljo, produkt, belop_ore, valuta, vilkaar_godtatt_at,
         laget_at, endret_at, trukket_at)
       values ($1, decode(repeat('ab', 32), 'hex'), 'bo-abcde12345-1', 'fullfort', 'a@example.com', 'test', 'nøkkel', 49900, 'NOK',
         now(), now(), now(), now())`,
      [order],
    )
    expect((await oppslag('kunde', 'refunder', order)).code).toBe(2)
    const words = ['kunde', 'refunder', order, '--hvorfor', 'kjøpt to ganger'] as const
    expect(await json(...words)).toEqual({ id: order, utfall: 'bedt' })
    expect(await json(...words)).toEqual({ id: order, utfall: 'underveis' })
    const { spor, order: seen, errands } = await json('kunde', 'vis', order)
    expect(
      spor.map(({ handling, hvorfor, utfall }: Record<string, string>) => [handling, hvorfor, utfall]),
    ).toEqual([
      ['ordre.refunder', 'kjøpt to ganger', 'underveis'],
      ['ordre.refunder', 'kjøpt to ganger', 'begynt'],
      ['ordre.refunder', 'kjøpt to ganger', 'bedt'],
      ['ordre.refunder', 'kjøpt to ganger', 'begynt'],
    ])
    expect([seen.tilstand, errands[0].slag]).toEqual(['refunderes', 'refunder'])
    expect((await oppslag('kunde', 'refunder', 'zzzzz99999', '--hvorfor', 'feil')).code).toBe(1)
  })

  it('P116: puts out the alarm of an order that is decided, once, and of none whose money is still to be moved', async () => {
    const alarmed = async (order: string, tilstand: string, alarm: string) => {
      await storage.database.query(
        `insert into ordre (id, token_hash, referanse, tilstand, alarm, epost, miljo, produkt, belop_ore, valuta,
           vilkaar_godtatt_at, laget_at, endret_at, trukket_at)
         values ($1, decode(md5($1) || md5($1), 'hex'), 'bo-' || $1 || '-1', $2, $3, 'a@example.com', 'test', 'nøkkel', 49900, 'NOK',
           now(), now(), now(), now())`,
        [order, tilstand, alarm],
      )
      return order
    }
    const decide = (order: string) => oppslag('kunde', 'avgjort', order, '--hvorfor', 'avtalt med kjøperen')
    const order = await alarmed('tapte12345', 'tapt', 'trekk_umulig')
    expect((await oppslag('kunde', 'avgjort', order)).code).toBe(2)
    expect((await decide(order)).code).toBe(0)
    const { spor, order: seen } = await json('kunde', 'vis', order)
    expect(seen).toMatchObject({ tilstand: 'tapt', alarm: null })
    expect(spor[0]).toMatchObject({
      handling: 'ordre.avgjort',
      hvorfor: 'avtalt med kjøperen',
      utfall: 'gjort',
    })
    expect((await decide(order)).err).toContain('ingen alarm')
    expect((await decide(await alarmed('venter1234', 'refunderes', 'refusjon_venter'))).err).toContain(
      'slukkes av seg selv',
    )
    expect((await decide('zzzzz99999')).code).toBe(1)
  })

  it('sees how deep the queues are', async () => {
    expect((await json('jobber', 'vis')).koer).toHaveLength(lanes.length)
  })
})

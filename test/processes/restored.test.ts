import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEnvironment } from '#config/environment.ts'
import { restoreBackup } from '#src/backup/restore-backup.ts'
import { systemClock } from '#src/core/clock.ts'
import type { Database } from '#src/storage/database.ts'
import { openStorage } from '#src/storage/open-storage.ts'
import { hidePerson } from '#src/storage/shareholders/hidden-persons.ts'
import { buryCompanies } from '#src/storage/tombstones.ts'
import { openService, type Service } from '#src/wiring/service.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { runCommand } from '../support/command.ts'
import { makeDataFolder } from '../support/data-folder.ts'
import { createTestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/free-ports.ts'
import { keyIn, linkIn, type MailServer, startMailServer } from '../support/mail-server.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { loadIndustryCodes } from '../support/service.ts'
import { putYear } from '../support/share-books.ts'
import { seller, vippsVariables } from '../support/shop-service.ts'
import { startVippsStandIn, type VippsStandIn } from '../support/vipps-stand-in.ts'

const RECORD = `/api/bedrift/${SAMPLE.healthy}`
const STATUS = '/api/bedrift/status'
const KARI = { navn: 'KARI NORDMANN', fodselsaar: 1970, orgnr: null }
const GONE = '923609016'

describe('P66: a service that is restored into an empty place', () => {
  let register: RegisterStandIn
  let vipps: VippsStandIn
  let mail: MailServer
  let folder: string
  let origin: string
  let variables: Record<string, string>
  let first: Service
  let second: Service | null = null
  /** Bought before the backup. */
  let bought: string
  let backup: string

  beforeAll(async () => {
    ;[register, vipps, mail, folder] = await Promise.all([
      startRegisterStandIn({ answers: sampleAnswers() }),
      startVippsStandIn(),
      startMailServer(),
      makeDataFolder('oppslag-restored-'),
    ])
    const [port = 0] = await freePorts(1)
    origin = `http://127.0.0.1:${port}`
    variables = {
      PORT: String(port),
      OPS_PORT: '0',
      LOG_LEVEL: 'silent',
      PUBLIC_URL: origin,
      REGISTER_URL: register.registerUrl,
      KUNNGJORING_URL: register.kunngjoringUrl,
      KLASS_URL: register.klassUrl,
      KUNNGJORING_CALLS_PER_SECOND: '1000',
      ANSWER_DEADLINE_MS: '15000',
      ...seller,
      ...vippsVariables(vipps),
      SMTP_URL: mail.url,
      MAIL_FROM: 'Bedriftsoppslag <nokler@oppslag.example>',
      MILJO: 'test',
    }
    await onDatabase('forste', async (database) => {
      await loadIndustryCodes({ database })
      await putYear(database, {
        aar: 2024,
        books: [{ orgnr: SAMPLE.healthy, holders: [{ n: KARI.navn, f: 1970, l: 'NO', a: [[0, 100]] }] }],
      })
      await hidePerson(database, KARI)
      await buryCompanies(database, [{ organisasjonsnummer: GONE, slettedato: null, at: systemClock.now() }])
    })
    first = await openService(readEnvironment(withPlace('forste')), { workers: true, clock: systemClock })
    await first.listen()
  })
  afterAll(async () => {
    await first?.close()
    await second?.close()
    await Promise.all([register.close(), vipps.close(), mail.close()])
    await rm(folder, { recursive: true, force: true })
  })

  it('is backed up while it sells and answers', async () => {
    bought = await buy('for@example.no')
    expect((await ask(bought, RECORD)).status).toBe(200)
    await onDatabase('forste', (database) =>
      eventually('nothing of the purchase is left to do', async () => {
        const [left] = await database.query<{ n: number }>(
          `select count(*)::int as n from ordre where tilstand <> 'fullfort' or exists
             (select from utboks where ferdig_at is null)`,
        )
        return left?.n === 0
      }),
    )
    const { code, out } = await runCommand(
      withPlace('forste'),
      ['sikkerhetskopi', '--hvorfor', 'en prøve', '--json'],
      {
        isAlone: false,
      },
    )
    expect(code).toBe(0)
    const told = JSON.parse(out)
    backup = told.fil
    const rows = new Map(
      told.tabeller.map(({ tabell, rader }: { tabell: string; rader: number }) => [tabell, rader]),
    )
    for (const table of ['api_nokkel', 'ordre', 'utboks', 'bilag', 'skjult_person', 'fjernet', 'aksjebok_1'])
      expect(rows.get(table), table).toBeGreaterThan(0)
  })

  it('has every row of every table as it was, on another PostgreSQL too', async () => {
    await first.close()
    const { code } = await runCommand(withPlace('andre'), ['gjenopprett', backup, '--hvorfor', 'disken røk'])
    expect(code).toBe(0)
    const other = await createTestDatabase({ isMigrated: false })
    try {
      await restoreBackup({ url: other.url, path: backup })
      const restored = await contents(other.database)
      expect(restored.size).toBeGreaterThan(20)
      await onDatabase('andre', async (database) => expect(await contents(database)).toEqual(restored))
      // It worked on for a moment after the backup: it went on following the registers, and wrote down the backup itself.
      // The index of names is made again from the register's files. What keys were proved by is in no backup.
      // The day a key was last used, the last of its columns, is written down as it ends.
      const own = (all: Map<string, string[]>) =>
        new Map(
          [...all]
            .filter(([name]) => !GOES_ON.includes(name) && !name.startsWith('sok_'))
            .map(([name, rows]) => [
              name,
              name === 'api_nokkel' ? rows.map((row) => row.replace(/[^,]*\)$/, ')')) : rows,
            ]),
        )
      await onDatabase('forste', async (database) =>
        expect(own(await contents(database))).toEqual(own(restored)),
      )
    } finally {
      await other.close()
    }
  })

  it('reads with a key that was bought before, sells, replaces, and shows nobody who is hidden or removed', async () => {
    second = await openService(readEnvironment(withPlace('andre')), { workers: true, clock: systemClock })
    await second.listen()
    const answer = await ask(bought, RECORD)
    expect(answer.status).toBe(200)
    const text = await answer.text()
    expect(JSON.parse(text).aksjonaerer.tilstand).toBe('fersk')
    expect(text).not.toContain(KARI.navn)
    expect((await ask(bought, `/api/bedrift/${GONE}`)).status).toBe(410)

    const fresh = await buy('etter@example.no')
    expect((await ask(fresh, STATUS)).status).toBe(200)

    await post('/bytt-nokkel', { epost: 'for@example.no', grunn: 'tapt' })
    let link = ''
    await eventually('a link', () => {
      link =
        mailsTo('for@example.no')
          .map((one) => linkIn(one, `${origin}/nokkel/erstatt/`) ?? '')
          .find(Boolean) ?? ''
      return link !== ''
    })
    expect((await post(new URL(link).pathname, {})).status).toBe(200)
    const replaced = await newKey('for@example.no', bought)
    expect((await ask(replaced, STATUS)).status).toBe(200)
    await eventually('the old one is over', async () => (await ask(bought, STATUS)).status === 401)
  })

  it('says in the trail from which backup it was', async () => {
    await onDatabase('andre', async (database) => {
      const [deed] = await database.query<{ hvorfor: string }>(
        `select hvorfor, gjelder, utfall from operator_spor where handling = 'gjenopprett'`,
      )
      expect(deed).toMatchObject({
        hvorfor: 'disken røk',
        utfall: 'gjort',
        gjelder: expect.stringMatching(/T.*Z$/),
      })
    })
  })

  function withPlace(name: string): Record<string, string> {
    return { ...variables, DATA_DIR: join(folder, name) }
  }

  async function onDatabase(name: string, work: (database: Database) => Promise<void>): Promise<void> {
    const storage = await openStorage({
      databaseUrl: null,
      dataDir: join(folder, name),
      applicationName: 'test',
      poolMax: 1,
    })
    try {
      await work(storage.database)
    } finally {
      await storage.close()
    }
  }

  async function buy(epost: string): Promise<string> {
    const skjema = randomBytes(24).toString('base64url')
    expect((await post('/kjop', { epost, skjema })).status).toBe(200)
    const { headers } = await post('/kjop/betal', { epost, skjema, vilkaar: 'ja' })
    expect(headers.get('location')).toContain(vipps.url)
    for (const { reference, state } of vipps.payments.all()) if (state === 'CREATED') vipps.approve(reference)
    return newKey(epost)
  }

  async function newKey(epost: string, known = ''): Promise<string> {
    let found: string | undefined
    await eventually(`a new key for ${epost}`, () => {
      found = mailsTo(epost)
        .flatMap((one) => keyIn(one) ?? [])
        .find((key) => key !== known)
      return found !== undefined
    })
    return found ?? ''
  }

  function mailsTo(epost: string) {
    return mail.mails.filter(({ envelope }) => envelope.to === epost)
  }

  function ask(key: string, path: string): Promise<Response> {
    return fetch(origin + path, { headers: { authorization: `Bearer ${key}` } })
  }

  function post(path: string, fields: Record<string, string>): Promise<Response> {
    return fetch(origin + path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin },
      redirect: 'manual',
    })
  }
})

const GOES_ON = [
  'nokkelbevis',
  'forespoersel',
  'feed_posisjon',
  'feed_hendelse',
  'fjernet',
  'mellomlager_ordre',
  'prosessfeil',
  'erstatningsonske',
  'testnokkelonske',
  'kildekvarter',
]

/** What is in each table, without the trail of what operators did, the series in the books that they began, and what processes say of themselves. */
async function contents(database: Database): Promise<Map<string, string[]>> {
  const tables = await database.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'
       and tablename not in ('migrering', 'operator_spor', 'bilagsrekke', 'prosess', 'maaling') order by tablename`,
  )
  const found = new Map<string, string[]>()
  for (const { name } of tables) {
    const rows = await database.query<{ row: string }>(`select t::text as row from ${name} t order by 1`)
    found.set(
      name,
      rows.map(({ row }) => row),
    )
  }
  return found
}

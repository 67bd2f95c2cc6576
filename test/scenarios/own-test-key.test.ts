import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEnvironment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { mintKey, writeApiKey } from '#src/core/api-key.ts'
import { hashKey } from '#src/core/key-hash.ts'
import { endedTestKeysSince, forgetEndedTestKeys } from '#src/storage/ended-test-keys.ts'
import { insertKey, revokeKey } from '#src/storage/keys.ts'
import { openService } from '#src/wiring/service.ts'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { createTestClock, HOUR_MS, MINUTE_MS, type TestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { keyIn, type MailServer, startMailServer } from '../support/mail-server.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { rowsWith } from '../support/whole-contents.ts'

const PATH = '/dokumentasjon/sandkasse'

let clock: TestClock
let register: RegisterStandIn
let mail: MailServer
let service: TestService

beforeAll(async () => {
  clock = createTestClock()
  mail = await startMailServer()
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  service = await startTestService(register, {
    clock,
    isLoaded: true,
    variables: { SMTP_URL: mail.url, MAIL_FROM: 'Oppslag <nokler@example.no>', TRUST_PROXY: '127.0.0.1' },
  })
})
afterAll(async () => {
  await service.close()
  await register.close()
  await mail.close()
})

let networks = 0
function nextNetwork(): string {
  networks += 1
  return `198.51.100.${networks}`
}
/** From a network of its own, unless one is given. */
const ask = (epost: string, ip = nextNetwork(), query = '') =>
  fetch(`${service.address}${PATH}${query}`, {
    method: 'POST',
    body: new URLSearchParams({ epost }),
    headers: { 'x-forwarded-for': ip },
    redirect: 'manual',
  })

const get = (key: string, path: string, headers: Record<string, string> = {}) =>
  service.getBare(path, { authorization: `Bearer ${key}`, ...headers })

async function mailedTo(to: string, count = 1): Promise<string[]> {
  const mails = await mail.waitForMails({ to, count })
  return mails.map((each) => keyIn(each) ?? '')
}

const rows = (what: string) =>
  service.storage.database.query<Record<string, unknown>>(`select ${what} from testnokkelonske`)

describe('P106: a test key of one’s own', () => {
  it('is asked for at the end of the page about the sandbox, in both languages, and comes by mail', async () => {
    for (const [query, word] of [
      ['', 'Send meg en testnøkkel'],
      ['?lang=en', 'Send me a test key'],
    ] as const) {
      const page = await service.getBare(PATH + query)
      expect(page.text).toContain(word)
      expect(page.text).toContain(`action="${PATH}${query.replace('=', '&#61;')}"`)
    }
    const answer = await ask('kari@example.no', undefined, '?lang=en')
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${PATH}/sendt?lang=en`])
    expect((await service.getBare(`${PATH}/sendt?lang=en`)).text).toContain('Look in your inbox')
    const [key = ''] = await mailedTo('kari@example.no')
    expect(key).toMatch(/^bo_test_/)
  })

  it('sees what the public one sees, says until when, and no register is asked', async () => {
    const before = register.calls.count('enhet')
    const [key = ''] = await mailedTo('kari@example.no')
    const company = await get(key, `/api/bedrift/${SAMPLE.healthy}`)
    expect([company.status, company.headers.get('x-provedata')]).toEqual([200, 'true'])
    expect(company.body.kilder.enhet.kilde).toContain('(oppdiktet)')
    expect((await get(key, '/api/bedrift/974760673')).status).toBe(404)
    const { body } = await get(key, '/api/bedrift/status')
    expect(body).toMatchObject({ gyldig: true, miljo: 'test', nokkelId: key.split('_')[2] })
    const days = (Date.parse(body.utloper) - clock.now().getTime()) / (24 * HOUR_MS)
    expect(Math.floor(days)).toBe(90)
    expect(register.calls.count('enhet')).toBe(before)
  })

  it('is stored nowhere, and neither is the address when the mail has gone', async () => {
    const [key = ''] = await mailedTo('kari@example.no')
    await eventually('the address is gone', async () =>
      (await rows('epost')).every(({ epost }) => epost === null),
    )
    for (const word of ['kari@example.no', key.split('_')[2] ?? ''])
      expect(await rowsWith(service.storage.database, word)).toEqual([])
  })

  it('another is had by asking again, and works beside the first', async () => {
    await ask('kari@example.no')
    const keys = await mailedTo('kari@example.no', 2)
    expect(new Set(keys).size).toBe(2)
    for (const key of keys) expect((await get(key, '/api/bedrift/status')).status).toBe(200)
  })

  it('P26: attack: a key that was bought, and has an id like theirs, is over at once when it is revoked', async () => {
    const { database: db } = service.storage
    const { id, miljo, token } = writeApiKey('test', 'PrvAAAAAAAAA', Buffer.alloc(32, 7))
    const utstedt = clock.now()
    const utloper = new Date(utstedt.getTime() + 24 * HOUR_MS)
    await insertKey(db, { id, miljo, epost: 'a@b.no', hash: await hashKey(token), utstedt, utloper })
    expect((await get(token, '/api/bedrift/status')).status).toBe(200)
    await db.transaction((connection) => revokeKey(connection, id, clock.now()))
    // The clock stands: nobody looks by itself.
    await eventually('it is refused', async () => (await get(token, '/api/bedrift/status')).status === 401)
  })

  it('P134: is ended alone, by whoever has it, in every process; nothing made up is, nor everybody’s', async () => {
    await ask('avslutt@example.no')
    await ask('avslutt@example.no')
    const [leaked = '', other = ''] = await mailedTo('avslutt@example.no', 2)
    const end = (nokkel: string, query = '') =>
      fetch(`${service.address}${PATH}/avslutt${query}`, {
        method: 'POST',
        body: new URLSearchParams({ nokkel }),
        headers: { 'x-forwarded-for': nextNetwork() },
        redirect: 'manual',
      })
    const beside = await openService(
      readEnvironment({
        PORT: '0',
        OPS_PORT: '0',
        LOG_LEVEL: 'silent',
        DATABASE_URL: service.storage.url,
        MILJO: 'test',
        KANARI: 'av',
        SOKEINDEKS: 'av',
        REGISTER_URL: register.registerUrl,
        KUNNGJORING_URL: register.kunngjoringUrl,
        KLASS_URL: register.klassUrl,
      }),
      { workers: false, clock },
    )
    try {
      const there = await beside.listen()
      const statusThere = async (key: string) =>
        (await fetch(`${there}/api/bedrift/status`, { headers: { authorization: `Bearer ${key}` } })).status
      expect([await statusThere(leaked), await statusThere(other)]).toEqual([200, 200])
      expect((await service.getBare(`${PATH}/avslutt`)).text).toContain('Avslutt en testnøkkel')
      for (const made of [
        '',
        PUBLIC_TEST_KEY,
        service.token,
        leaked.slice(0, -1) + (leaked.endsWith('0') ? '1' : '0'),
        mintKey('test').token,
      ]) {
        const refused = await end(made)
        expect([made, refused.status]).toEqual([made, 400])
        if (made !== '') expect(await refused.text()).not.toContain(made)
      }
      expect([await statusThere(leaked), await statusThere(PUBLIC_TEST_KEY)]).toEqual([200, 200])
      for (const query of ['', '?lang=en']) expect((await end(leaked, query)).status).toBe(303)
      expect((await get(leaked, '/api/bedrift/status')).body.kode).toBe('tilbakekalt_nokkel')
      // Told of it: left to itself it looks again after half a minute.
      await eventually('the other process has heard', async () => (await statusThere(leaked)) === 401, 15_000)
      expect([await statusThere(other), (await get(other, '/api/bedrift/status')).status]).toEqual([200, 200])
    } finally {
      await beside.close()
    }
    const { database } = service.storage
    const kept = async () => (await endedTestKeysSince(database, 0, 9)).map(({ id }) => id)
    await forgetEndedTestKeys(database, clock.now())
    expect(await kept()).toEqual([leaked.split('_')[2]])
    await forgetEndedTestKeys(database, new Date(clock.now().getTime() + 100 * 24 * HOUR_MS))
    expect(await kept()).toEqual([])
  })

  it('attack: an address is mailed three in a day, whoever asks from wherever and however it is written', async () => {
    const forms = [
      'Per@example.no',
      'per@example.no',
      'per+1@example.no',
      'per+2@example.no',
      'PER@EXAMPLE.NO',
    ]
    for (const epost of [...forms, ...forms]) expect((await ask(epost)).status).toBe(303)
    // Asked for after all of those: when it has come, so have they.
    await ask('sist@example.no')
    await mailedTo('sist@example.no')
    const isPer = (to: string) => /^per(\+\d)?@example\.no$/i.test(to)
    const mailed = mail.mails.filter(({ envelope }) => isPer(envelope.to))
    expect(mailed.length).toBe(3)
    clock.advance(24 * HOUR_MS + MINUTE_MS)
    await eventually('the counts are over', async () => (await rows('id')).length === 0)
    await ask('per@example.no')
    const before = mailed.length
    await eventually(
      'one more',
      () => mail.mails.filter(({ envelope }) => isPer(envelope.to)).length > before,
    )
  })

  it('attack: one network is told to wait, and a page of a stranger’s may not ask', async () => {
    const statuses = new Set<number>()
    for (let time = 0; time < 40; time += 1)
      statuses.add((await ask(`n${time}@example.no`, '203.0.113.9')).status)
    expect([...statuses]).toEqual([303, 429])
    const foreign = await fetch(service.address + PATH, {
      method: 'POST',
      body: new URLSearchParams({ epost: 'a@example.no' }),
      headers: { origin: 'https://fremmed.example' },
    })
    expect(foreign.status).toBe(403)
  })

  it('attack: one network, to whomever and however patiently it asks, uses up its own share of a day and nobody else’s', async () => {
    const { perNetworkPerDay } = policy.sales.testKeys
    const one = '203.0.113.77'
    const statuses: number[] = []
    for (let time = 0; time < perNetworkPerDay + 3; time += 1) {
      // As often as a network may send a form at all.
      if (time % 25 === 0) clock.advance(11 * MINUTE_MS)
      statuses.push((await ask(`m${time}@example.no`, one)).status)
    }
    expect(statuses.filter((status) => status === 303).length).toBe(perNetworkPerDay)
    expect(statuses.slice(perNetworkPerDay)).toEqual([429, 429, 429])
    expect((await ask('andre@example.no')).status).toBe(303)
    // Whose network it was stands nowhere.
    expect((await rows('testnokkelonske::text as rad')).some(({ rad }) => String(rad).includes(one))).toBe(
      false,
    )
  })

  it('who mistypes is told beside what was typed; nothing else is a form', async () => {
    const wrong = await ask('ola<b>')
    const text = await wrong.text()
    expect([wrong.status, text.includes('ola&#60;b'), text.includes('aria-invalid="true"')]).toEqual([
      400,
      true,
      true,
    ])
    const other = await fetch(service.address + PATH, { method: 'POST', body: new URLSearchParams({}) })
    expect(other.status).toBe(400)
  })

  it('is sent again while the mail server refuses, and never when it may have arrived', async () => {
    mail.behave(
      { at: 'rcpt', does: 451, to: 'senere@example.no' },
      { at: 'end', does: 'reset', to: 'kanskje@example.no' },
    )
    await ask('senere@example.no')
    await ask('kanskje@example.no')
    await mailedTo('kanskje@example.no')
    await eventually('it was refused', async () =>
      (await rows('epost, tatt_at, neste_at > spurt_at as venter')).some(
        ({ epost, tatt_at, venter }) => epost === 'senere@example.no' && tatt_at === null && venter,
      ),
    )
    mail.behave()
    clock.advance(2 * MINUTE_MS)
    await mailedTo('senere@example.no')
    await ask('sist@example.no')
    await eventually('what was asked for last has come', () => mailsTo('sist@example.no') > 1)
    expect(mailsTo('kanskje@example.no')).toBe(1)
  })

  it('ends when it says, and is told so; with one that nobody made nothing is found', async () => {
    const [key = ''] = await mailedTo('kari@example.no')
    clock.advance(92 * 24 * HOUR_MS)
    const { status, body } = await get(key, `/api/bedrift/${SAMPLE.healthy}`, { 'accept-language': 'en' })
    expect([status, body.kode]).toEqual([401, 'utlopt_nokkel'])
  })
})

function mailsTo(address: string): number {
  return mail.mails.filter(({ envelope }) => envelope.to === address).length
}

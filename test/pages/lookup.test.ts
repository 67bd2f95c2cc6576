import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import type { Verdict } from '#src/access/verify.ts'
import { mintKey } from '#src/core/api-key.ts'
import { createLog } from '#src/core/log.ts'
import type { Front } from '#src/front/app.ts'
import type { Bedrift } from '#src/record/record.ts'
import { sectionNames } from '#src/record/sections.ts'
import { SAMPLE } from '#src/samples/numbers.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import { createSamples } from '#src/wiring/samples.ts'
import { beBusyFor } from '#test/support/be-busy.ts'
import { closedPages, noChanges, noSessions } from '#test/support/closed-pages.ts'
import { eventually } from '#test/support/eventually.ts'
import { faultsOf, readPage } from '#test/support/shown-page.ts'
import { unreadable } from '#test/support/unreadable.ts'
import { KEY, type PageFront, startPageFront } from './page-front.ts'

/** Nine digits with a right check digit, as a real company's. */
const REAL = '923609016'
const SESSION = 's'.repeat(43)
const NO_CLUES = { navn: null, sted: null, nettsted: null, telefon: null, epost: null }
const token = mintKey('test').token
const elsewhere = [
  /^https:\/\/w2\.brreg\.no\/kunngjoring\//,
  /^https:\/\/data\.brreg\.no\/regnskapsregisteret\/regnskap\/aarsregnskap\/kopi\/\d{9}\/\d{4}$/,
]

let front: PageFront
let sample: Bedrift
/** What the service says of REAL, and of the key. */
let record: Bedrift
let verdict: Verdict
let asked: string[]
/** What is watched can not be read. */
let fault: Error | null = null
/** What becomes of the key while it is searched with it. */
let endsMeanwhile: Verdict | null = null
/** What is found takes until then. */
let isFound: Promise<void> | null = null

beforeAll(async () => {
  const pages = closedPages()
  const reading = await createSamples({ clock: { now: () => new Date('2026-11-21T08:00:00Z') } }).read(
    SAMPLE.healthy,
  )
  if (reading.outcome !== 'record') throw new Error(reading.outcome)
  sample = reading.record
  record = sample
  verdict = { ok: true, key: KEY }
  asked = []
  front = await startPageFront(pages, {
    changes: {
      changes: {
        ...noChanges,
        async watcherOf() {
          if (fault !== null) throw fault
          return { eier: KEY.id, prove: false }
        },
      },
      verifier: {
        verify: (text) => (text === token ? verdict : { ok: false, why: 'ukjent' }),
        atHand: () => null,
      },
      sessions: {
        begin: async () => ({ value: SESSION, seconds: 43_200 }),
        who: async (value) => (value === SESSION ? verdict : null),
        end: async (value) => void asked.push(`ended ${value}`),
        rightLately: () => null,
      },
      search: {
        ...pages.samples.search,
        sok: async (question, caller) => {
          asked.push(`sok ${question.q} ${caller}`)
          return pages.samples.search.sok(question, caller)
        },
        finn: async (clues, caller) => {
          if (endsMeanwhile !== null) verdict = endsMeanwhile
          asked.push(`finn ${clues.navn}`)
          await isFound
          return pages.samples.search.finn(clues, caller)
        },
        mayShow: () => true,
        toSn2025: () => [],
      },
      reader: {
        held: () => null,
        waiting: () => 0,
        readPart: () => expect.unreachable(),
        read: async (orgnr: string, { caller }: { caller: string }) => {
          asked.push(`read ${orgnr} ${caller}`)
          const answer = { bytes: Buffer.from(JSON.stringify(record)) }
          return {
            outcome: 'record',
            answer,
            came: { by: 'hit', tier: 'answers' },
            lacking: null,
            forced: null,
          }
        },
      } as unknown as Front['reader'],
    },
  })
})
afterAll(() => front.close())

const inside = (path: string) => front.get(path, { cookie: `bedriftsoppslag=${SESSION}` })

/** A form as a browser fills it: the cookie and the token that came with the page. */
async function formAt(path: string, cookies = '', from = front): Promise<{ skjema: string; cookie: string }> {
  const page = await from.get(path, cookies === '' ? {} : { cookie: cookies })
  const skjema = readPage(page.text)
    .all('input')
    .find(({ attribs }) => attribs.name === 'skjema')?.attribs.value
  const set = page.headers.getSetCookie().map((each) => each.split(';')[0] ?? '')
  return { skjema: skjema ?? '', cookie: [cookies, ...set].filter((each) => each !== '').join('; ') }
}

describe('P86: whoever has no key sees invented companies, and nothing of others', () => {
  it('finds an invented one by a misspelt name, with why and how sure', async () => {
    const { status, text } = await front.get('/oppslag?q=tindevag+sjomt')
    expect(status).toBe(200)
    const [first] = readPage(text)
      .all('a')
      .filter(({ attribs }) => attribs.href?.startsWith('/foretak/'))
    expect(first).toMatchObject({
      attribs: { href: `/foretak/${SAMPLE.healthy}` },
      text: 'TINDEVÅG SJØMAT AS',
    })
    expect(text).toContain('Ligner på «TINDEVÅG SJØMAT AS»')
    expect(text).toContain('velg selv')
    const whole = await front.get('/oppslag?q=tindev%C3%A5g+sj%C3%B8mat')
    expect(whole.text).toContain('nesten sikkert')
    expect((await front.get('/oppslag?q=tindev%C3%A5g&tilstand=konkurs')).text).toContain('1 treff')
    expect(asked).toEqual([])
  })

  it('is given suggestions among them, and a number leads to its page', async () => {
    const { treff } = JSON.parse((await front.get('/oppslag/forslag?q=tindev')).text)
    expect(treff).toContainEqual({
      navn: 'TINDEVÅG SJØMAT AS',
      om: `AS · BÅTSFJORD · ${SAMPLE.healthy}`,
      lenke: `/foretak/${SAMPLE.healthy}`,
    })
    const number = await front.get('/oppslag?q=901+012+121&lang=en')
    expect([number.status, number.headers.get('location')]).toEqual([
      303,
      `/foretak/${SAMPLE.healthy}?lang=en`,
    ])
  })

  it.each(['', '/json', '/csv', '/xlsx', '/tekst'])(
    'is shown the way in at a real one%s, and nobody is asked',
    async (form) => {
      const { status, headers, text } = await front.get(`/foretak/${REAL}${form}`)
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toBe('Bearer realm="bedriftsoppslag"')
      expect(text).toContain('923 609 016 er et virkelig foretak')
      expect(asked).toEqual([])
    },
  )

  it('is told of numbers that are none, of the one that was removed, and of too much', async () => {
    expect((await front.get('/foretak/123456789')).status).toBe(404)
    expect((await front.get(`/foretak/${SAMPLE.removed}`)).status).toBe(410)
    const { attemptsMax } = policy.pages.strangers
    const many = await Promise.all(
      Array.from({ length: attemptsMax + 1 }, () =>
        front.get('/oppslag/forslag?q=z', { 'x-forwarded-for': '192.0.2.7' }),
      ),
    )
    expect(many.filter(({ status }) => status === 429).length).toBe(1)
    expect((await front.get('/oppslag/forslag?q=zz')).status).toBe(200)
  })

  it('whoever has a session searches and reads as the key does', async () => {
    expect((await inside('/oppslag?q=equinor')).text).toContain(`Du er inne med nøkkelen ${KEY.id}.`)
    const page = await inside(`/foretak/${REAL}`)
    expect(page.headers.get('cache-control')).toBe('private, no-store')
    expect(page.text).toContain('TINDEVÅG SJØMAT AS')
    expect(asked).toEqual([`sok equinor ${KEY.id}`, `read ${REAL} ${KEY.id}`])
  })
})

describe('P99: lists of one’s own that take long', () => {
  it('attack: as many as one sends leave a short one its turn, and who leaves has nothing more looked up', async () => {
    const cookies = `bedriftsoppslag=${SESSION}`
    const { skjema, cookie } = await formAt('/liste', cookies)
    const stranger = await formAt('/liste')
    const linjer = Array.from({ length: 500 }, (_, nr) => `Sildevåg ${nr}`).join('\n')
    const held = Promise.withResolvers<void>()
    isFound = held.promise
    asked = []
    const leaving = new AbortController()
    try {
      const sent = Array.from({ length: 4 }, () =>
        fetch(`${front.origin}/liste`, {
          method: 'POST',
          headers: { cookie, 'sec-fetch-site': 'same-origin' },
          body: new URLSearchParams({ skjema, linjer }),
          signal: leaving.signal,
        }).catch(() => null),
      )
      await eventually('one of theirs is looked up', () => asked.length > 0)
      const { status, text } = await front.post(
        '/liste',
        { skjema: stranger.skjema, linjer: 'tindevåg sjømat' },
        { cookie: stranger.cookie, 'x-forwarded-for': '192.0.2.99' },
      )
      expect([status, text.includes('1 linjer: 1 funnet')]).toEqual([200, true])
      leaving.abort()
      await Promise.all(sent)
    } finally {
      isFound = null
      held.resolve()
    }
    const { status } = await front.post('/liste', { skjema, linjer: 'tindevåg sjømat' }, { cookie })
    expect(status).toBe(200)
    expect(asked.length).toBeLessThan(500)
  })

  it.each([
    // So short that it is received without a place.
    ['eighty', 80, 'tinde vag oe '],
    ['four hundred', 400, 'tinde vag oe '.repeat(7)],
  ])(
    'P99: attack: as many as strangers of %s networks send leave whoever has a key their turn',
    async (_, networks, name) => {
      const { skjema, cookie } = await formAt('/liste', `bedriftsoppslag=${SESSION}`)
      const stranger = await formAt('/liste')
      const linjer = Array.from({ length: 500 }, (_, nr) => name + nr).join('\n')
      const leaving = new AbortController()
      const told: number[] = []
      const sent = Array.from({ length: networks }, (_, network) =>
        fetch(`${front.origin}/liste`, {
          method: 'POST',
          headers: {
            cookie: stranger.cookie,
            'sec-fetch-site': 'same-origin',
            'x-forwarded-for': `192.0.${network >> 8}.${network & 255}`,
          },
          body: new URLSearchParams({ skjema: stranger.skjema, linjer }),
          signal: leaving.signal,
        }).then(
          ({ status }) => told.push(status),
          () => null,
        ),
      )
      await eventually('there is no more room in the line', () => told.includes(503))
      const whole = told.filter((each) => each === 200).length
      const long = { linjer: 'tindevåg sjømat', fil: 'a'.repeat(20_000) }
      const { status } = await front.post('/liste', { skjema, ...long }, { cookie })
      const wholeMeanwhile = told.filter((each) => each === 200).length - whole
      leaving.abort()
      await Promise.all(sent)
      expect(status).toBe(200)
      // Those who had a place before them, and as many while theirs was looked up: not the whole line.
      expect(wholeMeanwhile).toBeLessThan(2 * policy.pages.listsAtOnce.atOnce)
    },
  )
})

it('P99: attack: lists of many networks that go on line by line, and end together, do some lines or one page in a turn of the event loop', async () => {
  const pages = closedPages()
  const found = await pages.samples.search.finn({ ...NO_CLUES, navn: 'tindevåg sjømat' }, '')
  const most = { lines: 0, pages: 0 }
  let inThisTurn = { lines: 0, pages: 0 }
  let isOver = false
  const another = () => {
    inThisTurn = { lines: 0, pages: 0 }
    if (!isOver) setImmediate(another)
  }
  const work = (what: keyof typeof most, ms: number) => {
    inThisTurn[what] += 1
    most[what] = Math.max(most[what], inThisTurn[what])
    beBusyFor(ms)
  }
  const first = {
    ...(found.answer.foretak ?? expect.unreachable()),
    get navn() {
      work('pages', policy.http.loopTurnMs)
      return 'EN AV FLERE'
    },
  }
  const search: typeof pages.samples.search = {
    ...pages.samples.search,
    async finn({ navn }) {
      work('lines', policy.http.loopTurnMs / 4)
      return { answer: { ...found.answer, foretak: navn === 'første' ? first : null }, orgnrs: [] }
    },
  }
  const crowded = await startPageFront({ ...pages, samples: { ...pages.samples, search } })
  try {
    const { skjema, cookie } = await formAt('/liste', '', crowded)
    const linjer = `første${'\nsild'.repeat(49)}`
    another()
    const sent = await Promise.all(
      Array.from({ length: 16 }, (_, network) =>
        crowded.post('/liste', { skjema, linjer }, { cookie, 'x-forwarded-for': `192.0.2.${network}` }),
      ),
    )
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]))
    expect(most.lines).toBeLessThanOrEqual(5)
    expect(most.pages).toBeLessThanOrEqual(2)
  } finally {
    isOver = true
    await crowded.close()
  }
})

describe('P150: a list of one’s own that is under way when its key ends', () => {
  it.each(['vis', 'csv'])(
    'attack: gives nothing of what was found (%s), and says that the key is over',
    async (gjor) => {
      const cookies = `bedriftsoppslag=${SESSION}`
      const { skjema, cookie } = await formAt('/liste', cookies)
      const fields = { skjema, linjer: `${sample.navn}`, gjor }
      const found = await front.post('/liste', fields, { cookie })
      expect(found.text).toContain(sample.organisasjonsnummer)
      endsMeanwhile = { ok: false, why: 'tilbakekalt', utloper: new Date() }
      const { text } = await front.post('/liste', fields, { cookie })
      endsMeanwhile = null
      verdict = { ok: true, key: KEY }
      expect(text).not.toContain(sample.organisasjonsnummer)
      expect(text).toContain('Nøkkelen er tilbakekalt eller byttet')
    },
  )
})

describe('with PostgreSQL away', () => {
  it('P51: a company is shown all the same, without the button that watches it, and it is said why', async () => {
    // Away, or there and not able to have at what it keeps.
    for (const each of [null, new StorageUnavailableError(null), unreadable(), null]) {
      fault = each
      const isAway = each !== null
      const { status, text } = await inside(`/foretak/${REAL}`)
      expect([status, text.includes('TINDEVÅG SJØMAT AS')]).toEqual([200, true])
      expect(text.includes('action="/overvaking/')).toBe(!isAway)
      expect(text.includes('kan ikke vises akkurat nå')).toBe(isAway)
    }
  })

  it('an invented one too, where the registers know it, though nobody can be known by a session', async () => {
    let isAway = true
    const samples = createSamples({ clock: { now: () => new Date() }, areRegistered: true })
    const demo = await startPageFront(
      { ...closedPages(), samples },
      {
        changes: {
          sessions: {
            ...noSessions,
            async who() {
              if (isAway) throw new StorageUnavailableError(null)
              return { ok: false, why: 'utlopt', utloper: new Date(0) }
            },
          },
        },
      },
    )
    const cookie = `bedriftsoppslag=${SESSION}`
    for (const form of ['', '/json', '/csv', '/tekst']) {
      const { status, headers, text } = await demo.get(`/foretak/${SAMPLE.healthy}${form}`, { cookie })
      expect([form, status, text.includes('TINDEVÅG SJØMAT AS')]).toEqual([form, 200, true])
      expect([text.includes('/overvaking/'), headers.getSetCookie()]).toEqual([false, []])
    }
    isAway = false
    const over = await demo.get(`/foretak/${SAMPLE.healthy}`, { cookie })
    expect([over.status, over.headers.getSetCookie()]).toEqual([200, [expect.stringContaining('Max-Age=0')]])
    await demo.close()
  })
})

describe('P85: the key is shown once, in a form', () => {
  it('is in no page, link or cookie, and the cookie is no script’s and no other site’s', async () => {
    const { skjema, cookie } = await formAt(`/foretak/${REAL}`)
    const fields = { skjema, nokkel: ` ${token} `, til: `/foretak/${REAL}` }
    const { status, headers, text } = await front.post('/logg-inn', fields, { cookie })
    expect([status, headers.get('location')]).toEqual([303, `/foretak/${REAL}`])
    expect(headers.get('set-cookie')).toBe(
      `bedriftsoppslag=${SESSION}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200`,
    )
    expect(text + JSON.stringify([...headers])).not.toContain(token)
    const https = { 'x-forwarded-proto': 'https' }
    const over = await front.get('/logg-inn', https)
    expect(over.headers.get('set-cookie')).toMatch(/^__Host-bedriftsskjema=[\w-]{43}; .*; Secure$/)
  })

  it.each<[string, Verdict, number]>([
    ['wrong', { ok: false, why: 'ukjent' }, 401],
    ['revoked', { ok: false, why: 'tilbakekalt', utloper: new Date() }, 401],
    ['tried too often', { ok: false, why: 'for_mange_forsok', retryAfterSeconds: 9 }, 429],
    ['of a store that is away', { ok: false, why: 'lager_utilgjengelig', retryAfterSeconds: 5 }, 503],
  ])('one that is %s is refused as a call is, and not shown again', async (_, refused, status) => {
    const { skjema, cookie } = await formAt('/logg-inn')
    verdict = refused
    const answer = await front.post('/logg-inn', { skjema, nokkel: token }, { cookie })
    verdict = { ok: true, key: KEY }
    expect(answer.status).toBe(status)
    expect(answer.text).not.toContain(token)
    expect(
      readPage(answer.text)
        .all('p')
        .some(({ attribs }) => attribs.role === 'alert'),
    ).toBe(true)
    expect(answer.headers.getSetCookie().join()).not.toContain('bedriftsoppslag=')
    if (status === 503) expect(answer.headers.get('retry-after')).toBe('5')
  })

  it.each(['/logg-inn', '/logg-ut', '/liste'])('%s takes no form but one of this browser', async (path) => {
    const mine = await formAt('/logg-inn')
    const other = await formAt('/logg-inn')
    const fields = { nokkel: token, linjer: 'tindevåg' }
    for (const [skjema, cookie] of [
      [mine.skjema, ''],
      [mine.skjema, other.cookie],
      ['', mine.cookie],
      [mine.skjema, `${mine.cookie}; bedriftsoppslag=${SESSION}`],
    ] as const) {
      const { status } = await front.post(path, { ...fields, skjema }, cookie === '' ? {} : { cookie })
      expect(status, `${skjema} ${cookie}`).toBe(400)
    }
    expect((await front.post(path, fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  })

  it('is in no log, whatever went wrong', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'oppslag-'))
    const log = createLog({ level: 'debug', file: join(folder, 'log') })
    let fault: Error = new StorageUnavailableError(new Error('x'))
    const logged = await startPageFront(closedPages(), {
      log,
      changes: {
        verifier: { verify: () => Promise.reject(fault), atHand: () => null },
      },
    })
    const page = await logged.get('/logg-inn')
    const skjema =
      readPage(page.text)
        .all('input')
        .find(({ attribs }) => attribs.name === 'skjema')?.attribs.value ?? ''
    const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? ''
    const statuses: number[] = []
    for (const error of [fault, new Error('a fault of ours')]) {
      fault = error
      statuses.push((await logged.post('/logg-inn', { skjema, nokkel: token }, { cookie })).status)
    }
    await logged.get(`/oppslag?q=${token}`)
    await logged.get('/oppslag?q=hemmelig')
    await logged.close()
    await log.flushed()
    const lines = await readFile(join(folder, 'log'), 'utf8')
    await rm(folder, { recursive: true })
    expect(statuses).toEqual([503, 500])
    expect(lines).toContain('a fault of ours')
    for (const secret of [token, skjema, cookie.split('=')[1] ?? '', 'hemmelig', KEY.id])
      expect(lines).not.toContain(secret)
  })

  it('the key that everybody has leads to what is open to all', async () => {
    const { skjema, cookie } = await formAt('/logg-inn')
    const { headers } = await front.post('/logg-inn', { skjema, nokkel: PUBLIC_TEST_KEY }, { cookie })
    expect(headers.get('location')).toBe('/eksempler')
    expect(headers.get('set-cookie')).toBeNull()
  })

  it('leads only to pages of ours', async () => {
    const { skjema, cookie } = await formAt('/logg-inn')
    for (const til of [
      'https://example.org/',
      '//example.org',
      '/\\example.org',
      '/foretak/1?x=',
      '/ordre/x',
    ])
      expect(
        (await front.post('/logg-inn', { skjema, nokkel: token, til }, { cookie })).headers.get('location'),
      ).toBe('/oppslag')
  })

  it('a key in a search or a list is refused, and stands in no answer', async () => {
    const { skjema, cookie } = await formAt('/liste')
    for (const { status, text } of [
      await front.get(`/oppslag?q=${token}`),
      await front.get(`/oppslag/forslag?q=${token}`),
      await front.post('/liste', { skjema, linjer: `tindevåg\n${token}` }, { cookie }),
    ]) {
      expect(status).toBe(400)
      expect(text).not.toContain(token)
      expect(text).toContain('nøkkel')
    }
  })

  it('a session that ended is told of once, and is gone from the browser', async () => {
    verdict = { ok: false, why: 'tilbakekalt', utloper: new Date() }
    const { text, headers } = await inside('/oppslag')
    verdict = { ok: true, key: KEY }
    expect(text).toContain('Nøkkelen er tilbakekalt eller byttet')
    expect(headers.get('set-cookie')).toContain('bedriftsoppslag=; ')
    expect(headers.get('set-cookie')).toContain('Max-Age=0')
    expect(asked).toContain(`ended ${SESSION}`)
  })

  it('logging out ends the session', async () => {
    const { skjema, cookie } = await formAt('/logg-ut', `bedriftsoppslag=${SESSION}`)
    asked = []
    const { status, headers } = await front.post('/logg-ut', { skjema }, { cookie })
    expect([status, headers.get('location')]).toEqual([303, '/logg-inn'])
    expect(asked).toEqual([`ended ${SESSION}`])
  })
})

describe('what a company page shows', () => {
  it('who came and left, who signs, where the others are, and what is missing', async () => {
    const { text } = await front.get(`/foretak/${SAMPLE.healthy}`)
    const page = readPage(text)
    expect(faultsOf(page, elsewhere)).toEqual([])
    expect(text).toContain('Styrets leder alene. To styremedlemmer i fellesskap.')
    expect(text).toContain('HALVARD BRIMSØY (fra 50 til 0)')
    expect(text).toMatch(/2024: 17 aksjonærer, 1 inn, 2 ut/)
    const links = page.all('a').map(({ attribs }) => attribs.href)
    for (const other of [SAMPLE.holding, SAMPLE.investor, SAMPLE.subsidiary])
      expect(links.filter((href) => href === `/foretak/${other}`).length, other).toBeGreaterThanOrEqual(3)
    expect(text).not.toContain('Dette mangler i svaret nå')
    expect((await front.get(`/foretak/${SAMPLE.sourceAway}`)).text).toContain('Dette mangler i svaret nå')
  })

  it('its group, where its mail goes, what it is for, and who may be among its owners: on the page and in each export', async () => {
    const page = (await inside(`/foretak/${REAL}`)).text
    const { postadresse } = record.adresser.data ?? {}
    const told = [
      record.konsern.data?.under?.[0]?.navn,
      record.konsern.data?.konsernspiss.navn,
      postadresse?.adresse?.[0],
      record.naering.data?.vedtektsfestetFormaal?.slice(0, 30),
      'ÅSHILD ØVREBØ, f. 1968',
    ]
    for (const form of ['', '/csv', '/tekst'])
      for (const each of told)
        expect((await inside(`/foretak/${REAL}${form}`)).text, form).toContain(each ?? 'nothing to look for')
    const [, group = ''] = page.split('id="del-konsern"')
    expect(group).toContain(`href="/foretak/${record.konsern.data?.under?.[0]?.organisasjonsnummer}"`)
    expect(page.indexOf('<h1')).toBeLessThan(page.indexOf('class="ta-med"'))
  })

  it('a record with every section unavailable is a page that says so, and so is each export', async () => {
    record = withoutSections(sample)
    for (const language of ['nb', 'en']) {
      const { status, text } = await inside(`/foretak/${REAL}?lang=${language}`)
      expect(status).toBe(200)
      const page = readPage(text)
      expect(faultsOf(page, elsewhere)).toEqual([])
      const lacking = page.all('li').filter(({ text }) => /prøv igjen|try again/.test(text))
      expect(lacking.length).toBe(sectionNames.length - 1)
    }
    for (const form of ['csv', 'tekst'])
      expect((await inside(`/foretak/${REAL}/${form}`)).text.match(/Utilgjengelig/g)?.length).toBeGreaterThan(
        12,
      )
    expect((await inside(`/foretak/${REAL}/xlsx`)).status).toBe(200)
    record = sample
  })

  it('a giant with 100,000 holders is a page of its twenty largest, that says so', async () => {
    record = structuredClone(sample)
    const { data } = record.aksjonaerer
    const [holder] = data?.storste ?? []
    if (data === null || holder === undefined) throw new Error('the sample has no holders')
    data.innehavere = 100_000
    data.storste = Array.from({ length: 20 }, (_, index) => ({
      ...holder,
      plass: index + 1,
      navn: `EIER ${index}`,
    }))
    const { text } = await inside(`/foretak/${REAL}`)
    expect(text).toMatch(/De 20 største av 100\s000\./)
    expect(text.length).toBeLessThan(100_000)
    record = sample
  })
})

describe('P87: whatever somebody is called, it is text', () => {
  const HOSTILE = [
    '<script>alert(1)</script>',
    `"><img src=x onerror=alert(1)>`,
    '=HYPERLINK("https://example.org";"her")',
    '+1+cmd|calc!A0',
    '\u202eSA TRÅVEMOR\u202c AS',
    `${'Ø'.repeat(300)} AS`,
    '🦑 BLEKKSPRUT 👩‍👩‍👧 AS',
    'BÅT\u0000\u0007\u001b[31mRØD AS',
    '\ud800 HALV AS',
  ]

  it.each(HOSTILE)('%j on the page and in every export', async (name) => {
    record = called(sample, name)
    const { status, text } = await inside(`/foretak/${REAL}`)
    expect(status).toBe(200)
    expect(faultsOf(readPage(text), elsewhere)).toEqual([])
    expect(text).not.toContain('<script>alert')
    expect(text).not.toContain('<img src=x')
    const csv = (await inside(`/foretak/${REAL}/csv`)).text
    for (const line of csv.split('\r\n'))
      for (const cell of line.split(';')) expect(cell.replace(/^"/, ''), cell).not.toMatch(/^[=+@]/)
    const told = [csv, (await inside(`/foretak/${REAL}/tekst`)).text]
    for (const file of told) expect(file.replaceAll(/[\r\n]/g, '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
    const json = (await inside(`/foretak/${REAL}/json`)).text
    expect((JSON.parse(json) as Bedrift).navn).toBe(name)
    const sheets = await workbookText(`/foretak/${REAL}/xlsx`)
    expect(sheets.replaceAll(/[\r\n\t]/g, '')).not.toMatch(/<f>|<script>|[\p{Cc}\u202a-\u202e]/u)
    record = sample
  })

  it('attack: it begins no line of its own in what is pasted into a mail, and turns nothing round that stands beside it', async () => {
    const linesOf = async (name: string) => {
      record = called(sample, name)
      const { text } = await inside(`/foretak/${REAL}/tekst`)
      return text.split(/[\n\r\v\f\u0085\u2028\u2029]/)
    }
    const names = [
      'OLA AS\r\n\r\nKONKURS\r\nStatus: aktiv',
      'OLA AS\nStatus: aktiv\u2028\u2029\u0085',
      '\u202eSA\u202c \u2066x \u200fAS\u001b[2J',
    ]
    const plain = await linesOf('OLA AS')
    for (const name of names) {
      expect((await linesOf(name)).length).toBe(plain.length)
      for (const path of [
        `/foretak/${REAL}`,
        `/foretak/${REAL}?lang=en`,
        `/oppslag?q=${encodeURIComponent(name)}`,
      ])
        expect((await inside(path)).text).not.toMatch(
          /[[\p{Cc}--[\t\r\n]]\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/v,
        )
    }
    record = sample
  })

  it('in what is searched for, and in a list and its sheet', async () => {
    for (const name of HOSTILE) {
      const { text } = await front.get(`/oppslag?q=${encodeURIComponent(name.toWellFormed())}`)
      expect(faultsOf(readPage(text))).toEqual([])
      const { skjema, cookie } = await formAt('/liste')
      const listed = await front.post('/liste', { skjema, linjer: name.toWellFormed() }, { cookie })
      expect(faultsOf(readPage(listed.text)), name).toEqual([])
      const csv = await front.post('/liste', { skjema, linjer: name.toWellFormed(), gjor: 'csv' }, { cookie })
      for (const line of csv.text.split('\r\n').slice(1)) expect(line.replace(/^"/, '')).not.toMatch(/^[=+@]/)
    }
  })
})

describe('a list of one’s own', () => {
  it('is found line by line, corrected, chosen from, and taken home', async () => {
    const { skjema, cookie } = await formAt('/liste')
    const linjer = 'Navn;Sted\r\nTindevag Sjomat;Båtsfjord\r\n\r\n901 012 121\r\nTINDEVÅG\r\nfinnes ikke her'
    const post = (fields: Record<string, string>) => front.post('/liste', { skjema, ...fields }, { cookie })
    const { text } = await post({ linjer })
    const page = readPage(text)
    expect(faultsOf(page)).toEqual([])
    expect(text).toContain('4 linjer: 2 funnet, 1 der du må velge, 1 ikke funnet.')
    const rows = {
      antall: '4',
      g0: 'Tindevag Sjomat',
      g1: '901 012 121',
      g2: 'TINDEVÅG',
      g3: 'Ishavskraft Global ASA',
    }
    const again = await post({ ...rows, v2: SAMPLE.holding })
    expect(again.text).toContain('4 linjer: 4 funnet')
    const csv = await post({ ...rows, v2: SAMPLE.holding, gjor: 'csv' })
    const lines = csv.text.split('\r\n')
    expect(lines[0]).toBe(
      '\uFEFFOppgitt;Org.nr.;Navn;Form;Sted;Kommunenr.;Tilstand;Ansatte;Visshet;Hvorfor'.slice(1),
    )
    expect(lines[3]).toMatch(new RegExp(`^TINDEVÅG;${SAMPLE.holding};TINDEVÅG AS;AS;.*;valgt for hånd;`))
    const sheet = await front.post('/liste', { skjema, ...rows, gjor: 'xlsx' }, { cookie })
    expect(sheet.headers.get('content-disposition')).toBe('attachment; filename="foretak.xlsx"')
    // What is chosen counts only when it was found: nobody’s name is put beside another’s number.
    expect((await post({ ...rows, v2: REAL })).text).toContain('3 funnet')
  })

  it('is uploaded as a file, in the letters of a Norwegian Excel as well', async () => {
    const { skjema, cookie } = await formAt('/liste')
    for (const bytes of [Buffer.from('tindevåg sjømat\n'), Buffer.from('tindevåg sjømat\n', 'latin1')]) {
      const form = new FormData()
      form.set('skjema', skjema)
      form.set('fil', new Blob([new Uint8Array(bytes)]), 'kunder.csv')
      const answer = await fetch(`${front.origin}/liste`, {
        method: 'POST',
        body: form,
        headers: { cookie, 'sec-fetch-site': 'same-origin' },
      })
      expect(await answer.text()).toContain('1 linjer: 1 funnet')
    }
  })

  it('of more than 500 lines says how many are left out, and one that is too large is refused', async () => {
    const { skjema, cookie } = await formAt('/liste')
    const lines = (count: number) =>
      Array.from({ length: count }, (_, index) => `901012121 ${index}`).join('\n')
    const { status, text } = await front.post('/liste', { skjema, linjer: lines(503) }, { cookie })
    expect(status).toBe(200)
    expect(text).toContain('Bare de første 500 linjene er slått opp. 3 er utelatt')
    expect((await front.post('/liste', { skjema, linjer: 'x'.repeat(600_000) }, { cookie })).status).toBe(413)
  })

  it('P99: of thousands of fields, however they are written, is not taken apart', async () => {
    const { skjema, cookie } = await formAt('/liste')
    const send = async (body: string, type: string) => {
      const headers = { cookie, 'content-type': type, 'sec-fetch-site': 'same-origin' }
      return (await fetch(`${front.origin}/liste`, { method: 'POST', body, headers })).status
    }
    const urlencoded = (fields: number) => `skjema=${skjema}&antall=1&g0=x&${'a&'.repeat(fields)}`
    const FORM = 'application/x-www-form-urlencoded'
    expect(await send(urlencoded(1500), FORM)).toBe(200)
    expect(await send(urlencoded(5000), FORM)).toBe(400)
    expect(await send(urlencoded(5000), `${FORM}; boundary=zz`)).toBe(400)
    const BETWEEN = 'b'.repeat(30)
    const part = (name: string, value: string) =>
      `--${BETWEEN}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const multipart = (fields: number) =>
      `${part('skjema', skjema)}${part('linjer', 'x')}${part('a', '').repeat(fields)}--${BETWEEN}--\r\n`
    expect(await send(multipart(10), `multipart/form-data; boundary=${BETWEEN}`)).toBe(200)
    expect(await send(multipart(5000), `multipart/form-data; boundary=${BETWEEN}`)).toBe(400)
    expect(await send(multipart(5000), `multipart/form-data; x=";boundary=zz"; boundary=${BETWEEN}`)).toBe(
      400,
    )
    expect(await send(multipart(5000), `multipart/form-data; boundary="${BETWEEN}"`)).toBe(400)
  })

  it('P169: whose part is all head, of lines, a line, a name or parameters, is not taken apart', async () => {
    const { skjema, cookie } = await formAt('/liste')
    const BETWEEN = 'b'.repeat(30)
    const headers = {
      cookie,
      'content-type': `multipart/form-data; boundary=${BETWEEN}`,
      'sec-fetch-site': 'same-origin',
    }
    const part = (rest: string) => `--${BETWEEN}\r\nContent-Disposition: form-data; name=${rest}`
    const statusOf = async (heads: string) => {
      const token = part(`"skjema"\r\n\r\n${skjema}\r\n`)
      const body = `${token}${part(heads)}\r\n\r\nx\r\n--${BETWEEN}--\r\n`
      return (await fetch(`${front.origin}/liste`, { method: 'POST', body, headers })).status
    }
    expect(await statusOf('"a"; b="c"\r\nX: a\r\nY: b')).toBe(200)
    expect(await statusOf(`"a"${'\r\nX: a'.repeat(60_000)}`)).toBe(400)
    expect(await statusOf(`"a"\r\nX: ${'a'.repeat(400_000)}`)).toBe(400)
    expect(await statusOf(`"${'%22'.repeat(130_000)}"`)).toBe(400)
    expect(await statusOf(`"a"${'; a=b'.repeat(80_000)}`)).toBe(400)
  })
})

/** Every section as if its source could not be heard. */
function withoutSections(record: Bedrift): Bedrift {
  const bare = structuredClone(record) as unknown as Record<string, unknown> & Bedrift
  for (const [name, kilde] of Object.entries(bare.kilder)) {
    if (name === 'enhet') continue
    Object.assign(kilde, {
      tilstand: 'utilgjengelig',
      arsak: { kode: 'tidsfrist', beskrivelse: 'Kilden svarte ikke i tide.' },
    })
    const section = bare[name]
    if (typeof section === 'object' && section !== null && 'data' in section)
      Object.assign(section, { tilstand: 'utilgjengelig', data: null })
  }
  return { ...bare, komplett: false, muligSammePerson: null }
}

/** Everything that is somebody's name, by this name. */
function called(record: Bedrift, name: string): Bedrift {
  return JSON.parse(
    JSON.stringify(record, (key, value) =>
      typeof value === 'string' && /^(navn|tittel|fritekst|aktivitet|poststed)$/.test(key) ? name : value,
    ),
  )
}

async function workbookText(path: string): Promise<string> {
  const answer = await fetch(front.origin + path, { headers: { cookie: `bedriftsoppslag=${SESSION}` } })
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()))
  return Object.entries(files)
    .filter(([name]) => name.endsWith('.xml'))
    .map(([, bytes]) => strFromU8(bytes))
    .join('\n')
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#src/core/clock.ts'
import { Bedrift } from '#src/record/record.ts'
import { SAMPLE, sampleNumbers } from '#src/samples/numbers.ts'
import type { OrderState } from '#src/storage/order-states.ts'
import { createSamples } from '#src/wiring/samples.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { compilePromised } from '#test/support/promised.ts'
import { faultsOf, readPage } from '#test/support/shown-page.ts'
import { anOrder, offer, type PageFront, startPageFront, TOKEN } from './page-front.ts'

/** Where a page may lead besides to us: to pay, and from announcements to the register they stand in. */
const elsewhere = [
  /^https:\/\/pay\.vipps\.no\//,
  /^https:\/\/w2\.brreg\.no\/kunngjoring\//,
  /^https:\/\/data\.brreg\.no\/regnskapsregisteret\/regnskap\/aarsregnskap\/kopi\/\d{9}\/\d{4}$/,
]

const examples = sampleNumbers.map((orgnr) => `/eksempel/${orgnr}`)
const common = [
  '/',
  '/eksempel',
  '/eksempler',
  '/vilkar',
  '/personvern',
  '/dokumentasjon/endringer',
  ...examples,
]
const own = [
  '/kjop',
  '/bytt-nokkel',
  '/bytt-nokkel/sendt',
  `/nokkel/erstatt/${TOKEN}`,
  `/nokkel/forny/${TOKEN}`,
  `/ordre/${TOKEN}`,
]

describe('the pages', () => {
  let front: PageFront
  let order = anOrder()

  beforeAll(async () => {
    front = await startPageFront({
      ...closedPages({
        offer: () => offer,
        readOrder: async () => order,
        readReplacement: async () => ({ utfall: 'kan_byttes' }),
        readRenewal: async () => ({
          nokkel: 'a1b2c3d4e5f6',
          utloper: new Date('2026-12-11T00:00:00Z'),
          erFornyet: false,
        }),
      }),
      seller: offer.seller,
      paymentOrigins: ['https://*.vipps.no'],
    })
  })
  afterAll(() => front.close())

  it.each([...common, ...own])(
    '%s has a language, labels, headings in order, and nothing of its own but files of ours',
    async (path) => {
      for (const [language, address] of [
        ['nb', path],
        ['en', `${path}?lang=en`],
      ] as const) {
        const { status, headers, text } = await front.get(address)
        expect(status).toBe(200)
        expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
        const page = readPage(text)
        expect(faultsOf(page, elsewhere)).toEqual([])
        expect(page.lang).toBe(language)
        expect(page.title).toContain('Bedriftsoppslag')
      }
    },
  )

  it.each([...common, ...own])('%s has a strict policy, no referrer and no frames', async (path) => {
    const { headers } = await front.get(path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';style-src 'self';")
    expect(policy).not.toContain('unsafe')
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self' https://*.vipps.no")
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('set-cookie')).toBeNull()
  })

  it('English is given to whoever asks for it, and a choice on the page goes before and stays', async () => {
    const asked = readPage((await front.get('/', { 'accept-language': 'en-GB,en' })).text)
    expect(asked.lang).toBe('en')
    const chosen = readPage((await front.get('/?lang=nb', { 'accept-language': 'en-GB,en' })).text)
    expect(chosen.lang).toBe('nb')
    const links = chosen.all('a').map(({ attribs }) => attribs.href)
    expect(links).toContain('/kjop?lang=nb')
    const toggle = chosen.all('a').find(({ attribs }) => attribs.hreflang === 'en')
    expect(toggle?.attribs).toMatchObject({ href: '/?lang=en', lang: 'en' })
  })

  it.each(common)('%s is written once, compressed, and not sent again to whoever has it', async (path) => {
    const first = await front.get(path, { 'accept-encoding': 'br' })
    expect(first.headers.get('content-encoding')).toBe('br')
    const etag = first.headers.get('etag') ?? ''
    const again = await front.get(path, { 'accept-encoding': 'br', 'if-none-match': etag })
    expect([again.status, again.text]).toEqual([304, ''])
    const other = await front.get(path, {
      'accept-encoding': 'br',
      'accept-language': 'en',
      'if-none-match': etag,
    })
    expect(other.status).toBe(200)
  })

  it('what pages load is kept for ever under an address of its own bytes', async () => {
    const page = readPage((await front.get('/')).text)
    const files = [...page.all('link', 'script', 'img')].map(
      ({ attribs }) => attribs.href ?? attribs.src ?? '',
    )
    expect(files.length).toBeGreaterThanOrEqual(3)
    for (const file of files) {
      const { status, headers } = await front.get(file)
      expect(status).toBe(200)
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(file).toMatch(/^\/statisk\/[\w-]{16}\//)
    }
    const style = await front.get(files.find((file) => file.endsWith('.css')) ?? '')
    expect(style.text.match(/url\((?!["']?data:)|@import/g)).toBeNull()
  })

  it.each(own)('%s is in no cache and no search engine', async (path) => {
    const { headers, text } = await front.get(path)
    expect(headers.get('cache-control')).toBe('no-store')
    if (path !== '/kjop' && path !== '/bytt-nokkel') {
      expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
      expect(text).toContain('<meta name="robots" content="noindex, nofollow">')
    }
  })

  it.each<OrderState>([
    'opprettet',
    'reservert',
    'avvist',
    'sendt',
    'fullfort',
    'kanselleres',
    'kansellert',
    'avbrutt',
    'utlopt',
    'tapt',
    'avvik',
  ])('an order that is %s says so in words, in both languages, and shows no key', async (tilstand) => {
    const isEnd = ['fullfort', 'kansellert', 'avbrutt', 'utlopt', 'tapt', 'avvik'].includes(tilstand)
    order = anOrder({ tilstand, erEndelig: isEnd, kanGiNyAdresse: tilstand === 'avvist' })
    for (const language of ['nb', 'en']) {
      const { text } = await front.get(`/ordre/${TOKEN}?lang=${language}`)
      const page = readPage(text)
      expect(faultsOf(page, elsewhere)).toEqual([])
      expect(page.headings[0]?.text).not.toBe('')
      expect(text).not.toMatch(/bo_(live|test)_[A-Za-z0-9]/)
      // It asks again by itself, with or without script, until there is nothing to wait for.
      const waits = !isEnd && tilstand !== 'avvist'
      expect(text.includes('http-equiv="refresh"')).toBe(waits)
      const scripts = page.all('script').map(({ attribs }) => attribs.src ?? '')
      expect(scripts.some((src) => src.endsWith('/ordre.js'))).toBe(waits)
    }
    order = anOrder()
  })

  it('every sample is a record as it is promised, but the one that was removed', async () => {
    const record = compilePromised(Bedrift)
    const samples = createSamples({ clock: systemClock })
    for (const orgnr of sampleNumbers) {
      const reading = await samples.read(orgnr)
      if (reading.outcome === 'record') {
        expect([...record.Errors(JSON.parse(JSON.stringify(reading.record)))], orgnr).toEqual([])
      } else expect([orgnr, reading.outcome]).toEqual([SAMPLE.removed, 'removed'])
    }
  })

  it('every invented company stands in the list with what it shows, and has a page of its own', async () => {
    const page = readPage((await front.get('/eksempler')).text)
    const links = page.all('a').map(({ attribs }) => attribs.href)
    for (const path of examples) expect(links).toContain(path)
    expect(links.filter((href) => /^\/eksempel\/\d/.test(href ?? '')).length).toBe(sampleNumbers.length)
    expect((await front.get('/eksempel/901200998')).status).toBe(404)
  })

  it.each([
    ['an older copy is marked as one', SAMPLE.stale, 'Eldre kopi', 'Oddrun Vardetangen'],
    ['what is not known is not nothing', SAMPLE.sourceAway, 'Utilgjengelig', 'vi vet det ikke nå'],
    ['withheld is not zero', SAMPLE.soleProprietor, '1–4 (registeret viser ikke antallet)', 'Åse Bækken'],
    ['a bank has no accounts here, and it says why', SAMPLE.bank, 'Ikke relevant', 'oppstillingsplanen'],
    ['who is hidden is not named', SAMPLE.healthy, 'Vises ikke', 'NORDHAV INVEST AB'],
    ['what the register notes is told', SAMPLE.noted, 'Påtegninger', 'forretningsadressen er feil'],
    ['a removed company is told of as removed', SAMPLE.removed, 'Fjernet fra registeret', '410'],
  ])('%s', async (_, orgnr, ...words) => {
    const { text } = await front.get(`/eksempel/${orgnr}`)
    for (const word of words) expect(text).toContain(word)
    expect(text).not.toContain('LØNNDAL')
  })

  it('a page of a record is written anew on another day, and not before', async () => {
    let now = new Date('2027-02-03T10:00:00Z')
    const clock = { now: () => now }
    const other = await startPageFront({ ...closedPages(), samples: createSamples({ clock }) }, { clock })
    const etag = async () => (await other.get('/eksempel')).headers.get('etag')
    const first = await etag()
    expect((await other.get('/eksempel')).text).toContain('3. februar 2027')
    now = new Date('2027-02-03T22:00:00Z')
    expect(await etag()).toBe(first)
    now = new Date('2028-09-02T10:00:00Z')
    const { text } = await other.get('/eksempel')
    expect(text).toContain('2. september 2028')
    // The last year that is closed, in accounts and shareholders alike.
    expect(text).toContain('31. desember 2027')
    expect(text).not.toContain('31. desember 2025')
    await other.close()
  })

  it('every picture of the sample has its numbers in a table', async () => {
    const page = readPage((await front.get('/eksempel')).text)
    const tables = page.all('table').map(({ text }) => text)
    expect(page.all('svg').length).toBe(5)
    expect(tables.join()).toContain('ÅSHILD ØVREBØ')
    expect(tables.join()).toContain('36,3\u00a0%')
    expect(tables.join()).toMatch(/347\s880/)
    expect(
      page
        .all('details', 'summary')
        .filter(({ name }) => name === 'summary')
        .map(({ text }) => text),
    ).toEqual(expect.arrayContaining(['Eierne og eierandelene i tabell', 'Tallene år for år']))
  })

  it('an address nobody has is a page for who asks for HTML, in the language chosen, and a problem for who does not', async () => {
    for (const path of ['/finnes/ikke', '/dokumentasjon/finnes-ikke', '/api/finnes-ikke']) {
      const shown = await front.get(`${path}?lang=en`, {
        accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      })
      expect([shown.status, shown.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      const page = readPage(shown.text)
      expect(page.lang).toBe('en')
      expect(faultsOf(page)).toEqual([])
      const told = await front.get(path, { accept: '*/*' })
      expect([told.status, told.headers.get('content-type')]).toEqual([
        404,
        'application/problem+json; charset=utf-8',
      ])
      expect(JSON.parse(told.text)).toMatchObject({ kode: 'ukjent_adresse' })
    }
  })

  it('in English nothing that is sold is named in Norwegian, and no way leads out of it', async () => {
    for (const path of ['/', '/vilkar', `/nokkel/forny/${TOKEN}`, `/ordre/${TOKEN}`]) {
      const { text } = await front.get(`${path}?lang=en`)
      expect(text, path).not.toMatch(/API-nøkkel, ett år|Herav mva/)
      if (path !== '/') expect(text, path).toContain('API key, one year')
    }
    const failed = await front.get('/ordre/ukjent?lang=en')
    expect([failed.status, readPage(failed.text).lang]).toEqual([404, 'en'])
  })

  it('the front page says what VAT is, what as many as you like means, and why to pay', async () => {
    const { text } = await front.get('/')
    for (const said of [offer.seller.vatText, 'Så mange oppslag du vil', 'når registrene er gratis'])
      expect(text).toContain(said)
  })

  it('a refused mail: page and terms say how long, and that no mail has the address of the page', async () => {
    order = anOrder({
      tilstand: 'avvist',
      kanGiNyAdresse: true,
      adressefrist: new Date('2026-11-22T07:00:00Z'),
    })
    const { text } = await front.get(`/ordre/${TOKEN}`)
    order = anOrder()
    expect(text).toContain('22. november 2026 kl. 08:00')
    expect(text).toContain('den står ikke i noen e-post')
    expect(text).not.toContain('nøkkelen kommer uansett')
    const terms = (await front.get('/vilkar')).text
    expect(terms).toContain('kan du i 24 timer oppgi en annen')
    expect(terms).toContain('prøver vi i 3 døgn')
    expect(terms).toContain('ingen av dem stopper den andre')
  })

  it('a closed sale says so where one would buy, and nowhere takes an order', async () => {
    const closed = await startPageFront(closedPages())
    const { status, text } = await closed.get('/kjop')
    expect(status).toBe(200)
    expect(text).toContain('Salget er stengt')
    expect(
      readPage(text)
        .all('form')
        .map(({ attribs }) => attribs.action),
    ).toEqual(['/oppslag'])
    const asked = await closed.post('/kjop/betal', {
      epost: 'a@example.no',
      skjema: 'x'.repeat(32),
      vilkaar: 'ja',
    })
    expect(asked.status).toBe(409)
    expect((await closed.get(`/nokkel/forny/${TOKEN}`)).status).toBe(200)
    expect((await closed.get('/')).text).toContain('Salget er ikke åpent')
    await closed.close()
  })
})

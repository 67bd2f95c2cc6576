import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { parseEmailAddress } from '#src/core/email-address.ts'
import type { Front } from '#src/front/app.ts'
import {
  PaymentUnavailableError,
  SaleClosedError,
  TooManyOrdersError,
  termsNotAccepted,
} from '#src/sales/errors.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { faultsOf, readPage } from '#test/support/shown-page.ts'
import { anOrder, offer, type PageFront, startPageFront, TOKEN } from './page-front.ts'

type Order = Parameters<Front['pages']['sales']['placeOrder']>[0]

describe('the forms', () => {
  let front: PageFront
  let placed: Order[] = []
  let fails: Error | null = null
  let given: string[] = []
  let asked: string[] = []
  let confirmed: string[] = []
  let again: unknown[] = []
  let now = new Date('2026-11-21T08:00:00Z')

  beforeAll(async () => {
    front = await startPageFront(
      closedPages({
        offer: () => offer,
        async placeOrder(order) {
          if (fails !== null) throw fails
          parseEmailAddress(order.epost)
          if (!order.vilkaarGodtatt) throw termsNotAccepted()
          placed.push(order)
          return { ordre: TOKEN, redirectUrl: 'https://pay.vipps.no/betal/1' }
        },
        readOrder: async (token) =>
          token === TOKEN ? anOrder({ tilstand: 'avvist', kanGiNyAdresse: true }) : null,
        async giveOtherAddress(token, epost) {
          if (token !== TOKEN) return 'ikke_mulig'
          given.push(parseEmailAddress(epost))
          return 'sendes'
        },
        async requestReplacement(epost, grunn) {
          asked.push(`${parseEmailAddress(epost)} ${grunn}`)
        },
        async orderAgain(...asked) {
          again.push(asked)
          return asked[0] === TOKEN ? { ordre: TOKEN, redirectUrl: 'https://pay.vipps.no/betal/2' } : null
        },
        readReplacement: async (token) =>
          token === 'u'.repeat(43)
            ? { utfall: 'alt_byttet', brukt: new Date('2026-11-20T12:00:00Z') }
            : { utfall: token === TOKEN ? 'kan_byttes' : 'ugyldig_lenke' },
        async confirmReplacement(token) {
          if (token !== TOKEN) return { utfall: 'ugyldig_lenke' }
          confirmed.push(token)
          return { utfall: 'sendes', gjelder: 'kjede' }
        },
      }),
      { clock: { now: () => now } },
    )
  })
  beforeEach(() => {
    placed = []
    given = []
    asked = []
    confirmed = []
    again = []
    fails = null
    // Another time, so that no test is held up by the attempts of another.
    now = new Date(now.getTime() + policy.pages.attemptsPerMs)
  })
  afterAll(() => front.close())

  async function formToken(): Promise<string> {
    const page = readPage((await front.get('/kjop')).text)
    return page.all('input').find(({ attribs }) => attribs.name === 'skjema')?.attribs.value ?? ''
  }

  it('an address is typed, shown back, and sent with the terms as one order', async () => {
    const skjema = await formToken()
    expect(skjema).toMatch(/^[\w-]{32}$/)
    const confirm = await front.post('/kjop', { epost: ' ola@example.no ', skjema })
    expect(confirm.status).toBe(200)
    const page = readPage(confirm.text)
    expect(faultsOf(page)).toEqual([])
    expect(page.all('p').map(({ text }) => text)).toContain('ola@example.no')
    // Nothing is accepted beforehand.
    const box = page.all('input').find(({ attribs }) => attribs.name === 'vilkaar')
    expect(box?.attribs.checked).toBeUndefined()
    const fields = Object.fromEntries(
      page
        .all('input')
        .flatMap(({ attribs }) => (attribs.type === 'hidden' ? [[attribs.name, attribs.value]] : [])),
    )
    const paid = await front.post('/kjop/betal', { ...fields, vilkaar: 'ja' })
    expect([paid.status, paid.headers.get('location')]).toEqual([303, 'https://pay.vipps.no/betal/1'])
    expect(placed).toEqual([
      {
        epost: 'ola@example.no',
        vilkaarGodtatt: true,
        idempotensToken: skjema,
        ip: '127.0.0.1',
        sprak: null,
      },
    ])
  })

  it('whoever changes the address finds what was typed, and it is still the same order', async () => {
    const skjema = await formToken()
    const changing = await front.post('/kjop/endre', { epost: 'ola@exmple.no', skjema })
    expect(changing.status).toBe(200)
    const values = readPage(changing.text)
      .all('input')
      .map(({ attribs }) => [attribs.name, attribs.value])
      .filter(([name]) => name !== 'q')
    expect(values).toEqual([
      ['skjema', skjema],
      ['epost', 'ola@exmple.no'],
    ])
    const { text } = await front.post('/kjop', { epost: 'ola@exmple.no', skjema })
    const actions = readPage(text)
      .all('form')
      .map(({ attribs }) => attribs.action)
    expect(actions).toEqual(['/oppslag', '/kjop/endre', '/kjop/betal'])
  })

  it('an order that came to nothing is ordered again by one press, in the language of the page', async () => {
    const { status, headers } = await front.post(`/ordre/${TOKEN}/igjen?lang=en`, {})
    expect([status, headers.get('location')]).toEqual([303, 'https://pay.vipps.no/betal/2'])
    expect(again).toEqual([[TOKEN, { ip: '127.0.0.1', sprak: 'en' }]])
    const nothing = await front.post(`/ordre/${'b'.repeat(43)}/igjen?lang=en`, {})
    expect([nothing.status, nothing.headers.get('location')]).toEqual([303, '/kjop?lang=en'])
  })

  it.each([
    ['/kjop/betal?lang=en', '/kjop?lang=en'],
    ['/kjop/endre', '/kjop'],
    [`/ordre/${TOKEN}/adresse`, `/ordre/${TOKEN}`],
    [`/ordre/${TOKEN}/igjen`, `/ordre/${TOKEN}`],
  ])('whoever opens %s, where a form leads, comes to the form', async (path, to) => {
    const { status, headers } = await front.get(path)
    expect([status, headers.get('location')]).toEqual([303, to])
  })

  it('a link that was used says when, and has no button that promises another key', async () => {
    const { status, text } = await front.get(`/nokkel/erstatt/${'u'.repeat(43)}`)
    expect(status).toBe(200)
    expect(text).toContain('20. november 2026 kl. 13:00')
    expect(
      readPage(text)
        .all('form')
        .map(({ attribs }) => attribs.action),
    ).toEqual(['/oppslag'])
    expect((await front.get(`/nokkel/erstatt/${'x'.repeat(43)}`)).status).toBe(410)
  })

  it('a mistake is told beside what was typed, and what was typed is kept', async () => {
    const answer = await front.post('/kjop', { epost: 'ola@"><script>', skjema: await formToken() })
    expect(answer.status).toBe(400)
    const page = readPage(answer.text)
    expect(faultsOf(page)).toEqual([])
    expect(page.title).toMatch(/^Feil:/)
    const field = page.all('input').find(({ attribs }) => attribs.name === 'epost')
    expect(field?.attribs).toMatchObject({ value: 'ola@"><script>', 'aria-invalid': 'true' })
  })

  it('without the terms there is no order, and the address is still there', async () => {
    const answer = await front.post('/kjop/betal', { epost: 'ola@example.no', skjema: await formToken() })
    expect(answer.status).toBe(400)
    expect(placed).toEqual([])
    const page = readPage(answer.text)
    expect(faultsOf(page)).toEqual([])
    expect(answer.text).toContain('Godta kjøpsvilkårene')
    expect(page.all('input').find(({ attribs }) => attribs.name === 'epost')?.attribs.value).toBe(
      'ola@example.no',
    )
  })

  it.each([
    ['Vipps is away', () => new PaymentUnavailableError(new Error('x')), 503],
    ['too many orders wait', () => new TooManyOrdersError(), 429],
    ['something of ours fails', () => new Error('a fault with ola@example.no in it'), 500],
  ])('when %s a page says what to do', async (_name, error, status) => {
    fails = error()
    const answer = await front.post('/kjop/betal', {
      epost: 'ola@example.no',
      skjema: await formToken(),
      vilkaar: 'ja',
    })
    expect(answer.status).toBe(status)
    expect(faultsOf(readPage(answer.text))).toEqual([])
    expect(answer.text).not.toContain('ola@example.no')
  })

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour of ours', { 'sec-fetch-site': 'same-site' }],
  ])('a form from %s is not taken', async (_name, headers) => {
    const answer = await front.post('/bytt-nokkel', { epost: 'ola@example.no', grunn: 'tapt' }, headers)
    expect(answer.status).toBe(403)
    expect(asked).toEqual([])
  })

  it('a browser that does not tell where a form came from is asked for its origin', async () => {
    const send = (origin: string) =>
      fetch(`${front.origin}/bytt-nokkel`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
        body: 'epost=ola@example.no&grunn=tapt',
      }).then(({ status }) => status)
    expect(await send('https://evil.example')).toBe(403)
    expect(await send(front.origin)).toBe(303)
    expect(await send('null')).toBe(303)
  })

  it('a form that is too large, of another type or twice the same field is refused', async () => {
    const large = await front.post('/kjop', { epost: 'a'.repeat(5000), skjema: 'x' })
    expect(large.status).toBe(413)
    const xml = await front.post('/kjop', { epost: 'a' }, { 'content-type': 'text/xml' })
    expect(xml.status).toBe(415)
    const json = await front.post('/kjop', {}, { 'content-type': 'application/json' })
    expect(json.status).toBe(400)
    const twice = await fetch(`${front.origin}/kjop`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      body: 'epost=a@example.no&epost=b@example.no&skjema=x',
    })
    expect(twice.status).toBe(400)
    for (const { text } of [large, xml, json]) expect(faultsOf(readPage(text))).toEqual([])
  })

  it('a network that tries too often is told when to come back, and others are not held up', async () => {
    const from = (ip: string) =>
      front.post('/bytt-nokkel', { epost: 'ola@example.no', grunn: 'tapt' }, { 'x-forwarded-for': ip })
    for (let tries = 0; tries < policy.pages.attemptsMax; tries += 1) {
      expect((await from(`2001:db8:1:${tries.toString(16)}::1`)).status).toBe(303)
    }
    const refused = await from('2001:db8:1:ffff::1')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(faultsOf(readPage(refused.text))).toEqual([])
    expect((await from('2001:db8:2::1')).status).toBe(303)
    now = new Date(now.getTime() + policy.pages.attemptsPerMs)
    expect((await from('2001:db8:1::1')).status).toBe(303)
  })

  it.each<[string, (token: string) => string, Record<string, string>]>([
    ['the link of a mail', (token) => `/nokkel/erstatt/${token}`, {}],
    ['the page of an order', (token) => `/ordre/${token}/adresse`, { epost: 'ny@example.no' }],
  ])(
    'P45: attack: whoever guesses from the network of who has %s keeps them out of nothing',
    async (_what, at, fields) => {
      const guessed = await Promise.all(
        Array.from({ length: policy.pages.attemptsMax + 1 }, () => front.post(at('b'.repeat(43)), fields)),
      )
      expect(guessed.filter(({ status }) => status === 429)).toHaveLength(1)
      expect([200, 303]).toContain((await front.post(at(TOKEN), fields)).status)
      expect([...confirmed, ...given]).toHaveLength(1)
    },
  )

  it('P35: a replacement is answered the same for every address, and opening its link does nothing', async () => {
    const known = await front.post('/bytt-nokkel', { epost: 'kjent@example.no', grunn: 'tapt' })
    const unknown = await front.post('/bytt-nokkel', { epost: 'ukjent@example.no', grunn: 'tapt' })
    const told = ({ status, headers, text }: typeof known) => [status, headers.get('location'), text]
    expect(told(known)).toEqual(told(unknown))
    expect(asked).toEqual(['kjent@example.no tapt', 'ukjent@example.no tapt'])
    expect((await front.get(`/nokkel/erstatt/${TOKEN}`)).status).toBe(200)
    expect(confirmed).toEqual([])
    expect((await front.post(`/nokkel/erstatt/${TOKEN}`, {})).status).toBe(200)
    expect(confirmed).toEqual([TOKEN])
  })

  it('a refused address is replaced by another on the page of the order, by whoever has its address', async () => {
    const bad = await front.post(`/ordre/${TOKEN}/adresse`, { epost: 'ikke en adresse' })
    expect(bad.status).toBe(400)
    expect(faultsOf(readPage(bad.text), [/^https:\/\/pay\.vipps\.no\//])).toEqual([])
    const good = await front.post(`/ordre/${TOKEN}/adresse`, { epost: 'ny@example.no' })
    expect([good.status, good.headers.get('location')]).toEqual([303, `/ordre/${TOKEN}`])
    expect(given).toEqual(['ny@example.no'])
  })

  it.each([`/ordre/${'b'.repeat(43)}`, '/ordre/x', '/nokkel/erstatt/x', '/nokkel/forny/%00'])(
    '%s is nobody’s page',
    async (path) => {
      const { status, text } = await front.get(path)
      expect(status).toBe(404)
      expect(faultsOf(readPage(text))).toEqual([])
    },
  )
})

it('P54: attack: who sends forms and tries links while nothing is sold is told so, and has operators told of no fault', async () => {
  const front = await startPageFront(closedPages({ renew: () => Promise.reject(new SaleClosedError()) }))
  try {
    const fields = { epost: 'ola@example.no', skjema: 'a'.repeat(32), vilkaar: 'ja' }
    const shown = await Promise.all([
      front.get('/kjop'),
      front.post('/kjop', fields),
      front.post('/kjop/betal', fields),
      front.get(`/nokkel/forny/${TOKEN}`),
      front.post(`/nokkel/forny/${TOKEN}`, { vilkaar: 'ja' }),
    ])
    for (const { text } of shown) expect(text).toContain('Salget er stengt')
    expect(shown.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
  } finally {
    await front.close()
  }
})

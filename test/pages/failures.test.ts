import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PaymentRefusedError, PaymentUnavailableError } from '#src/sales/errors.ts'
import { SourceError } from '#src/sources/source.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { faultsOf, readPage } from '#test/support/shown-page.ts'
import { unreadable } from '#test/support/unreadable.ts'
import { offer, type PageFront, type Shown, startPageFront, TOKEN } from './page-front.ts'

const away = () => new StorageUnavailableError(Object.assign(new Error('timeout'), { code: '53300' }))

/** What reaches the database or Vipps from a page. */
const acts: [string, (front: PageFront) => Promise<Shown>][] = [
  [
    'an order',
    ({ post }) => post('/kjop/betal', { epost: 'a@example.no', skjema: 's'.repeat(32), vilkaar: 'ja' }),
  ],
  [
    'an order in English',
    ({ post }) =>
      post('/kjop/betal?lang=en', { epost: 'a@example.no', skjema: 's'.repeat(32), vilkaar: 'ja' }),
  ],
  ['a renewal', ({ post }) => post(`/nokkel/forny/${TOKEN}`, { vilkaar: 'ja' })],
  ["the buyer's page", ({ get }) => get(`/ordre/${TOKEN}`)],
  ['another address', ({ post }) => post(`/ordre/${TOKEN}/adresse`, { epost: 'a@example.no' })],
  ['asking for another key', ({ post }) => post('/bytt-nokkel', { epost: 'a@example.no', grunn: 'tapt' })],
  ['replacing a key', ({ post }) => post(`/nokkel/erstatt/${TOKEN}`, {})],
]

describe('what a page says when somebody it needs is away', () => {
  let fails: Error = away()
  let front: PageFront
  const fail = async (): Promise<never> => {
    throw fails
  }

  beforeAll(async () => {
    front = await startPageFront({
      ...closedPages({
        offer: () => offer,
        placeOrder: fail,
        readOrder: fail,
        giveOtherAddress: fail,
        requestReplacement: fail,
        confirmReplacement: fail,
        readRenewal: fail,
        renew: fail,
        noteWebhook: fail,
      }),
      webhooks: { hear: fail },
    })
  })
  afterAll(() => front.close())

  it.each(acts)(
    'P51: %s while PostgreSQL can not be used, or not have at what it keeps, is put off, and is no fault of ours',
    async (_name, act) => {
      // Away, or there and not able to have at what it keeps.
      for (const each of [away(), unreadable()]) {
        fails = each
        const { status, headers, text } = await act(front)
        expect([each, status]).toEqual([each, 503])
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
        expect(headers.get('cache-control')).toBe('no-store')
        expect(faultsOf(readPage(text), [])).toEqual([])
      }
    },
  )

  it.each([new PaymentUnavailableError(null), new PaymentRefusedError(null)])(
    'an order that Vipps does not take now is put off (%s)',
    async (error) => {
      fails = error
      const { status, headers } = await front.post('/kjop/betal', {
        epost: 'a@example.no',
        skjema: 's'.repeat(32),
        vilkaar: 'ja',
      })
      expect(status).toBe(503)
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    },
  )

  it('a register that says when to come back is believed within reason', async () => {
    fails = new SourceError('enhet', 'feilstatus', 'busy', { retryAfterSeconds: 86_400 })
    const { status, headers } = await front.get(`/ordre/${TOKEN}`)
    expect([status, headers.get('retry-after')]).toEqual([503, '120'])
  })

  it('a message of Vipps that can not be stored now is asked for again', async () => {
    for (const each of [away(), unreadable()]) {
      fails = each
      const { status, headers } = await front.post('/vipps/webhook', {})
      expect([each, status]).toEqual([each, 503])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })

  it('a fault of ours is one: 500, with an id to find it by', async () => {
    fails = new Error('a fault of ours')
    const { status, text } = await front.get(`/ordre/${TOKEN}`)
    expect(status).toBe(500)
    expect(text).toContain('Oppgi dette')
  })
})

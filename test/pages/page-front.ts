import { policy } from '#config/policy.ts'
import type { ValidKey } from '#src/access/verify.ts'
import { createAnswers } from '#src/cache/answers.ts'
import type { Clock } from '#src/core/clock.ts'
import { type CrowdedLog, createLog } from '#src/core/log.ts'
import { createApp, type Front } from '#src/front/app.ts'
import type { Assembled } from '#src/record/assembled.ts'
import type { Offer } from '#src/sales/ports.ts'
import type { OrderView } from '#src/sales/read-order.ts'
import { createSandbox } from '#src/wiring/sandbox.ts'
import { noBatches, noChanges, noNamedKeys, noPush, noSessions } from '#test/support/closed-pages.ts'

export const offer: Offer = {
  product: 'API-nøkkel, ett år',
  english: { product: 'API key, one year', vatText: 'Of which VAT 25 %: NOK 99.80' },
  priceOre: 49_900,
  currency: 'NOK',
  miljo: 'test',
  seller: {
    name: 'Oppslag Eksempel AS',
    organisationNumber: '901315558MVA',
    address: 'Prøvegata 1, 0001 Oslo',
    vatText: 'Herav mva. 25 %: 99,80 kr',
  },
}

export const TOKEN = 'a'.repeat(43)

export const KEY: ValidKey = {
  id: 'a1b2c3d4e5f6',
  miljo: 'test',
  right: 'a1b2c3d4e5f6',
  utloper: new Date('2027-11-21T08:00:00Z'),
}

export function anOrder(changes: Partial<OrderView> = {}): OrderView {
  return {
    nummer: '7k2m9x4q1v',
    tilstand: 'opprettet',
    grunn: null,
    epost: 'o••@example.no',
    produkt: offer.product,
    belopOre: offer.priceOre,
    valuta: offer.currency,
    laget: new Date('2026-11-21T07:00:00Z'),
    betalingslenke: 'https://pay.vipps.no/betal/1',
    kanGiNyAdresse: false,
    adressefrist: null,
    erFornyelse: false,
    erEndelig: false,
    ...changes,
  }
}

export type PageFront = {
  origin: string
  get(path: string, headers?: Record<string, string>): Promise<Shown>
  /** As a browser sends a form of ours. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Shown>
  close(): Promise<void>
}
export type Shown = { status: number; headers: Headers; text: string }

/**
 * The front with its pages alone, over a sale the test makes up.
 *
 * @param changes what of the front is another than one without keys and companies
 */
export async function startPageFront(
  pages: Front['pages'],
  {
    clock = { now: () => new Date('2026-11-21T08:00:00Z') },
    log = createLog({ level: 'silent', file: null }),
    changes = {},
  }: { clock?: Clock; log?: CrowdedLog; changes?: Partial<Front> } = {},
): Promise<PageFront> {
  let origin = ''
  const app = await createApp({
    reader: {
      atHand: () => null,
      shared: () => null,
      read: unasked,
      readPart: unasked,
      waiting: () => 0,
    },
    many: { read: unaskedNow, turn: () => null, erased: () => '', waiting: () => 0 },
    batches: noBatches,
    changes: noChanges,
    push: noPush,
    sandbox: createSandbox({ clock, log }),
    search: { sok: unasked, forslag: unasked, finn: unasked, mayShow: () => true, toSn2025: () => [] },
    sessions: noSessions,
    namedKeys: noNamedKeys,
    reconciliation: noSessions,
    answers: createAnswers<Assembled>({ bytesMax: 1, answerBytesMax: 1, isTrusted: () => true }),
    shares: { holders: unasked, ownership: unasked },
    verifier: { verify: () => ({ ok: false, why: 'ukjent' }), atHand: () => null },
    version: '0',
    readiness: async () => ({ klar: true, hindringer: [], mangler: [] }),
    status: unaskedNow,
    isEnding: () => false,
    clock,
    log,
    policy: policy.http,
    trustProxy: ['127.0.0.1/32'],
    publicUrl: () => origin,
    deprecations: [],
    pages,
    ...changes,
  })
  origin = await app.listen({ port: 0, host: '127.0.0.1' })

  async function ask(path: string, init: RequestInit): Promise<Shown> {
    const answer = await fetch(origin + path, { redirect: 'manual', ...init })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  return {
    origin,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, fields, headers = {}) =>
      ask(path, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
        body: new URLSearchParams(fields).toString(),
      }),
    close: () => app.close(),
  }
}

async function unasked(): Promise<never> {
  throw new Error('no page asks for this')
}

function unaskedNow(): never {
  throw new Error('no page asks for this')
}

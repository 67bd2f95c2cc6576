import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { askOf } from '#src/sources/ask.ts'
import { roller as rollerSource } from '#src/sources/enhetsregisteret/roles.ts'
import { createSearchSource } from '#src/sources/enhetsregisteret/search.ts'
import { enhet as enhetSource, underenhet as underenhetSource } from '#src/sources/enhetsregisteret/unit.ts'
import { signatur as signaturSource } from '#src/sources/fullmakt/authority.ts'
import { createIndustryCodesSource } from '#src/sources/klass/industry-codes.ts'
import { kunngjoringer as kunngjoringerSource } from '#src/sources/kunngjoringer/announcements.ts'
import type { RegisterClient } from '#src/sources/register-client.ts'
import { regnskap as regnskapSource } from '#src/sources/regnskap/accounts.ts'
import { type Answer, SourceError } from '#src/sources/source.ts'
import { askSparingly } from '#src/sources/sparingly.ts'
import { answering, ORGNR, patient } from './asking.ts'

type Ask = (client: RegisterClient) => Promise<Answer<unknown>>
const OPTIONS = { enabled: true, callsPerSecond: 1000, inFlightMax: 10, waitMs: 5000, deadlineMs: 5000 }
const asks: Record<string, Ask> = {
  enhet: (client) => askOf(enhetSource, client)(ORGNR, patient()),
  underenhet: (client) => askOf(underenhetSource, client)(ORGNR, patient()),
  roller: (client) => askOf(rollerSource, client)(ORGNR, patient()),
  sok: (client) => createSearchSource(client).searchEnheter({ navn: 'x', metode: null, size: 5 }, patient()),
  signatur: (client) => askOf(signaturSource, client)(ORGNR, patient()),
  regnskap: (client) => askOf(regnskapSource, client)(ORGNR, patient()),
  kunngjoringer: (client) => askSparingly(kunngjoringerSource, client, OPTIONS)(ORGNR, patient()),
  klass: (client) => createIndustryCodesSource(client).fetchIndustryCodes(patient()),
}

/** Values near enough to a real answer to get past the first check, with anything in their leaves. */
const names = [
  ...[
    'organisasjonsnummer',
    'navn',
    'organisasjonsform',
    'kode',
    'respons_klasse',
    'slettedato',
    'konkurs',
    'kapital',
  ],
  ...[
    'rollegrupper',
    'roller',
    'type',
    'person',
    'avregistrert',
    '_links',
    'self',
    'href',
    '_embedded',
    'enheter',
  ],
  ...[
    'page',
    'totalElements',
    'status',
    'rutineStatus',
    'signeringsGrunnlag',
    'virksomhet',
    'regnskapsperiode',
  ],
  ...[
    'eiendeler',
    'valuta',
    'name',
    'correspondenceMaps',
    'message',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
  ],
]
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    ORGNR,
    '222222222',
    'Enhet',
    'AS',
    '2026-01-01',
    null,
    true,
    0,
    -1,
    1e300,
    '',
    'NOK',
  ),
  fc.jsonValue({ maxDepth: 1 }),
)
const { near } = fc.letrec((tie) => ({
  near: fc.oneof({ depthSize: 'medium', withCrossShrink: true }, leaf, tie('object'), tie('list')),
  object: fc.dictionary(fc.constantFrom(...names), tie('near'), { maxKeys: 8 }),
  list: fc.array(tie('near'), { maxLength: 3 }),
}))
const identity = fc.constant({ organisasjonsnummer: ORGNR, navn: 'N', organisasjonsform: { kode: 'AS' } })
const body = fc.oneof(
  near.map((value) => JSON.stringify(value)),
  fc
    .tuple(identity, fc.dictionary(fc.constantFrom(...names), near))
    .map(([a, b]) => JSON.stringify({ ...b, ...a })),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.string(),
  fc
    .string()
    .map((text) => `<table><tr><td>01.01.2026</td><td><a href="hent_en.jsp?${text}">${text}</a></td></tr>`),
)
const bytes = fc.oneof(
  body.map((text) => Buffer.from(text)),
  fc.uint8Array().map((raw) => Buffer.from(raw)),
)
const type = fc.constantFrom(
  null,
  'application/json',
  'application/problem+json',
  'text/html',
  'text/html;charset=x',
)
const status = fc.oneof(
  { weight: 4, arbitrary: fc.constant(200) },
  fc.constantFrom(204, 302, 400, 404, 410, 429, 500, 503),
)

describe('whatever a register sends', () => {
  test.each(Object.keys(asks))(
    'P9: %s is an answer about the company asked for, or a SourceError',
    async (name) => {
      const ask = asks[name]
      await fc.assert(
        fc.asyncProperty(bytes, type, status, async (raw, contentType, code) => {
          const before = Object.getOwnPropertyNames(Object.prototype).length
          try {
            const answer = await ask?.(answering({ body: raw, contentType, status: code }))
            if (answer?.outcome === 'found' && (name === 'enhet' || name === 'underenhet')) {
              expect(answer.value).toMatchObject({ organisasjonsnummer: ORGNR })
            }
            if (code >= 300 && code < 400) expect.unreachable('a redirect was taken for an answer')
          } catch (error) {
            expect(error).toBeInstanceOf(SourceError)
            expect((error as SourceError).message).not.toMatch(/https?:/)
          }
          expect(Object.getOwnPropertyNames(Object.prototype).length).toBe(before)
        }),
        { numRuns: 250 },
      )
    },
  )
})

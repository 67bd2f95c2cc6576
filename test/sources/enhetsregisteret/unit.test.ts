import nock from 'nock'
import { describe, expect, test } from 'vitest'
import { askOf } from '#src/sources/ask.ts'
import { enhet as enhetSource, underenhet as underenhetSource } from '#src/sources/enhetsregisteret/unit.ts'
import { answering, clientFor, HOST, ORGNR, OTHER, patient } from '../asking.ts'
import { onlyNockAnswers } from '../only-nock.ts'

const client = clientFor(HOST)
const fetchEnhet = askOf(enhetSource, client)
const fetchUnderenhet = askOf(underenhetSource, client)
const JSON_TYPE = { 'content-type': 'application/vnd.brreg.enhetsregisteret.enhet.v2+json;charset=UTF-8' }

const ENHET = {
  organisasjonsnummer: ORGNR,
  navn: 'FJORDHESTEN AS',
  organisasjonsform: { kode: 'AS', beskrivelse: 'Aksjeselskap', _links: { self: { href: 'https://x' } } },
  antallAnsatte: 7,
  harRegistrertAntallAnsatte: true,
  konkurs: false,
  kapital: { belop: 30000.0, antallAksjer: 2390749040, type: 'Aksjekapital', valuta: 'NOK' },
  sisteInnsendteAarsregnskap: '2025',
  forretningsadresse: { land: 'Norge', landkode: 'NO', adresse: [], kommunenummer: '0301' },
  respons_klasse: 'Enhet',
}
const without = (key: keyof typeof ENHET) =>
  Object.fromEntries(Object.entries(ENHET).filter(([k]) => k !== key))

const asked = (path = 'enheter') => nock(HOST).get(`/enhetsregisteret/api/${path}/${ORGNR}`)
const enhet = (body: string | Buffer | object) => askOf(enhetSource, answering({ body }))(ORGNR, patient())

onlyNockAnswers(client)

describe('one unit', () => {
  test('a main unit is asked for with the pinned version and read whole', async () => {
    nock(HOST, {
      reqheaders: {
        accept: 'application/vnd.brreg.enhetsregisteret.enhet.v2+json;charset=UTF-8',
        'user-agent': /kontakt@example\.no/,
      },
    })
      .get(`/enhetsregisteret/api/enheter/${ORGNR}`)
      .reply(200, ENHET, JSON_TYPE)
    const { organisasjonsform, ...rest } = ENHET
    expect(await fetchEnhet(ORGNR, patient())).toEqual({
      outcome: 'found',
      value: { ...rest, organisasjonsform: { kode: 'AS', beskrivelse: 'Aksjeselskap' } },
      avvik: [],
      fetchedAt: expect.any(Date),
    })
  })

  test('a sub-unit is asked for on its own path', async () => {
    nock(HOST, {
      reqheaders: { accept: 'application/vnd.brreg.enhetsregisteret.underenhet.v2+json;charset=UTF-8' },
    })
      .get(`/enhetsregisteret/api/underenheter/${ORGNR}`)
      .reply(200, { ...ENHET, respons_klasse: 'Underenhet', overordnetEnhet: OTHER }, JSON_TYPE)
    expect(await fetchUnderenhet(ORGNR, patient())).toMatchObject({
      outcome: 'found',
      value: { respons_klasse: 'Underenhet', overordnetEnhet: OTHER },
    })
  })

  test('P3: deleted, removed on legal grounds and unknown are three different answers', async () => {
    const { navn, organisasjonsform } = ENHET
    asked().reply(
      200,
      { organisasjonsnummer: ORGNR, navn, organisasjonsform, slettedato: '2021-07-01' },
      JSON_TYPE,
    )
    expect(await fetchEnhet(ORGNR, patient())).toMatchObject({
      outcome: 'found',
      value: { respons_klasse: 'SlettetEnhet', slettedato: '2021-07-01', navn },
    })
    asked().reply(
      410,
      { organisasjonsnummer: ORGNR, slettedato: '2026-09-05' },
      { 'content-type': 'application/json' },
    )
    expect(await fetchEnhet(ORGNR, patient())).toEqual({
      outcome: 'removed',
      slettedato: '2026-09-05',
      fetchedAt: expect.any(Date),
    })
    asked().reply(404)
    expect(await fetchEnhet(ORGNR, patient())).toEqual({ outcome: 'absent', fetchedAt: expect.any(Date) })
  })

  test('P3: a deleted sub-unit says the same as a deleted main unit', async () => {
    asked('underenheter').reply(
      200,
      { ...ENHET, respons_klasse: 'SlettetUnderEnhet', nedleggelsesdato: '2021-06-30' },
      JSON_TYPE,
    )
    expect(await fetchUnderenhet(ORGNR, patient())).toMatchObject({
      outcome: 'found',
      value: { respons_klasse: 'SlettetEnhet', nedleggelsesdato: '2021-06-30' },
      avvik: [],
    })
  })

  test('P3: a deletion date decides, whatever class the answer gives itself', async () => {
    expect(await enhet({ ...ENHET, slettedato: '2021-07-01' })).toMatchObject({
      value: { respons_klasse: 'SlettetEnhet' },
    })
    expect(await enhet({ ...ENHET, slettedato: 20210701 })).toMatchObject({
      value: { respons_klasse: 'SlettetEnhet', slettedato: null },
      avvik: ['/slettedato'],
    })
  })

  test('an old answer without a class has the class of the path it was asked for on', async () => {
    expect(await enhet(without('respons_klasse'))).toMatchObject({ value: { respons_klasse: 'Enhet' } })
    expect(await enhet({ ...ENHET, respons_klasse: null })).toMatchObject({
      value: { respons_klasse: 'Enhet' },
    })
  })

  test('another class than asked for, or a new one, is named, and whether the unit still is there is not known', async () => {
    for (const respons_klasse of ['Underenhet', 'NyEnhet', 7]) {
      expect(await enhet({ ...ENHET, respons_klasse })).toMatchObject({
        value: { respons_klasse: 'Enhet', klasseUlest: true, navn: 'FJORDHESTEN AS' },
        avvik: ['/respons_klasse'],
      })
    }
    expect(await enhet({ ...ENHET, klasseUlest: true })).not.toHaveProperty('value.klasseUlest')
  })

  test('P9: an answer about another company is not believed', async () => {
    await expect(enhet({ ...ENHET, organisasjonsnummer: OTHER })).rejects.toMatchObject({
      failure: 'feil_foretak',
    })
    const _links = { self: { href: `https://data.brreg.no/enhetsregisteret/api/enheter/${OTHER}` } }
    await expect(enhet({ ...without('organisasjonsnummer'), _links })).rejects.toMatchObject({
      failure: 'feil_foretak',
    })
  })

  test('P9: an answer that does not tell whom it is about is not believed', async () => {
    for (const body of [without('organisasjonsnummer'), { ...ENHET, organisasjonsnummer: 7 }]) {
      await expect(enhet(body)).rejects.toMatchObject({
        failure: 'ugyldig_svar',
        field: '/organisasjonsnummer',
      })
      const _links = { self: { href: `https://data.brreg.no/enhetsregisteret/api/enheter/${ORGNR}` } }
      expect(await enhet({ ...body, _links })).toMatchObject({
        value: { organisasjonsnummer: ORGNR },
        avvik: ['/organisasjonsnummer'],
      })
    }
  })

  test('P9: with neither a name nor a form that can be read an answer is not believed', async () => {
    await expect(enhet({ ...ENHET, navn: 7, organisasjonsform: 'AS' })).rejects.toMatchObject({
      failure: 'ugyldig_svar',
      field: '/navn',
    })
  })

  test('without a name or a form that can be read the rest of the answer is believed', async () => {
    for (const key of ['navn', 'organisasjonsform'] as const) {
      for (const body of [without(key), { ...ENHET, [key]: 7 }]) {
        expect(await enhet(body), key).toMatchObject({
          value: { organisasjonsnummer: ORGNR, [key]: null },
          avvik: [`/${key}`],
        })
      }
    }
  })

  test('P9: HTML, truncated JSON, broken characters and lists are not believed with status 200', async () => {
    for (const body of [
      '{"organisasjonsnummer":"111',
      '',
      '[]',
      Buffer.from(JSON.stringify({ ...ENHET, navn: '\xe5' }), 'latin1'),
    ]) {
      await expect(enhet(body)).rejects.toMatchObject({ source: 'enhet', failure: 'ugyldig_svar' })
    }
    asked().reply(200, JSON.stringify(ENHET), { 'content-type': 'text/html' })
    await expect(fetchEnhet(ORGNR, patient())).rejects.toMatchObject({ failure: 'ugyldig_svar' })
    asked().reply(200, JSON.stringify(ENHET), { 'content-type': 'application/problem+json' })
    await expect(fetchEnhet(ORGNR, patient())).rejects.toMatchObject({ failure: 'ugyldig_svar' })
  })

  test('a 404 with a body is a wrong path or a proxy, never an unknown company', async () => {
    const problem = { title: 'Not Found', status: 404, detail: 'No static resource', instance: '/x' }
    for (const [body, type] of [
      [problem, 'application/problem+json'],
      [problem, 'application/json'],
      ['<html>404</html>', 'text/html'],
    ] as const) {
      asked().reply(404, body, { 'content-type': type })
      await expect(fetchEnhet(ORGNR, patient())).rejects.toMatchObject({ failure: 'feilstatus', status: 404 })
    }
  })

  test('P3: a 410 is the order to forget, with any body or none', async () => {
    for (const [body, type] of [
      ['<html>Gone</html>', 'text/html'],
      ['', undefined],
      ['{"organisasjonsnummer":', 'application/json'],
      ['[]', 'application/json'],
      [`{"organisasjonsnummer":"${ORGNR}","slettedato":"i går"}`, 'application/json'],
    ] as const) {
      asked().reply(410, body, type === undefined ? {} : { 'content-type': type })
      expect(await fetchEnhet(ORGNR, patient()), body).toMatchObject({
        outcome: 'removed',
        slettedato: null,
      })
    }
  })

  test('P9: attack: a 410 that names another company is no order to forget this one', async () => {
    const body = { organisasjonsnummer: OTHER, slettedato: '2026-09-05' }
    asked().reply(410, body, { 'content-type': 'application/json' })
    await expect(fetchEnhet(ORGNR, patient())).rejects.toMatchObject({ failure: 'feil_foretak' })
  })

  test('every other status is a failure of the source, with its Retry-After', async () => {
    for (const status of [204, 206, 400, 401, 403, 406, 415, 500, 502]) {
      asked().reply(status, '<html></html>', { 'content-type': 'text/html' })
      await expect(fetchEnhet(ORGNR, patient())).rejects.toMatchObject({ failure: 'feilstatus', status })
    }
    for (const status of [429, 503]) {
      asked().reply(status, '', { 'retry-after': '30' })
      await expect(fetchEnhet(ORGNR, patient())).rejects.toMatchObject({
        failure: 'feilstatus',
        status,
        retryAfterSeconds: 30,
      })
    }
  })

  test('P9: a redirect is no answer', async () => {
    asked().reply(302, '', { location: 'https://elsewhere.example/' })
    await expect(fetchEnhet(ORGNR, patient())).rejects.toMatchObject({ failure: 'ugyldig_svar', status: 302 })
  })

  test('P4: a number of employees that can not be read does not turn into "one to four"', async () => {
    expect(await enhet({ ...ENHET, antallAnsatte: '7' })).toMatchObject({
      outcome: 'found',
      value: { antallAnsatte: null, harRegistrertAntallAnsatte: true },
      avvik: ['/antallAnsatte'],
    })
    expect(await enhet(without('antallAnsatte'))).toMatchObject({
      value: { harRegistrertAntallAnsatte: true },
      avvik: [],
    })
  })

  test('a status flag of the wrong shape is null and named, never turned into no', async () => {
    expect(await enhet({ ...ENHET, konkurs: 'true', konkursdato: '2026-08-26' })).toMatchObject({
      value: { konkurs: null, konkursdato: '2026-08-26' },
      avvik: ['/konkurs'],
    })
  })

  test('a proceeding that is a date alone is read, or known to be stated and unread: its absence would say no', async () => {
    for (const field of ['underRekonstruksjonsforhandlingDato', 'underUtenlandskInsolvensbehandlingDato']) {
      expect(await enhet({ ...ENHET, [field]: '2026-08-26' })).toMatchObject({
        value: { [field]: '2026-08-26' },
      })
      expect(await enhet({ ...ENHET, [field]: null })).toMatchObject({ avvik: [] })
      for (const unread of [true, '2026-08-26T00:00:00Z']) {
        expect(await enhet({ ...ENHET, [field]: unread })).toMatchObject({
          value: { [field]: null },
          avvik: [`/${field}`],
        })
      }
    }
  })

  test('a moment that is none is null and named, and one that is Norwegian time is kept', async () => {
    const names = (fraDato: unknown) => enhet({ ...ENHET, historiskeNavn: [{ navn: 'N', fraDato }] })
    expect(await names('1998-04-02 10:11:12')).toMatchObject({ avvik: [] })
    expect(await names('1998-02-31 10:11:12')).toMatchObject({
      value: { historiskeNavn: [{ navn: 'N', fraDato: null }] },
      avvik: ['/historiskeNavn/0/fraDato'],
    })
  })

  test('a date that does not exist is refused wherever it stands', async () => {
    expect(await enhet({ ...ENHET, organisasjonsform: { kode: 'AS', utgaatt: '2026-13-45' } })).toMatchObject(
      {
        value: { organisasjonsform: { kode: 'AS', utgaatt: null } },
        avvik: ['/organisasjonsform/utgaatt'],
      },
    )
  })

  test('a body wrong in a thousand places is cut to a stated number of avvik', async () => {
    const fraDato = 7
    const historiskeNavn = Array.from({ length: 1000 }, (_, index) => ({ navn: `N${index}`, fraDato }))
    const answer = await enhet({ ...ENHET, historiskeNavn })
    expect(answer).toMatchObject({ value: { historiskeNavn: { length: 1000 } } })
    expect(answer.outcome === 'found' && answer.avvik.slice(-2)).toEqual([
      '/historiskeNavn/49/fraDato',
      '(950 flere)',
    ])
  })
})

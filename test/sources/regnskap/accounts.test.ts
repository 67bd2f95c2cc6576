import nock from 'nock'
import { describe, expect, test } from 'vitest'
import { askOf } from '#src/sources/ask.ts'
import { regnskap as regnskapSource } from '#src/sources/regnskap/accounts.ts'
import { answering, clientFor, HOST, ORGNR, OTHER, patient } from '../asking.ts'
import { onlyNockAnswers } from '../only-nock.ts'

const client = clientFor(HOST)
const fetchRegnskap = askOf(regnskapSource, client)
const asked = () => nock(HOST).get(`/regnskapsregisteret/regnskap/${ORGNR}`)
const regnskap = (body: string | object, status = 200, contentType = 'application/json') =>
  askOf(regnskapSource, answering({ body, status, contentType }))(ORGNR, patient())

const FILING = {
  id: 7,
  journalnr: '2026000001',
  regnskapstype: 'SELSKAP',
  virksomhet: { organisasjonsnummer: ORGNR, organisasjonsform: 'AS', morselskap: false },
  regnskapsperiode: { fraDato: '2025-01-01', tilDato: '2025-12-31' },
  valuta: 'NOK',
  regnkapsprinsipper: { smaaForetak: true, regnskapsregler: 'regnskapslovenAlminneligRegler' },
  egenkapitalGjeld: {
    egenkapital: { sumEgenkapital: 0, innskuttEgenkapital: { sumInnskuttEgenkaptial: 30000.5 } },
  },
  eiendeler: { sumEiendeler: 143580000000 },
  resultatregnskapResultat: { aarsresultat: -12, driftsresultat: { driftsinntekter: {} } },
}

onlyNockAnswers(client)

describe('accounts', () => {
  test('every filing comes as it was sent, the register’s misspellings with it', async () => {
    nock(HOST, { reqheaders: { accept: 'application/json' } })
      .get(`/regnskapsregisteret/regnskap/${ORGNR}`)
      .reply(200, [{ ...FILING, regnskapstype: 'KONSERN' }, FILING], { 'content-type': 'application/json' })
    expect(await fetchRegnskap(ORGNR, patient())).toEqual({
      outcome: 'found',
      value: [{ ...FILING, regnskapstype: 'KONSERN' }, FILING],
      avvik: [],
      fetchedAt: expect.any(Date),
    })
  })

  test('P4: a missing figure stays missing and an empty parent stays empty; zero stays zero', async () => {
    const answer = await regnskap([FILING])
    expect(answer).toHaveProperty('value.0.resultatregnskapResultat.driftsresultat.driftsinntekter', {})
    expect(answer).toHaveProperty('value.0.egenkapitalGjeld.egenkapital.sumEgenkapital', 0)
    expect(answer).not.toHaveProperty('value.0.egenkapitalGjeld.gjeldOversikt')
  })

  test('figures nobody has listed are kept at every depth, and so is the rest of the filing', async () => {
    const more = {
      ...FILING,
      eiendeler: {
        sumEiendeler: 1,
        goodwill: 2,
        kryptovaluta: 3,
        anleggsmidler: { maskiner: { gravemaskiner: 4 } },
      },
      notat: { tekst: 'ny i 2027' },
    }
    expect(await regnskap([more])).toMatchObject({ value: [more], avvik: [] })
  })

  test('what is not a finite number is no figure: null and named, listed or not; null is just absent', async () => {
    const odd = {
      sumEiendeler: '149004000000',
      goodwill: null,
      varer: 'mange',
      biler: [1],
      hus: true,
      null: null,
      omloepsmidler: 7,
      ok: 1,
    }
    const answer = await regnskap(
      JSON.stringify([{ ...FILING, eiendeler: { ...odd, dypt: { tekst: 'x' } } }]).replace(
        '"ok":1',
        '"ok":1,"stor":1e999',
      ),
    )
    expect(answer).toHaveProperty('value.0.eiendeler', {
      sumEiendeler: null,
      varer: null,
      biler: null,
      hus: null,
      omloepsmidler: null,
      ok: 1,
      stor: null,
      dypt: { tekst: null },
    })
    expect(answer.outcome === 'found' && answer.avvik.toSorted()).toEqual([
      '/0/eiendeler/biler',
      '/0/eiendeler/dypt/tekst',
      '/0/eiendeler/hus',
      '/0/eiendeler/omloepsmidler',
      '/0/eiendeler/stor',
      '/0/eiendeler/sumEiendeler',
      '/0/eiendeler/varer',
    ])
  })

  test('a filing that can not be read costs itself and is named', async () => {
    const bad = { ...FILING, regnskapsperiode: { fraDato: '2025-01-01T00:00:00Z', tilDato: '2025-12-31' } }
    expect(await regnskap([bad, FILING, { ...FILING, id: '8', valuta: 'USD' }])).toMatchObject({
      value: [FILING, { id: null, valuta: 'USD' }],
      avvik: ['/0/regnskapsperiode/fraDato', '/2/id'],
    })
    await expect(regnskap([bad])).rejects.toMatchObject({
      failure: 'ugyldig_svar',
      field: '/0/regnskapsperiode/fraDato',
    })
  })

  test('a filing of a kind that is neither company nor group is named: where it belongs is not known', async () => {
    const { regnskapstype: _, ...untyped } = FILING
    expect(await regnskap([FILING, { ...FILING, regnskapstype: 'NY' }, untyped])).toMatchObject({
      value: { length: 3 },
      avvik: ['/1/regnskapstype', '/2/regnskapstype'],
    })
  })

  test('P11: a 410 is the order to forget, with any body or none', async () => {
    for (const [body, type] of [
      ['', 'text/html'],
      ['<html>', 'text/html'],
      ['{}', 'application/json'],
    ] as const) {
      expect(await regnskap(body, 410, type)).toMatchObject({ outcome: 'removed', slettedato: null })
    }
  })

  test('keys that reach a prototype are dropped from the kept rest', async () => {
    const body = JSON.stringify([FILING]).replace('"sumEiendeler"', '"__proto__":{"ond":1},"sumEiendeler"')
    const answer = await regnskap(body)
    expect(answer).toHaveProperty('value.0.eiendeler', { sumEiendeler: 143580000000 })
    expect('ond' in {}).toBe(false)
  })

  test('P9: one filing of another company, and no filing is believed', async () => {
    const other = { ...FILING, virksomhet: { organisasjonsnummer: OTHER } }
    await expect(regnskap([FILING, other])).rejects.toMatchObject({
      source: 'regnskap',
      failure: 'feil_foretak',
    })
  })

  test('P9: what is no list of filings with company, period and currency is not believed', async () => {
    const { valuta: _, ...withoutCurrency } = FILING
    const bodies = [
      FILING,
      {},
      'null',
      '"Too many requests"',
      [null],
      [withoutCurrency],
      [{ ...FILING, regnskapsperiode: { tilDato: '2025-12-31' } }],
      [{ ...FILING, virksomhet: {} }],
    ]
    for (const body of bodies) await expect(regnskap(body)).rejects.toMatchObject({ failure: 'ugyldig_svar' })
    await expect(regnskap([FILING], 200, 'text/turtle')).rejects.toMatchObject({ failure: 'ugyldig_svar' })
  })

  test('no accounts is a 404 or an empty list', async () => {
    asked().reply(404)
    expect(await fetchRegnskap(ORGNR, patient())).toMatchObject({ outcome: 'absent' })
    expect(await regnskap([])).toMatchObject({ outcome: 'absent' })
    expect(await regnskap({ status: '404' }, 404)).toMatchObject({ outcome: 'absent' })
    await expect(regnskap({}, 404, 'application/problem+json')).rejects.toMatchObject({
      failure: 'feilstatus',
    })
    await expect(regnskap('<html>', 404, 'text/html')).rejects.toMatchObject({ failure: 'feilstatus' })
  })

  test('P4: an unsupported plan is told from an outage, for certain only when the register names the plan', async () => {
    asked().reply(
      500,
      { status: '500', message: 'Regnskapet inneholder en oppstillingsplan som ikke er stottet (BANK)' },
      { 'content-type': 'application/json' },
    )
    expect(await fetchRegnskap(ORGNR, patient())).toMatchObject({ outcome: 'unsupported', certain: true })
    const general = { status: 500, message: 'An error occurred while processing the request.' }
    expect(await regnskap(general, 500)).toMatchObject({ outcome: 'unsupported', certain: false })
  })

  test('every other 500 is a failure of the source', async () => {
    for (const [body, type] of [
      ['<html>oppstillingsplan</html>', 'text/html'],
      ['{"message":"oppstillingsplan"', 'application/json'],
      ['{"message":"Database is away"}', 'application/json'],
      ['{"message":500}', 'application/json'],
      ['[]', 'application/json'],
      ['', 'application/json'],
    ] as const) {
      await expect(regnskap(body, 500, type), body).rejects.toMatchObject({
        failure: 'feilstatus',
        status: 500,
      })
    }
  })

  test('a gateway’s error is a failure of the source, whatever it says', async () => {
    await expect(regnskap({ message: 'oppstillingsplan' }, 503)).rejects.toMatchObject({
      failure: 'feilstatus',
      status: 503,
    })
  })
})

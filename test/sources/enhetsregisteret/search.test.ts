import nock from 'nock'
import { describe, expect, test } from 'vitest'
import { createSearchSource } from '#src/sources/enhetsregisteret/search.ts'
import { turnsMeanwhile } from '#test/support/turns-meanwhile.ts'
import { answering, clientFor, HOST, ORGNR, OTHER, patient } from '../asking.ts'
import { onlyNockAnswers } from '../only-nock.ts'

const client = clientFor(HOST)
const { searchEnheter } = createSearchSource(client)
const PATH = '/enhetsregisteret/api/enheter'
const question = { navn: 'fjord', metode: 'FORTLOEPENDE', size: 10 } as const
const search = (body: object) => createSearchSource(answering({ body })).searchEnheter(question, patient())

const hit = (organisasjonsnummer: string, more: object = {}) => ({
  organisasjonsnummer,
  navn: 'FJORDHESTEN AS',
  organisasjonsform: { kode: 'AS' },
  ...more,
})
const page = (totalElements: number, ...enheter: object[]) => ({
  _embedded: { enheter },
  page: { totalElements },
})

onlyNockAnswers(client)

describe('search by name', () => {
  test('P183: attack: as many hits as are asked for, five hundred times at once, let others in while they are read', async () => {
    const body = page(
      100,
      ...Array.from({ length: 100 }, (_, at) => hit(ORGNR, { navn: `FJORDHESTEN ${at} AS` })),
    )
    const { searchEnheter: ask } = createSearchSource(answering({ body }))
    const had = await turnsMeanwhile(() =>
      Promise.all(Array.from({ length: 500 }, () => ask({ ...question, size: 100 }, patient()))),
    )
    expect(had).toBeGreaterThan(10)
  })

  test('asks for running text, any text encoded, and gives the register’s order and count', async () => {
    nock(HOST)
      .get(PATH)
      .query({ navn: 'Sjø & 100% + søn', navnMetodeForSoek: 'FORTLOEPENDE', size: '10' })
      .reply(200, page(219, hit(ORGNR), hit(OTHER, { respons_klasse: 'Enhet' })), {
        'content-type': 'application/json',
      })
    expect(await searchEnheter({ ...question, navn: 'Sjø & 100% + søn' }, patient())).toMatchObject({
      outcome: 'found',
      value: {
        totalt: 219,
        treff: [
          { organisasjonsnummer: ORGNR, respons_klasse: 'Enhet' },
          { organisasjonsnummer: OTHER, respons_klasse: 'Enhet' },
        ],
      },
      avvik: [],
    })
  })

  test('the register’s own way of searching is asked for by naming no method', async () => {
    nock(HOST)
      .get(PATH)
      .query({ navn: 'fjord', size: '10' })
      .reply(200, page(1, hit(ORGNR)), { 'content-type': 'application/json' })
    expect(await searchEnheter({ ...question, metode: null }, patient())).toMatchObject({
      value: { totalt: 1 },
    })
  })

  test('the depth the register allows is never passed', async () => {
    nock(HOST)
      .get(PATH)
      .query({ navn: 'fjord', size: '10000' })
      .reply(200, page(1, hit(ORGNR)), { 'content-type': 'application/json' })
    await searchEnheter({ navn: 'fjord', metode: null, size: 20_000 }, patient())
  })

  test('no hits is an answer without `_embedded`', async () => {
    expect(await search({ page: { totalElements: 0 } })).toMatchObject({
      outcome: 'found',
      value: { treff: [], totalt: 0 },
    })
  })

  test('P9: hits that are counted but not listed are not believed', async () => {
    for (const body of [
      { page: { totalElements: 3 } },
      page(3),
      { _embedded: {}, page: { totalElements: 3 } },
    ]) {
      await expect(search(body)).rejects.toMatchObject({ source: 'sok', failure: 'ugyldig_svar' })
    }
  })

  test('one hit that can not be read costs itself and is named', async () => {
    expect(await search(page(3, hit(ORGNR), { navn: 'X' }, 7 as never))).toMatchObject({
      value: { treff: [{ organisasjonsnummer: ORGNR }], totalt: 3 },
      avvik: ['/_embedded/enheter/1/organisasjonsnummer', '/_embedded/enheter/2'],
    })
    await expect(search(page(1, { navn: 'X' }))).rejects.toMatchObject({
      failure: 'ugyldig_svar',
      field: '/_embedded/enheter/0/organisasjonsnummer',
    })
  })

  test('hits whose count can not be read are shown, and nothing is said of how many there are', async () => {
    for (const [counted, avvik] of [
      [undefined, '/page'],
      [{ totalElements: 'mange' }, '/page/totalElements'],
    ] as const) {
      expect(await search({ _embedded: { enheter: [hit(ORGNR)] }, page: counted })).toMatchObject({
        value: { treff: [{ organisasjonsnummer: ORGNR }], totalt: null },
        avvik: [avvik],
      })
      await expect(search({ page: counted })).rejects.toMatchObject({ failure: 'ugyldig_svar' })
    }
  })

  test('a deleted hit says so', async () => {
    expect(await search(page(1, hit(ORGNR, { slettedato: '2020-01-01' })))).toMatchObject({
      value: { treff: [{ respons_klasse: 'SlettetEnhet' }] },
    })
  })

  test('avvik name the hit they are in', async () => {
    expect(await search(page(2, hit(ORGNR), hit(OTHER, { maalform: 1 })))).toMatchObject({
      avvik: ['/_embedded/enheter/1/maalform'],
    })
  })

  test('a search has no "not found": every other status is a failure', async () => {
    for (const status of [400, 404, 410, 500]) {
      nock(HOST).get(PATH).query(true).reply(status)
      await expect(searchEnheter(question, patient())).rejects.toMatchObject({
        failure: 'feilstatus',
        status,
      })
    }
  })
})

import nock from 'nock'
import { describe, expect, test } from 'vitest'
import { askOf } from '#src/sources/ask.ts'
import { roller as rollerSource } from '#src/sources/enhetsregisteret/roles.ts'
import { answering, clientFor, HOST, ORGNR, OTHER, patient } from '../asking.ts'
import { onlyNockAnswers } from '../only-nock.ts'

const client = clientFor(HOST)
const fetchRoller = askOf(rollerSource, client)
const asked = () => nock(HOST).get(`/enhetsregisteret/api/enheter/${ORGNR}/roller`)
const roller = (body: object) => askOf(rollerSource, answering({ body }))(ORGNR, patient())

const link = (orgnr: string) => ({ href: `https://data.brreg.no/enhetsregisteret/api/enheter/${orgnr}` })
const person = { navn: { fornavn: 'Eva', etternavn: 'Elv' }, fodselsdato: '1970-01-01', erDoed: false }
const LEDE = {
  type: { kode: 'LEDE', beskrivelse: 'Styrets leder' },
  person,
  avregistrert: false,
  rekkefolge: 0,
}
const board = (...rows: unknown[]) => ({
  rollegrupper: [{ type: { kode: 'STYR' }, sistEndret: '2026-01-02', roller: rows }],
  _links: { self: { href: `${link(ORGNR).href}/roller` }, enhet: link(ORGNR) },
})

onlyNockAnswers(client)

describe('roles', () => {
  test('groups and rows come whole, without the register’s links', async () => {
    nock(HOST, { reqheaders: { accept: /^application\/vnd\.brreg\.enhetsregisteret\.rolle\.v1\+json/ } })
      .get(`/enhetsregisteret/api/enheter/${ORGNR}/roller`)
      .reply(200, board(LEDE), { 'content-type': 'application/json' })
    expect(await fetchRoller(ORGNR, patient())).toEqual({
      outcome: 'found',
      value: { rollegrupper: [{ type: { kode: 'STYR' }, sistEndret: '2026-01-02', roller: [LEDE] }] },
      avvik: [],
      fetchedAt: expect.any(Date),
    })
  })

  test('a company (its name is a list) and a trustee can hold roles too', async () => {
    const enhet = { organisasjonsnummer: OTHER, navn: ['REVISOR', 'AS'], erSlettet: false }
    const bostyrer = { navn: 'Adv. Eva Elv', postadresse: { landkode: 'NO', adresse: ['Boks 1'] } }
    const answer = await roller(
      board({ type: { kode: 'REVI' }, enhet }, { type: { kode: 'BOBE' }, bostyrer }),
    )
    expect(answer).toMatchObject({
      value: { rollegrupper: [{ roller: [{ enhet }, { bostyrer }] }] },
      avvik: [],
    })
  })

  test('codes nobody has seen before, ASCII or not, drop nothing', async () => {
    const body = { rollegrupper: [{ type: { kode: 'FFØR' }, roller: [{ ...LEDE, type: { kode: 'NYTT' } }] }] }
    expect(await roller(body)).toMatchObject({
      value: { rollegrupper: [{ type: { kode: 'FFØR' }, roller: [{ type: { kode: 'NYTT' } }] }] },
    })
  })

  test('a holder of an unknown kind leaves the row standing, named in avvik', async () => {
    const answer = await roller(board(LEDE, { type: { kode: 'MEDL' }, stiftelse: { navn: 'X' } }))
    expect(answer).toMatchObject({
      value: { rollegrupper: [{ roller: [{ person }, { type: { kode: 'MEDL' } }] }] },
      avvik: ['/rollegrupper/0/roller/1'],
    })
  })

  test('P6: a flag that can not be read is null and named; the other stays as it was sent', async () => {
    expect(await roller(board(LEDE, { ...LEDE, fratraadt: true, avregistrert: 'true' }))).toMatchObject({
      value: {
        rollegrupper: [{ roller: [{ avregistrert: false }, { fratraadt: true, avregistrert: null }] }],
      },
      avvik: ['/rollegrupper/0/roller/1/avregistrert'],
    })
  })

  test('P6: both shapes of "has left" are kept apart and as they were sent', async () => {
    const { avregistrert: _, ...old } = LEDE
    const answer = await roller(board({ ...old, fratraadt: true }, { ...LEDE, avregistrert: true }))
    expect(answer).toHaveProperty('value.rollegrupper.0.roller.0.fratraadt', true)
    expect(answer).not.toHaveProperty('value.rollegrupper.0.roller.0.avregistrert')
    expect(answer).toHaveProperty('value.rollegrupper.0.roller.1.avregistrert', true)
  })

  test('one row, or one group, that can not be read costs itself and is named', async () => {
    const { type: _, ...untyped } = LEDE
    expect(await roller(board(LEDE, untyped, 'Ola'))).toMatchObject({
      value: { rollegrupper: [{ roller: [LEDE, { type: null, person }, null] }] },
      avvik: ['/rollegrupper/0/roller/1/type', '/rollegrupper/0/roller/2'],
    })
    const [group] = board(LEDE).rollegrupper
    expect(await roller({ rollegrupper: [{ type: { kode: 'STYR' } }, null, group] })).toMatchObject({
      value: { rollegrupper: [{ type: { kode: 'STYR' }, roller: null }, null, group] },
      avvik: ['/rollegrupper/0/roller', '/rollegrupper/1'],
    })
  })

  test('P9: an answer of which nothing can be read is not believed, and says what was wrong', async () => {
    for (const [body, field] of [
      [{}, '/rollegrupper'],
      [{ rollegrupper: 0 }, '/rollegrupper'],
      [{ rollegrupper: [7, 'x'] }, '/rollegrupper/0'],
      [[], ''],
    ] as const) {
      await expect(roller(body)).rejects.toMatchObject({ source: 'roller', failure: 'ugyldig_svar', field })
    }
  })

  test('P9: an answer whose links name another company is not believed', async () => {
    for (const _links of [{ enhet: link(OTHER) }, { self: { href: `${link(OTHER).href}/roller` } }]) {
      await expect(roller({ ...board(LEDE), _links })).rejects.toMatchObject({ failure: 'feil_foretak' })
    }
    expect(await roller({ ...board(LEDE), _links: {} })).toMatchObject({ outcome: 'found' })
  })

  test('no roles is an empty 404; a page or a problem with that status is a failure', async () => {
    asked().reply(404)
    expect(await fetchRoller(ORGNR, patient())).toMatchObject({ outcome: 'absent' })
    asked().reply(404, { title: 'Not Found' }, { 'content-type': 'application/problem+json' })
    await expect(fetchRoller(ORGNR, patient())).rejects.toMatchObject({
      source: 'roller',
      failure: 'feilstatus',
    })
    asked().reply(410, { organisasjonsnummer: ORGNR }, { 'content-type': 'application/json' })
    expect(await fetchRoller(ORGNR, patient())).toMatchObject({ outcome: 'removed', slettedato: null })
  })
})

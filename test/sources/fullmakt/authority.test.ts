import nock from 'nock'
import { describe, expect, test } from 'vitest'
import { askOf } from '#src/sources/ask.ts'
import { prokura as prokuraSource, signatur as signaturSource } from '#src/sources/fullmakt/authority.ts'
import { answering, clientFor, HOST, ORGNR, OTHER, patient } from '../asking.ts'
import { onlyNockAnswers } from '../only-nock.ts'

const client = clientFor(HOST)
const fetchSignatur = askOf(signaturSource, client)
const fetchProkura = askOf(prokuraSource, client)
const signatur = (body: object) => askOf(signaturSource, answering({ body }))(ORGNR, patient())

const eva = {
  navn: 'Eva Elv',
  fodselsdato: '01.02.1970',
  rolle: { kode: 'LEDE', tekstforklaring: 'Styrets leder' },
}
const FOUND = {
  oppslagsData: { oppslagsTidspunkt: '2026-10-01T07:17:49' },
  status: {
    rutineStatus: { kode: 'OK' },
    kombinasjonStatus: { kode: 'OK' },
    regelStatus: { kode: 'RF', regelIdent: 'R0012' },
  },
  enhet: { organisasjonsnummer: ORGNR },
  signeringsGrunnlag: {
    kode: 'SF',
    signaturProkuraRoller: { signaturProkuraFritekst: 'Styrets leder alene.' },
    muligeSigneringsRoller: { personRolleGrunnlag: [eva] },
  },
  signeringsKombinasjon: {
    kombinasjon: [{ kode: 'R0012', kombinasjonsId: '1', personRolleKombinasjon: [eva] }],
  },
}
const NONE = {
  status: { rutineStatus: { kode: 'OK' }, regelStatus: { kode: 'RI', regelIdent: null } },
  enhet: { organisasjonsnummer: ORGNR },
  signeringsGrunnlag: { kode: 'SI' },
}

onlyNockAnswers(client)

describe('signature and prokura', () => {
  test('each is its own call; Norwegian dates stay as they were sent', async () => {
    nock(HOST, { reqheaders: { accept: /fullmakt\.oppslag\.v1\+json/ } })
      .get(`/fullmakt/enheter/${ORGNR}/signatur`)
      .reply(
        200,
        { ...FOUND, _links: { self: { href: `https://x/fullmakt/enheter/${ORGNR}/signatur` } } },
        {
          'content-type': 'application/json',
        },
      )
      .get(`/fullmakt/enheter/${ORGNR}/prokura`)
      .reply(200, NONE, { 'content-type': 'application/json' })
    expect(await fetchSignatur(ORGNR, patient())).toEqual({
      outcome: 'found',
      value: FOUND,
      avvik: [],
      fetchedAt: expect.any(Date),
    })
    expect(await fetchProkura(ORGNR, patient())).toMatchObject({
      outcome: 'found',
      value: { signeringsGrunnlag: { kode: 'SI' } },
      avvik: [],
    })
  })

  test('codes nobody has seen before are passed on', async () => {
    const status = { rutineStatus: { kode: 'XX' }, regelStatus: { kode: 'RT' } }
    expect(await signatur({ ...FOUND, status })).toMatchObject({ value: { status }, avvik: [] })
  })

  test('P9: an answer about another company is not believed', async () => {
    await expect(signatur({ ...FOUND, enhet: { organisasjonsnummer: OTHER } })).rejects.toMatchObject({
      source: 'signatur',
      failure: 'feil_foretak',
    })
    const _links = { self: { href: `https://x/fullmakt/enheter/${OTHER}/signatur` } }
    await expect(signatur({ ...FOUND, _links })).rejects.toMatchObject({ failure: 'feil_foretak' })
  })

  test('P9: without the service’s own status an answer is not believed, so that nothing passes for "none"', async () => {
    const { status: _, ...rest } = NONE
    for (const body of [{}, [], rest, { ...NONE, status: 'OK' }]) {
      await expect(signatur(body)).rejects.toMatchObject({ failure: 'ugyldig_svar' })
    }
  })

  test('a combination with a row that can not be read says so where the row stood', async () => {
    const kombinasjon = [{ kode: 'R0012', personRolleKombinasjon: [eva, 'Ola Elv'] }, 7]
    expect(await signatur({ ...FOUND, signeringsKombinasjon: { kombinasjon } })).toMatchObject({
      value: { signeringsKombinasjon: { kombinasjon: [{ personRolleKombinasjon: [eva, null] }, null] } },
      avvik: [
        '/signeringsKombinasjon/kombinasjon/0/personRolleKombinasjon/1',
        '/signeringsKombinasjon/kombinasjon/1',
      ],
    })
  })

  test('a birth date that is no day is null and named', async () => {
    for (const fodselsdato of ['31.02.1970', '1970-02-01', '1.2.1970', 19700201]) {
      const personRolleGrunnlag = [{ ...eva, fodselsdato }]
      const signeringsGrunnlag = { kode: 'SF', muligeSigneringsRoller: { personRolleGrunnlag } }
      expect(await signatur({ ...FOUND, signeringsGrunnlag })).toMatchObject({
        value: {
          signeringsGrunnlag: { muligeSigneringsRoller: { personRolleGrunnlag: [{ fodselsdato: null }] } },
        },
        avvik: ['/signeringsGrunnlag/muligeSigneringsRoller/personRolleGrunnlag/0/fodselsdato'],
      })
    }
  })

  test('a unit the service does not hold is absent; a proxy’s page is not', async () => {
    const asked = () => nock(HOST).get(`/fullmakt/enheter/${ORGNR}/signatur`)
    asked().reply(404)
    expect(await fetchSignatur(ORGNR, patient())).toMatchObject({ outcome: 'absent' })
    asked().reply(404, { status: 404 }, { 'content-type': 'application/json' })
    expect(await fetchSignatur(ORGNR, patient())).toMatchObject({ outcome: 'absent' })
    for (const type of ['application/problem+json', 'text/html']) {
      asked().reply(404, '{}', { 'content-type': type })
      await expect(fetchSignatur(ORGNR, patient())).rejects.toMatchObject({
        failure: 'feilstatus',
        status: 404,
      })
    }
    asked().reply(410, { organisasjonsnummer: ORGNR }, { 'content-type': 'application/json' })
    expect(await fetchSignatur(ORGNR, patient())).toMatchObject({ outcome: 'removed' })
    asked().reply(410, '<html>', { 'content-type': 'text/html' })
    expect(await fetchSignatur(ORGNR, patient())).toMatchObject({ outcome: 'removed' })
  })
})

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import nock from 'nock'
import { describe, expect, test } from 'vitest'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { askOf } from '#src/sources/ask.ts'
import { roller as rollerSource } from '#src/sources/enhetsregisteret/roles.ts'
import { createSearchSource } from '#src/sources/enhetsregisteret/search.ts'
import { enhet as enhetSource, underenhet as underenhetSource } from '#src/sources/enhetsregisteret/unit.ts'
import { prokura as prokuraSource, signatur as signaturSource } from '#src/sources/fullmakt/authority.ts'
import { createIndustryCodesSource } from '#src/sources/klass/industry-codes.ts'
import { kunngjoringer as kunngjoringerSource } from '#src/sources/kunngjoringer/announcements.ts'
import { regnskap as regnskapSource } from '#src/sources/regnskap/accounts.ts'
import { askSparingly } from '#src/sources/sparingly.ts'
import { clientFor, HOST, patient } from './asking.ts'
import { onlyNockAnswers } from './only-nock.ts'

/**
 * Every answer recorded from the registers, read by the source it belongs to, over HTTP with the status and content type it
 * had. The recordings are kept beside the project, not in it; without them the tests are skipped.
 */
const FOLDER = new URL('../../../shared/upstream/', import.meta.url)
const NOTHING_HERE = !existsSync(FOLDER)

const client = clientFor(HOST)
const fetchEnhet = askOf(enhetSource, client)
const fetchUnderenhet = askOf(underenhetSource, client)
const fetchRoller = askOf(rollerSource, client)
const { searchEnheter } = createSearchSource(client)
const fetchSignatur = askOf(signaturSource, client)
const fetchProkura = askOf(prokuraSource, client)
const fetchRegnskap = askOf(regnskapSource, client)
const { fetchIndustryCodes } = createIndustryCodesSource(client)
const fetchKunngjoringer = askSparingly(kunngjoringerSource, client, {
  enabled: true,
  callsPerSecond: 100,
  inFlightMax: 10,
  waitMs: 5000,
  deadlineMs: 5000,
})

/** The recordings keep to no check digit (123456789 is in the register's own tests), so they are not parsed here. */
const asked = (digits: string) => digits as Organisasjonsnummer

const read = new Set<string>()
const recorded = (name: string) => {
  read.add(name)
  return readFileSync(new URL(name, FOLDER))
}

const ER = '/enhetsregisteret/api'
function serve(path: string, name: string, { status = 200, type = 'application/json;charset=UTF-8' } = {}) {
  nock(HOST).get(path).query(true).reply(status, recorded(name), { 'content-type': type })
}

const enhet = (orgnr: string, name: string, options?: { status?: number; type?: string }) => {
  serve(`${ER}/enheter/${orgnr}`, `enhetsregisteret/${name}`, options)
  return fetchEnhet(asked(orgnr), patient())
}
const roller = (orgnr: string, name: string) => {
  serve(`${ER}/enheter/${orgnr}/roller`, `enhetsregisteret/${name}`)
  return fetchRoller(asked(orgnr), patient())
}
const sok = (name: string) => {
  serve(`${ER}/enheter`, `enhetsregisteret/${name}`)
  return searchEnheter({ navn: 'x', metode: 'FORTLOEPENDE', size: 5 }, patient())
}
const regnskap = (orgnr: string, name: string, status = 200) => {
  serve(`/regnskapsregisteret/regnskap/${orgnr}`, `regnskap/${name}`, { status })
  return fetchRegnskap(asked(orgnr), patient())
}
const clean = { outcome: 'found', avvik: [] }

onlyNockAnswers(client)

describe.skipIf(NOTHING_HERE)('the recorded answers (skipped without ../shared/upstream)', () => {
  test('main units: live, bankrupt, forcibly dissolved, noted', async () => {
    expect(await enhet('923609016', 'enhet-923609016-equinor.json')).toMatchObject({
      ...clean,
      value: {
        respons_klasse: 'Enhet',
        navn: 'EQUINOR ASA',
        kapital: { antallAksjer: 2390749040, belop: 5976872600 },
        naeringskode3: { kode: '19.200' },
        historiskeNavn: { length: 4 },
        antallAnsatte: 21239,
      },
    })
    expect(await enhet('915330193', 'enhet-915330193-konkurs.json')).toMatchObject({
      ...clean,
      value: { konkurs: true, konkursdato: '2026-08-26', harRegistrertAntallAnsatte: false },
    })
    expect(await enhet('931744682', 'enhet-931744682-tvangsopplost.json')).toMatchObject({
      ...clean,
      value: {
        underTvangsavviklingEllerTvangsopplosning: true,
        tvangsopplostPgaManglendeRegnskapDato: '2026-06-04',
      },
    })
    const noted = await enhet('935864879', 'enhet-935864879-paategning.json')
    expect(noted).toMatchObject({
      ...clean,
      value: {
        paategninger: [{ infotype: 'FADR', innfoertDato: '2026-09-01' }],
        forretningsadresse: { adresse: [] },
        harRegistrertAntallAnsatte: true,
      },
    })
    expect(noted, 'P4: withheld, not zero').not.toHaveProperty('value.antallAnsatte')
  })

  test('P3: deleted answers 200, removed answers 410, a sub-unit names its parent', async () => {
    for (const [orgnr, name, slettedato] of [
      ['981276957', 'enhet-981276957-slettet.json', '2021-07-01'],
      ['989566733', 'enhet-989566733-slettet.json', '2026-09-15'],
      ['509100675', 'doc-example-slettet.json', '2024-03-09'],
    ] as const) {
      expect(await enhet(orgnr, name)).toMatchObject({
        ...clean,
        value: { respons_klasse: 'SlettetEnhet', slettedato },
      })
    }
    expect(await enhet('936127088', 'enhet-936127088-gone-410.json', { status: 410 })).toMatchObject({
      outcome: 'removed',
      slettedato: '2026-09-05',
    })
    serve(`${ER}/underenheter/973160834`, 'enhetsregisteret/underenhet-973160834.json')
    expect(await fetchUnderenhet(asked('973160834'), patient())).toMatchObject({
      ...clean,
      value: {
        respons_klasse: 'Underenhet',
        overordnetEnhet: '984851006',
        beliggenhetsadresse: { poststed: 'ALTA' },
      },
    })
  })

  test('P9: errors are failures, also the 404 of a wrong path', async () => {
    const problem = { status: 404, type: 'application/problem+json' }
    await expect(enhet('923609016', 'error-404-unknown-path.problem.json', problem)).rejects.toMatchObject({
      failure: 'feilstatus',
    })
    await expect(enhet('923609016', 'error-400-bad-date.json', { status: 400 })).rejects.toMatchObject({
      failure: 'feilstatus',
      status: 400,
    })
  })

  test('P9: one company’s answer to the question about another is not believed, for any kind of answer', async () => {
    const wrong = { failure: 'feil_foretak' }
    await expect(enhet('923609016', 'enhet-915330193-konkurs.json')).rejects.toMatchObject(wrong)
    await expect(roller('915330193', 'roller-923609016-equinor-2026-09.json')).rejects.toMatchObject(wrong)
    await expect(regnskap('915330193', 'regnskap-923609016-usd-6filings-2026-10.json')).rejects.toMatchObject(
      wrong,
    )
  })

  test('the change feed is no answer about a unit', async () => {
    for (const name of readdirSync(new URL('enhetsregisteret/', FOLDER)).filter((each) =>
      each.startsWith('oppdateringer'),
    )) {
      await expect(enhet('923609016', name), name).rejects.toMatchObject({ failure: 'ugyldig_svar' })
    }
  })

  test('P6: roles before and after `fratraadt` was taken away', async () => {
    const now = await roller('923609016', 'roller-923609016-equinor-2026-09.json')
    expect(now).toMatchObject(clean)
    const board =
      now.outcome === 'found' ? now.value.rollegrupper.find((each) => each?.type?.kode === 'STYR') : undefined
    expect(board?.roller?.map((role) => [role?.avregistrert, role?.fratraadt])).toEqual([
      [false, undefined],
      [true, undefined],
      [false, undefined],
      [false, undefined],
      [false, undefined],
    ])
    for (const [orgnr, name] of [
      ['923609016', 'roller-923609016-equinor-2026-05.json'],
      ['974760673', 'roller-974760673-brreg-2026-05.json'],
      ['810005912', 'pybrreg-enheter-roller-enhet-response.json'],
      ['810004622', 'pybrreg-enheter-roller-person-response.json'],
    ] as const) {
      const then = await roller(orgnr, name)
      expect(then, name).toMatchObject(clean)
      const roles = then.outcome === 'found' ? then.value.rollegrupper.flatMap((group) => group?.roller) : []
      expect(roles.length, name).toBeGreaterThan(0)
      for (const role of roles) expect(typeof role?.fratraadt, name).toBe('boolean')
    }
  })

  test('roles: a trustee, shares of liability, who elected whom', async () => {
    expect(await roller('915330193', 'roller-915330193-konkurs-2026-09.json')).toMatchObject({
      ...clean,
      value: {
        rollegrupper: [
          {},
          { type: { kode: 'BOBE' }, roller: [{ bostyrer: { navn: 'Adv. Ola Nordmann' } }] },
          {},
        ],
      },
    })
    expect(await roller('810005912', 'pybrreg-enheter-roller-enhet-response.json')).toMatchObject({
      value: {
        rollegrupper: [
          { roller: [{ ansvarsandel: '50%', enhet: { navn: ['Rolfsens Deltakerorganisasjon AS'] } }, {}] },
        ],
      },
    })
    expect(await roller('810004622', 'pybrreg-enheter-roller-person-response.json')).toMatchObject({
      value: { rollegrupper: [{ roller: [{ valgtAv: { kode: 'A-AK' } }] }] },
    })
  })

  test('searches of 2024 and 2026, and the three empty ones', async () => {
    for (const [name, hits, totalt] of [
      ['sok-asa-size5-2026-03.json', 5, 219],
      ['pybrreg-enheter-search-page1-response.json', 2, 3],
      ['pybrreg-enheter-search-page2-response.json', 1, 3],
      ['pybrreg-enheter-search-empty-response.json', 0, 0],
      ['pybrreg-underenheter-search-empty-response.json', 0, 0],
      ['underenheter-931744682-empty.json', 0, 0],
    ] as const) {
      expect(await sok(name), name).toMatchObject({ ...clean, value: { totalt, treff: { length: hits } } })
    }
  })

  test('accounts since October 2026: six filings, every figure as it stands', async () => {
    const name = 'regnskap-923609016-usd-6filings-2026-10.json'
    const answer = await regnskap('923609016', name)
    expect(answer).toMatchObject({ ...clean, value: { length: 6 } })
    expect(answer).toHaveProperty('value', JSON.parse(recorded(`regnskap/${name}`).toString('utf8')))
  })

  test('accounts before October 2026: one filing, every figure as it stands', async () => {
    const name = 'official-test-OrgnrResponseDefault.json'
    const answer = await regnskap('123456789', name)
    expect(answer).toMatchObject({ ...clean, value: { length: 1 } })
    expect(answer).toHaveProperty('value', JSON.parse(recorded(`regnskap/${name}`).toString('utf8')))
  })

  test('P4: a bank’s accounts are unsupported, and the general text leaves that uncertain', async () => {
    expect(await regnskap('984851006', 'regnskap-984851006-500.json', 500)).toMatchObject({
      outcome: 'unsupported',
      certain: false,
    })
  })

  test('who may sign, and "none registered" (both hand-written to the documented names)', async () => {
    serve('/fullmakt/enheter/999999999/signatur', 'illustrative/fullmakt-signatur.json')
    expect(await fetchSignatur(asked('999999999'), patient())).toMatchObject({
      ...clean,
      value: {
        status: { regelStatus: { kode: 'RF', regelIdent: 'R0012' } },
        signeringsGrunnlag: {
          muligeSigneringsRoller: { personRolleGrunnlag: [{ fodselsdato: '01.01.1970' }, {}] },
        },
        signeringsKombinasjon: { kombinasjon: [{ personRolleKombinasjon: [{ navn: 'Kari Nordmann' }] }] },
      },
    })
    serve('/fullmakt/enheter/999999999/prokura', 'illustrative/fullmakt-prokura-none.json')
    const none = await fetchProkura(asked('999999999'), patient())
    expect(none).toMatchObject({ ...clean, value: { signeringsGrunnlag: { kode: 'SI' } } })
    expect(none).not.toHaveProperty('value.signeringsKombinasjon')
  })

  test('announcements (hand-written to the reported layout): ISO-8859-1, the date carried forward', async () => {
    serve('/kunngjoring/hent_nr.jsp', 'illustrative/kunngjoring-hent_nr.latin1.html', { type: 'text/html' })
    const answer = await fetchKunngjoringer(asked('999999999'), patient())
    expect(answer).toMatchObject({
      ...clean,
      value: [
        { dato: '2026-08-26', tittel: 'Konkursåpning', kid: '20260000900001', type: 'konkursapning' },
        { dato: '2026-08-26', tittel: 'Endring av styre', kid: '20260000900000', type: 'styre' },
        { dato: '2025-06-04', tittel: 'Godkjente årsregnskap', kid: '20250000400000', type: 'regnskap' },
      ],
    })
  })

  test('industry codes: the correspondences and the codes current in SN2025', async () => {
    const codes = recorded('ssb/sn2025-codes.txt').toString('utf8').trim().split('\n')
    serve('/api/klass/v1/correspondencetables/2919', 'ssb/klass-correspondence-2919.json')
    nock(HOST)
      .get('/api/klass/v1/classifications/6/codesAt')
      .query({ date: '2026-01-01' })
      .reply(
        200,
        { codes: codes.map((code) => ({ code, level: '1', name: code })) },
        { 'content-type': 'application/json' },
      )
    nock(HOST).get('/api/klass/v1/classifications/6/codesAt').query({ date: '2024-06-30' }).reply(404)
    const answer = await fetchIndustryCodes(patient())
    expect(answer).toMatchObject({
      outcome: 'found',
      avvik: ['/sn2007Codes'],
      value: {
        sn2007Codes: null,
        sn2025Codes: { length: codes.filter((code) => /^\d\d\.\d{3}$/.test(code)).length },
        correspondences: {
          length: JSON.parse(recorded('ssb/klass-correspondence-2919.json').toString('utf8'))
            .correspondenceMaps.length,
        },
      },
    })
  })

  test('no recorded answer is left unread', () => {
    const notAnswers = new Set(['PROVENANCE.md', ...listed('spec')])
    expect(listed('').filter((name) => !notAnswers.has(name) && !read.has(name))).toEqual([])
  })
})

function listed(folder: string): string[] {
  return readdirSync(new URL(folder === '' ? '.' : `${folder}/`, FOLDER), { withFileTypes: true }).flatMap(
    (entry) => {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`
      return entry.isDirectory() ? listed(name) : [name]
    },
  )
}

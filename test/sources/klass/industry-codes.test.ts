import nock from 'nock'
import { describe, expect, test } from 'vitest'
import { createIndustryCodesSource } from '#src/sources/klass/industry-codes.ts'
import { clientFor, HOST, patient } from '../asking.ts'
import { onlyNockAnswers } from '../only-nock.ts'

const client = clientFor(HOST)
const { fetchIndustryCodes } = createIndustryCodesSource(client)
const JSON_TYPE = { 'content-type': 'application/json;charset=UTF-8' }

const NAME = 'Næringsgruppering (SN) 2025 - Næringsgruppering 2007 (SN 2007)'
const map = (sourceCode: string, targetCode: string) => ({
  sourceCode,
  sourceName: `ny ${sourceCode}`,
  targetCode,
  targetName: `gammel ${targetCode}`,
})
const TABLE = {
  name: NAME,
  correspondenceMaps: [map('96.210', '96.020'), map('96.21', '96.02'), map('96.220', '96.020')],
}

const table = () =>
  nock(HOST, { reqheaders: { accept: 'application/json' } }).get('/api/klass/v1/correspondencetables/2919')
const codes = (date: string) => nock(HOST).get('/api/klass/v1/classifications/6/codesAt').query({ date })
const list = (...of: string[]) => ({ codes: of.map((code) => ({ code, level: '5', name: `navn ${code}` })) })

onlyNockAnswers(client)

describe('industry codes', () => {
  test('the correspondences and both code lists, five digits only', async () => {
    table().reply(200, TABLE, JSON_TYPE)
    codes('2026-01-01').reply(200, list('A', '96', '96.21', '96.210'), JSON_TYPE)
    codes('2024-06-30').reply(200, list('96.0', '96.020'), JSON_TYPE)
    expect(await fetchIndustryCodes(patient())).toEqual({
      outcome: 'found',
      value: {
        correspondences: [
          { sn2025: '96.210', sn2025Navn: 'ny 96.210', sn2007: '96.020', sn2007Navn: 'gammel 96.020' },
          { sn2025: '96.220', sn2025Navn: 'ny 96.220', sn2007: '96.020', sn2007Navn: 'gammel 96.020' },
        ],
        sn2025Codes: [{ kode: '96.210', navn: 'navn 96.210' }],
        sn2007Codes: [{ kode: '96.020', navn: 'navn 96.020' }],
      },
      avvik: [],
      fetchedAt: expect.any(Date),
    })
  })

  test('a code list that can not be had or believed is null and named', async () => {
    table().reply(200, TABLE, JSON_TYPE)
    codes('2026-01-01').reply(404)
    codes('2024-06-30').reply(200, '<html></html>', { 'content-type': 'text/html' })
    expect(await fetchIndustryCodes(patient())).toMatchObject({
      value: { sn2025Codes: null, sn2007Codes: null },
      avvik: ['/sn2025Codes', '/sn2007Codes'],
    })
    table().reply(200, TABLE, JSON_TYPE)
    codes('2026-01-01').reply(500, list('96.210'), JSON_TYPE)
    codes('2024-06-30').reply(200, list('96'), JSON_TYPE)
    expect(await fetchIndustryCodes(patient())).toMatchObject({
      value: { sn2025Codes: null, sn2007Codes: null },
    })
  })

  test('P9: without correspondences that can be believed there is no answer', async () => {
    for (const body of [
      {},
      { ...TABLE, correspondenceMaps: [] },
      { ...TABLE, correspondenceMaps: [{ sourceCode: '96.210' }] },
      { ...TABLE, name: 'Næringsgruppering 2007 (SN 2007) - Næringsgruppering (SN) 2025' },
    ]) {
      table().reply(200, body, JSON_TYPE)
      codes('2026-01-01').reply(404)
      codes('2024-06-30').reply(404)
      await expect(fetchIndustryCodes(patient())).rejects.toMatchObject({
        source: 'klass',
        failure: 'ugyldig_svar',
      })
    }
    table().reply(503, '', { 'retry-after': '9' })
    codes('2026-01-01').reply(404)
    codes('2024-06-30').reply(404)
    await expect(fetchIndustryCodes(patient())).rejects.toMatchObject({
      failure: 'feilstatus',
      retryAfterSeconds: 9,
    })
  })
})

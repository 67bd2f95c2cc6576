import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AccountsImport, importAccounts, type RefusedLine } from '#src/imports/import-accounts.ts'
import { tindevaagSjomatRegnskap } from '#src/samples/companies/tindevaag-sjomat-regnskap.ts'
import { SAMPLE } from '#src/samples/numbers.ts'
import { keepFilings, readKeptFilings } from '#src/storage/accounts-archive.ts'
import { buryCompanies } from '#src/storage/tombstones.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { inventNumbers } from '#test/support/invented-companies.ts'
import { RECORDED, recordedAnswers } from '#test/support/recorded-answers.ts'
import { wholeDatabase } from '#test/support/whole-contents.ts'

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
beforeEach(() => storage.database.query('truncate regnskapsarkiv, fjernet'))
afterAll(() => storage.close())

const ORGNR = SAMPLE.association
const AT = new Date('2026-11-21T10:00:00Z')
/** Its check digits are right, and it is nobody’s: the month is shifted as it is in test numbers. */
const IDENTITY_NUMBER = '31819950043'
const WITH_A_ZERO = '01819950020'

type Result = AccountsImport & { refused: RefusedLine[] }
async function imported(
  file: string | Buffer,
  options: { isDryRun?: boolean; signal?: AbortSignal } = {},
): Promise<Result> {
  const refused: RefusedLine[] = []
  const result = await importAccounts(Readable.from([Buffer.from(file)]), {
    database: storage.database,
    at: AT,
    onRefused: (line) => void refused.push(line),
    ...options,
  })
  return { ...result, refused }
}
const kept = (orgnr: string = ORGNR) => readKeptFilings(storage.database, orgnr)

const filing = (changes: object = {}) => ({
  id: 7,
  regnskapstype: 'SELSKAP',
  virksomhet: { organisasjonsnummer: ORGNR },
  regnskapsperiode: { fraDato: '2019-01-01', tilDato: '2019-12-31' },
  valuta: 'NOK',
  eiendeler: { sumEiendeler: 12.5 },
  ...changes,
})
const json = (...filings: unknown[]) => filings.map((each) => JSON.stringify(each)).join('\n')
const HEADER = 'organisasjonsnummer;regnskapstype;fraDato;tilDato;valuta;sumDriftsinntekter;sumEgenkapital'
const csv = (...rows: string[]) => [HEADER, ...rows].join('\n')
const ROW = `${ORGNR};SELSKAP;2019-01-01;2019-12-31;NOK;1000;-5,5`

describe('JSON lines in the register’s shape', () => {
  it('are kept as the register would have been, one filing or one answer a line, packed or not', async () => {
    const file = `${JSON.stringify(tindevaagSjomatRegnskap)}\n${json(filing())}`
    const result = await imported(gzipSync(file))
    expect(result).toMatchObject({
      form: 'json',
      linjer: { lest: 2, tatt: 2, avvist: 0 },
      innsendinger: {
        ny: tindevaagSjomatRegnskap.length + 1,
        endret: 0,
        uendret: 0,
        fjernet: 0,
        gjentatt: 0,
      },
      foretak: [SAMPLE.healthy, ORGNR],
      avbrutt: false,
    })
    expect(await kept()).toMatchObject([
      { id: 7, kilde: 'import', hentet: AT, felt: null, tall: { eiendeler: { sumEiendeler: 12.5 } } },
    ])
    expect(await kept(SAMPLE.healthy)).toHaveLength(tindevaagSjomatRegnskap.length)
  })

  const recorded = recordedAnswers()?.companies.get(RECORDED.equinor)?.regnskap
  it.skipIf(recorded === undefined)('the recorded answer is taken whole', async () => {
    if (recorded === undefined || !('json' in recorded)) throw new Error('expected an answer')
    expect((await imported(json(recorded.json))).innsendinger.ny).toBe(6)
    expect(await kept(RECORDED.equinor)).toHaveLength(6)
  })

  it('twice changes nothing; a corrected one replaces, a repeated one counts once', async () => {
    await imported(json(filing()))
    expect((await imported(json(filing()))).innsendinger).toMatchObject({ ny: 0, uendret: 1 })
    const corrected = filing({ eiendeler: { sumEiendeler: 13 } })
    const again = await imported(json(filing(), corrected))
    expect(again.innsendinger).toMatchObject({ ny: 0, endret: 1, uendret: 0, gjentatt: 1 })
    expect(await kept()).toMatchObject([{ tall: { eiendeler: { sumEiendeler: 13 } } }])
  })

  it.each<[string, unknown, string]>([
    ['no JSON', '{"id":', 'ikke_json'],
    ['another thing', '"tekst"', 'feil_form'],
    ['an empty answer', '[]', 'feil_form'],
    ['a figure that is text', filing({ eiendeler: { sumEiendeler: '12' } }), 'feil_form'],
    ['a list where one filing is wrong', [filing(), filing({ valuta: 7 })], 'feil_form'],
    ['no date', filing({ regnskapsperiode: { fraDato: '2019', tilDato: '2019-12-31' } }), 'feil_form'],
    [
      'a period that ends first',
      filing({ regnskapsperiode: { fraDato: '2019-12-31', tilDato: '2019-01-01' } }),
      'ugyldig_periode',
    ],
    [
      'a period still to come',
      filing({ regnskapsperiode: { fraDato: '2026-01-01', tilDato: '2026-12-31' } }),
      'ugyldig_periode',
    ],
    ['another kind', filing({ regnskapstype: 'MELLOM' }), 'ugyldig_regnskapstype'],
    ['a currency in words', filing({ valuta: 'kroner' }), 'ugyldig_valuta'],
    [
      'a number with a wrong check digit',
      filing({ virksomhet: { organisasjonsnummer: '901012120' } }),
      'ugyldig_organisasjonsnummer',
    ],
    ['free text', filing({ oppstillingsplan: 'store, etter avtale med Kari' }), 'ugyldig_felt'],
    ['no figure', filing({ eiendeler: {} }), 'ingen_tall'],
    ['nesting without end', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, 'feil_form'],
  ])(
    'a line that is not right is refused with its number and reason, the others are taken: %s',
    async (_, line, kode) => {
      const wrong = typeof line === 'string' ? line : JSON.stringify(line)
      const result = await imported(`${json(filing())}\n${wrong}\n\n${json(filing({ id: 8 }))}`)
      expect(result.linjer).toEqual({ lest: 3, tatt: 2, avvist: 1 })
      expect(result.refused).toMatchObject([{ linje: 2, kode, grunn: expect.stringMatching(/^\S.*\.$/) }])
      expect((await kept()).map(({ id }) => id)).toEqual([8, 7])
    },
  )

  it('lines taken and refused are all lines there are, whatever is in them', async () => {
    const anyLine = fc.oneof(
      fc.json(),
      fc.string().map((text) => text.replaceAll(/[\r\n]/g, ' ')),
      fc.constant(JSON.stringify(filing())),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(anyLine, { maxLength: 12 }), async (some) => {
        const file = [JSON.stringify(filing()), ...some]
        const { linjer, refused } = await imported(file.join('\n'))
        expect(linjer.lest).toBe(file.filter((line) => line.trim() !== '').length)
        expect(linjer.tatt + linjer.avvist).toBe(linjer.lest)
        expect(refused).toHaveLength(linjer.avvist)
      }),
      { numRuns: 50 },
    )
  })
})

describe('CSV', () => {
  it('is read by its header, in any order, with quotes, comma or semicolon', async () => {
    const result = await imported(csv(ROW, `"${ORGNR}";KONSERN;2019-01-01;2019-12-31;USD;;"7"`))
    expect(result).toMatchObject({
      form: 'csv',
      linjer: { lest: 2, tatt: 2, avvist: 0 },
      innsendinger: { ny: 2 },
    })
    expect(await kept()).toMatchObject([
      {
        regnskapstype: 'SELSKAP',
        fra: '2019-01-01',
        id: 0,
        felt: ['sumDriftsinntekter', 'sumEgenkapital'],
        tall: {
          resultatregnskapResultat: { driftsresultat: { driftsinntekter: { sumDriftsinntekter: 1000 } } },
          egenkapitalGjeld: { egenkapital: { sumEgenkapital: -5.5 } },
        },
      },
      {
        regnskapstype: 'KONSERN',
        valuta: 'USD',
        tall: { egenkapitalGjeld: { egenkapital: { sumEgenkapital: 7 } } },
      },
    ])
    const other = [
      'valuta,tilDato,fraDato,sumGjeld,regnskapstype,id,organisasjonsnummer,morselskap,oppstillingsplan',
      `NOK,2018-12-31,2018-01-01,3.25,SELSKAP,4711,${ORGNR},ja,smaa`,
    ]
    expect((await imported(other.join('\r\n'))).linjer).toEqual({ lest: 1, tatt: 1, avvist: 0 })
    expect((await kept()).at(-1)).toMatchObject({
      id: 4711,
      opplysninger: { morselskap: true, oppstillingsplan: 'smaa' },
      tall: { egenkapitalGjeld: { gjeldOversikt: { sumGjeld: 3.25 } } },
    })
  })

  it.each([
    ['an unknown column', `${HEADER};epost`, 'epost'],
    ['a missing column', HEADER.replace(';valuta', ''), 'valuta'],
    ['a column twice', `${HEADER};valuta`, 'to ganger'],
    ['no figures', HEADER.split(';').slice(0, 5).join(';'), 'tall'],
    ['another file', 'PK\u0003\u0004', 'ukjente kolonner'],
  ])('is refused whole with its header shown: %s', async (_, header, word) => {
    await expect(imported(`${header}\n${ROW}`)).rejects.toMatchObject({
      code: 'ukjent_overskrift',
      message: expect.stringContaining(word),
    })
    expect(await kept()).toEqual([])
  })

  it.each([
    ['too few fields', `${ORGNR};SELSKAP`, 'feil_antall_felt', null],
    ['an open quote', ROW.replace('NOK', '"NOK'), 'feil_antall_felt', null],
    ['a figure with thousands apart', ROW.replace('1000', '1 000'), 'ugyldig_tall', 'sumDriftsinntekter'],
    ['a figure in words', ROW.replace('1000', 'n/a'), 'ugyldig_tall', 'sumDriftsinntekter'],
    ['a date the other way', ROW.replace('2019-01-01', '01.01.2019'), 'ugyldig_periode', null],
    ['a day that is not', ROW.replace('2019-12-31', '2019-02-30'), 'ugyldig_periode', null],
    ['no currency', ROW.replace('NOK', ''), 'ugyldig_valuta', null],
    ['no figures', `${ORGNR};SELSKAP;2019-01-01;2019-12-31;NOK;;`, 'ingen_tall', null],
    ['a number too short', ROW.replace(ORGNR, '12345678'), 'ugyldig_organisasjonsnummer', null],
  ])('a row that is not right is refused with line, field and reason: %s', async (_, row, kode, felt) => {
    const result = await imported(csv(row, ROW))
    expect(result.refused).toMatchObject([{ linje: 2, kode, felt }])
    expect(result.linjer).toEqual({ lest: 2, tatt: 1, avvist: 1 })
  })

  it('an empty file is no file of accounts', async () => {
    await expect(imported('\n \n')).rejects.toMatchObject({ code: 'tom_fil' })
  })
})

describe('P19: an eleven-digit identity number', () => {
  it.each<[string, string]>([
    ['as organisation number', csv(ROW.replace(ORGNR, IDENTITY_NUMBER))],
    ['as a figure', csv(ROW.replace('1000', IDENTITY_NUMBER))],
    ['in a word', csv(ROW.replace('NOK', IDENTITY_NUMBER))],
    ['with a space', `${HEADER};journalnr\n${ROW};318199 50043`],
    [
      'as organisation number in JSON',
      json(filing({ virksomhet: { organisasjonsnummer: IDENTITY_NUMBER } })),
    ],
    ['in what is not kept', json(filing({ kontakt: { navn: 'N', fnr: IDENTITY_NUMBER } }))],
    ['as a number', json(filing({ id: Number(IDENTITY_NUMBER) }))],
    ['as a name', json(filing({ eiendeler: { [IDENTITY_NUMBER]: 1 } }))],
    ['as a figure in JSON', json(filing({ eiendeler: { sumEiendeler: Number(IDENTITY_NUMBER) } }))],
  ])('is refused and written nowhere, the report included: %s', async (_, file) => {
    const result = await imported(file)
    expect(result).toMatchObject({
      linjer: { lest: 1, tatt: 0, avvist: 1 },
      refused: [{ kode: 'identitetsnummer' }],
    })
    const everywhere = JSON.stringify(result) + (await wholeDatabase(storage.database))
    for (const part of [IDENTITY_NUMBER, IDENTITY_NUMBER.slice(0, 6), IDENTITY_NUMBER.slice(6)]) {
      expect(everywhere).not.toContain(part)
    }
  })

  it('does not become an amount by losing its zero', async () => {
    const { refused } = await imported(csv(ROW.replace('1000', WITH_A_ZERO)))
    expect(refused).toMatchObject([{ kode: 'ugyldig_tall', felt: 'sumDriftsinntekter' }])
    expect(await kept()).toEqual([])
  })

  it('in the header it is not shown', async () => {
    const failing = imported(`${HEADER};${IDENTITY_NUMBER}\n${ROW}`)
    await expect(failing).rejects.toMatchObject({ code: 'ukjent_overskrift' })
    const error = await failing.catch((each) => each)
    expect(`${error.message}${error.header}`).not.toContain(IDENTITY_NUMBER)
  })

  it('an amount of eleven digits is no identity number', async () => {
    expect((await imported(csv(ROW.replace('1000', '35770000000')))).linjer.tatt).toBe(1)
  })
})

describe('what is there already', () => {
  it('P11: of a removed company nothing is kept, and it is counted', async () => {
    await buryCompanies(storage.database, [{ organisasjonsnummer: ORGNR, slettedato: null, at: AT }])
    expect((await imported(csv(ROW))).innsendinger).toMatchObject({ ny: 0, fjernet: 1 })
    expect(await storage.database.query('select from regnskapsarkiv')).toEqual([])
  })

  it('a dry run tells what would become of each line, and keeps nothing', async () => {
    const result = await imported(csv(ROW, 'feil'), { isDryRun: true })
    expect(result).toMatchObject({ linjer: { lest: 2, tatt: 1, avvist: 1 }, innsendinger: { ny: 1 } })
    expect(await kept()).toEqual([])
  })

  it('what the register gave is not undone by a file', async () => {
    await imported(json(filing()))
    const [before] = await kept()
    if (before === undefined) throw new Error('expected a filing')
    await keepFilings(storage.database, [{ ...before, kilde: 'regnskapsregisteret', valuta: 'EUR' }])
    expect((await imported(json(filing()))).innsendinger).toMatchObject({ uendret: 1 })
    expect(await kept()).toMatchObject([{ valuta: 'EUR' }])
  })

  it('many companies are kept in batches, and are too many to name', async () => {
    const numbers = inventNumbers(1200)
    const rows = numbers.map((orgnr) => ROW.replace(ORGNR, orgnr))
    const result = await imported(csv(...rows))
    expect(result).toMatchObject({ innsendinger: { ny: 1200 }, foretak: null })
    expect((await imported(csv(...rows))).innsendinger).toMatchObject({ ny: 0, uendret: 1200 })
  })

  it('ended early it keeps what it had read, and says so', async () => {
    const numbers = inventNumbers(2000)
    const ended = new AbortController()
    const progress: number[] = []
    const result = await importAccounts(
      Readable.from([Buffer.from(csv(...numbers.map((orgnr) => ROW.replace(ORGNR, orgnr))))]),
      {
        database: storage.database,
        at: AT,
        onProgress: (lines) => {
          progress.push(lines)
          ended.abort()
        },
        signal: ended.signal,
      },
    )
    expect(result).toMatchObject({ avbrutt: true, innsendinger: { ny: 500 } })
    expect(progress).toEqual([500])
  })
})

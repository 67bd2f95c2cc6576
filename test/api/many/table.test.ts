import { strFromU8, unzipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { companyTable, holderTable, roleTable } from '#src/api/many/table.ts'
import { csvOf } from '#src/http/sheets/csv.ts'
import type { Sheet } from '#src/http/sheets/sheet.ts'
import { workbookOf } from '#src/http/sheets/workbook.ts'
import type { Bedrift } from '#src/record/record.ts'
import { SAMPLE } from '#src/samples/numbers.ts'
import { createSamples } from '#src/wiring/samples.ts'

let whole: Bedrift

beforeAll(async () => {
  const reading = await createSamples({ clock: { now: () => new Date('2026-11-22T10:00:00Z') } }).read(
    SAMPLE.healthy,
  )
  if (reading.outcome !== 'record') throw new Error(reading.outcome)
  whole = reading.record
})

const lineOf = (company: Bedrift) => ({ orgnr: company.organisasjonsnummer, company, feil: null })

function cellsBy(columns: readonly string[], row: readonly unknown[] = []) {
  return Object.fromEntries(columns.map((name, index) => [name, row[index]]))
}

describe('a table of companies', () => {
  it('has what people look for in fixed columns, as the record has it', () => {
    const [row] = companyTable.rowsOf(lineOf(whole))
    expect(cellsBy(companyTable.columns, row)).toMatchObject({
      organisasjonsnummer: SAMPLE.healthy,
      navn: whole.navn,
      organisasjonsform: 'AS',
      foretakstilstand: 'aktiv',
      postnummer: '9990',
      kommunenummer: '5632',
      antallAnsatte: 87,
      styreleder: 'Åshild Øvrebø',
      regnskapTilDato: '2025-12-31',
      valuta: 'NOK',
      aarsresultat: 17480000,
      komplett: true,
      feil: null,
    })
  })

  it('says why there is none, on its own row', () => {
    const [row] = companyTable.rowsOf({ orgnr: 'tull', company: null, feil: 'ugyldig_organisasjonsnummer' })
    expect(row?.filter((cell) => cell !== null)).toEqual(['tull', 'ugyldig_organisasjonsnummer'])
    expect(roleTable.rowsOf({ orgnr: 'tull', company: null, feil: 'x' })).toEqual([])
  })

  it('has each who holds a role now, and each of the largest shareholders, on a row', () => {
    const roles = roleTable.rowsOf(lineOf(whole)).map((row) => cellsBy(roleTable.columns, row))
    expect(roles).toContainEqual(
      expect.objectContaining({
        rolle: 'Styrets leder',
        innehaver: 'Åshild Øvrebø',
        fodselsdato: '1968-03-14',
      }),
    )
    expect(roles.map(({ innehaver }) => innehaver)).not.toContain('Torbjørn Ås')
    const holders = holderTable.rowsOf(lineOf(whole)).map((row) => cellsBy(holderTable.columns, row))
    expect(holders.map(({ aksjer }) => aksjer)).toEqual(
      whole.aksjonaerer.data?.storste?.map(({ aksjer }) => aksjer),
    )
    expect(holders.length).toBeGreaterThan(2)
  })

  it('P132: attack: a name that is a formula stays a name, whatever it begins with', async () => {
    const names = [
      '=HYPERLINK("http://ond.example";"x")',
      '+47 22',
      '-1+1',
      '@SUM(A1)',
      '\tTAB',
      '＝1+1',
      'Ola,=1+1, Kari\n@SUM(A1)',
      'Ola,"=1+1\t"@SUM(A1)\n"+A1,\u00a0=1',
      "Ola,--A1,+-SUM(A1)\t-.5+A1,-'a'!A1,- HYPERLINK(A1),-$A$1",
      'Ola, +A1,\u3000=1,\ufeff"@SUM(A1)\t\u2003-1+A1, - A1',
      'Ola _x202E_x000a_gnp.exe_x41_',
      'Alt til 100,- AS',
      'Ås; "og" Øy\r\nAS',
    ]
    const sheet: Sheet = {
      name: 'Foretak',
      columns: ['navn', 'tall'],
      rows: names.map((name) => [name, 1234.5]),
    }
    const csv = csvOf(sheet).toString()
    expect(csv).toBe(
      [
        '\uFEFFnavn;tall',
        `"'=HYPERLINK(""http://ond.example"";""x"")";1234,5`,
        "'+47 22;1234,5",
        "'-1+1;1234,5",
        "'@SUM(A1);1234,5",
        "'\tTAB;1234,5",
        "'＝1+1;1234,5",
        `"Ola,'=1+1, Kari\n'@SUM(A1)";1234,5`,
        `"Ola,'""=1+1\t'""@SUM(A1)\n'""+A1,'\u00a0=1";1234,5`,
        "Ola,'--A1,'+-SUM(A1)\t'-.5+A1,'-'a'!A1,'- HYPERLINK(A1),'-$A$1;1234,5",
        `"Ola,' +A1,'\u3000=1,'\ufeff""@SUM(A1)\t'\u2003-1+A1, - A1";1234,5`,
        'Ola _x202E_x000a_gnp.exe_x41_;1234,5',
        'Alt til 100,- AS;1234,5',
        '"Ås; ""og"" Øy\r\nAS";1234,5',
        '',
      ].join('\r\n'),
    )
    const workbook = await workbookOf([sheet], '', () => new Error('its turn did not come'))
    const files = unzipSync(new Uint8Array(workbook))
    const cells = strFromU8(files['xl/worksheets/sheet1.xml'] ?? new Uint8Array())
    expect(cells).not.toContain('<f>')
    const texts = cells + strFromU8(files['xl/sharedStrings.xml'] ?? new Uint8Array())
    expect(texts).toContain('=HYPERLINK(')
    // The number of a letter, as a workbook writes those that XML can not hold.
    expect(texts).toContain('<t>Ola _x005F_x202E_x005F_x000a_gnp.exe_x41_</t>')
    expect(cells).toContain('1234.5')
  })
})

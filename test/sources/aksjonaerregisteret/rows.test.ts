import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { HEADER, readRegister, register } from './reading.ts'

const A = '910000004'
const person = (
  over: Partial<
    Record<'orgnr' | 'selskap' | 'klasse' | 'navn' | 'ident' | 'sted' | 'land' | 'antall' | 'totalt', string>
  > = {},
) => {
  const row = {
    orgnr: A,
    selskap: 'FJORDVIK AS',
    klasse: 'Ordinære aksjer',
    navn: 'KARI ØST',
    ident: '1980',
    sted: '0484 OSLO',
    land: 'NO',
    antall: '60',
    totalt: '100',
    ...over,
  }
  return [
    row.orgnr,
    row.selskap,
    row.klasse,
    row.navn,
    row.ident,
    row.sted,
    row.land,
    row.antall,
    row.totalt,
  ].join(';')
}
async function only(row: string, header?: string) {
  const { rows, refused } = await readRegister(register([row], header === undefined ? {} : { header }))
  expect(refused).toEqual([])
  return rows[0]
}
async function refusalOf(row: string) {
  const { rows, refused } = await readRegister(register([row]))
  expect(rows).toEqual([])
  return refused
}

describe('a row', () => {
  test('is read whole: company, class, holder, country, shares', async () => {
    expect(await only(person())).toEqual({
      linje: 2,
      orgnr: 910000004,
      selskap: 'FJORDVIK AS',
      klasse: 'Ordinære aksjer',
      navn: 'KARI ØST',
      fodselsaar: 1980,
      eierOrgnr: 0,
      annenIdent: '',
      land: 'NO',
      antall: 60,
      totalt: 100,
    })
  })

  test('four digits are a year of birth, nine an organisation, blank and all else neither', async () => {
    expect(await only(person({ ident: '910000012' }))).toMatchObject({ eierOrgnr: 910000012, fodselsaar: 0 })
    expect(await only(person({ ident: ' ' }))).toMatchObject({ eierOrgnr: 0, fodselsaar: 0, annenIdent: '' })
    expect(await only(person({ ident: '48812' }))).toMatchObject({ eierOrgnr: 0, annenIdent: '48812' })
    expect(await only(person({ ident: '0000' }))).toMatchObject({ fodselsaar: 0, annenIdent: '0000' })
  })

  test('the country is two letters, NOR is NO, and what is neither is not known', async () => {
    expect(await only(person({ land: 'se' }))).toMatchObject({ land: 'SE' })
    expect(await only(person({ land: ' NOR ' }))).toMatchObject({ land: 'NO' })
    expect(await only(person({ land: ' ' }))).toMatchObject({ land: '' })
    expect(await only(person({ land: '??' }))).toMatchObject({ land: '' })
  })

  test('a name has one space between its words, whatever spaces it came with', async () => {
    expect(await only(person({ navn: '  KARI \t ANNE\u00a0ØST ' }))).toMatchObject({ navn: 'KARI ANNE ØST' })
    expect(await only(person({ navn: ' OLA  NES ' }))).toMatchObject({ navn: 'OLA NES' })
    expect(await only(person({ navn: 'OLA\rNES', klasse: 'A\rB', selskap: 'C\rD' }))).toMatchObject({
      navn: 'OLA NES',
      klasse: 'A B',
      selskap: 'C D',
    })
    // A letter and a mark are one letter.
    expect(await only(person({ navn: 'A\u030asne'.normalize('NFD') }))).toMatchObject({ navn: 'Åsne' })
  })
})

describe('dirt that is met in real files', () => {
  test('1: a byte order mark before the first column', async () => {
    const { rows, scan } = await readRegister(register([person()], { header: `\ufeff${HEADER}` }))
    expect(rows).toHaveLength(1)
    expect(scan.header).toBe(HEADER)
  })

  test('2: quotes are letters like any other, balanced or not; so are backslashes', async () => {
    const { rows, refused } = await readRegister(
      register([
        person({ navn: 'UAB "ERA CAPITAL"' }),
        person({ navn: '"IF P INSURANCE HOLDING LTD (PUBL' }),
        person({ navn: 'A\\B' }),
        person(),
      ]),
    )
    expect(refused).toEqual([])
    expect(rows.map(({ navn }) => navn)).toEqual([
      'UAB "ERA CAPITAL"',
      '"IF P INSURANCE HOLDING LTD (PUBL',
      'A\\B',
      'KARI ØST',
    ])
  })

  test('3: surplus semicolons belong to the address', async () => {
    const row = person({ navn: 'PARIR AB', ident: ' ', sted: 'S-51, Tranemo; Sverige; Norden', land: 'SE' })
    expect(await only(row)).toMatchObject({ navn: 'PARIR AB', land: 'SE', antall: 60, totalt: 100 })
  })

  test('3: but a name with one is refused, since its fields can not be told apart', async () => {
    expect(await refusalOf(person({ navn: 'FOO; BAR' }))).toEqual([[2, 'flertydig_semikolon']])
  })

  test('4: a blank name with a year of birth is a holder', async () => {
    expect(await only(person({ navn: ' ', sted: '' }))).toMatchObject({
      navn: '',
      fodselsaar: 1980,
      antall: 60,
    })
  })

  test('9: a missing or zero total is not known', async () => {
    for (const totalt of ['', ' ', '0']) expect(await only(person({ totalt }))).toMatchObject({ totalt: 0 })
  })

  test('12: negative, fractional, grouped, padded and missing amounts are refused', async () => {
    for (const antall of ['-5', '1.5', '1,5', '1 000', '1\u00a0000', '007', '+5', '1e3', '', ' '])
      expect(await refusalOf(person({ antall }))).toEqual([[2, 'ugyldig_antall']])
    expect(await refusalOf(person({ totalt: '-1' }))).toEqual([[2, 'ugyldig_totalt']])
    expect(await only(person({ antall: '0' }))).toMatchObject({ antall: 0 })
  })

  test('13: addresses in every shape are passed over', async () => {
    for (const sted of ['1925 BLAKER 1925 BLAKER', 'THANI 84290, THAILAND', 'SWEDEN', ''])
      expect(await only(person({ sted }))).toMatchObject({ navn: 'KARI ØST', antall: 60 })
  })

  test('14: amounts beyond 32 bits are exact; beyond what can be counted with they are refused', async () => {
    expect(await only(person({ antall: '9007199254740991', totalt: '9007199254740991' }))).toMatchObject({
      antall: Number.MAX_SAFE_INTEGER,
      totalt: Number.MAX_SAFE_INTEGER,
    })
    expect(await refusalOf(person({ antall: '9007199254740993' }))).toEqual([[2, 'for_stort_antall']])
    expect(await refusalOf(person({ totalt: '9'.repeat(40) }))).toEqual([[2, 'for_stort_antall']])
  })

  test('line ends of both kinds, blank lines, and a last line without one', async () => {
    const text = `${HEADER}\r\n${person()}\r\n\r\n \n${person({ navn: 'OLA' })}`
    const { rows, scan } = await readRegister(Buffer.from(text))
    expect(rows.map(({ linje, navn, totalt }) => [linje, navn, totalt])).toEqual([
      [2, 'KARI ØST', 100],
      [5, 'OLA', 100],
    ])
    expect(scan.rows).toBe(2)
    expect(scan.sha256).toBe(createHash('sha256').update(text).digest('hex'))
  })

  test('too few fields, a company without a number, and bytes that are no text are refused', async () => {
    expect(await refusalOf(`${A};FJORDVIK AS;100`)).toEqual([[2, 'for_faa_felt']])
    for (const orgnr of ['', '12345678', '1234567890', '12345678A'])
      expect(await refusalOf(person({ orgnr }))).toEqual([[2, 'ugyldig_orgnr']])
    expect(await refusalOf(person({ navn: 'KARI\0' }))).toEqual([[2, 'ugyldige_tegn']])
    expect(await refusalOf(person({ sted: 'X'.repeat(5000) }))).toEqual([[2, 'for_lang_rad']])
    expect(await refusalOf(';'.repeat(300))).toEqual([[2, 'for_lang_rad']])
    const broken = Buffer.concat([register([person()]), Buffer.from([0xc3, 0x28]), register([])])
    expect((await readRegister(broken)).refused).toContainEqual([3, 'ugyldige_tegn'])
  })
})

describe('P19: an identity number', () => {
  // Eleven digits with right check digits, of nobody.
  const number = '01010750160'

  test('anywhere in a row refuses the row', async () => {
    for (const field of ['orgnr', 'selskap', 'klasse', 'navn', 'ident', 'sted', 'land', 'antall', 'totalt'])
      expect(await refusalOf(person({ [field]: number })), field).toEqual([[2, 'elleve_siffer']])
    for (const field of ['selskap', 'klasse', 'navn', 'ident', 'sted']) {
      expect(await refusalOf(person({ [field]: `X ${number}` })), field).toEqual([[2, 'elleve_siffer']])
      expect(await refusalOf(person({ [field]: '010107 50160' })), field).toEqual([[2, 'elleve_siffer']])
      expect(await refusalOf(person({ [field]: '010107-50160' })), field).toEqual([[2, 'elleve_siffer']])
    }
    expect(await refusalOf(person({ ident: '12345678901' }))).toEqual([[2, 'elleve_siffer']])
    expect(await refusalOf(person({ navn: `A;${number};B` }))).toEqual([[2, 'elleve_siffer']])
    expect(await refusalOf(number)).toEqual([[2, 'elleve_siffer']])
  })

  test('is told from an amount of eleven digits by its check digits', async () => {
    expect(await only(person({ antall: '12345678901', totalt: '20000000000' }))).toMatchObject({
      antall: 12_345_678_901,
    })
    expect(await refusalOf(person({ antall: '31129956715' }))).toEqual([[2, 'elleve_siffer']])
  })

  test('numbers that stand close to each other in different fields are no identity number', async () => {
    expect(await only(person({ antall: '123456', totalt: '12345' }))).toMatchObject({
      antall: 123456,
      totalt: 12345,
    })
  })
})

describe('columns', () => {
  test('are found by name, in any case, accent and order; the country and the class may be missing', async () => {
    const header =
      'ORGNR;selskap;NAVN AKSJONAER;Fodselsar / Orgnr;Postnr/Sted;Antall aksjer;ANTALL AKSJER SELSKAP'
    expect(await only(`${A};FJORDVIK AS;KARI;1980;OSLO; NORGE;60;100`, header)).toMatchObject({
      klasse: '',
      land: '',
      navn: 'KARI',
      antall: 60,
      totalt: 100,
    })
  })
})

describe('the encoding', () => {
  test('of old files is seen from the header', async () => {
    const bytes = Buffer.from(register([person({ navn: 'BJØRN ÅS\x96TH' })]).toString('utf8'), 'latin1')
    const { scan, rows } = await readRegister(bytes)
    expect(scan.encoding).toBe('windows-1252')
    expect(rows[0]).toMatchObject({ navn: 'BJØRN ÅS–TH', klasse: 'Ordinære aksjer' })
  })

  test('is seen from all of the file when the header has no Norwegian letter', async () => {
    const header = HEADER.replace('æ', 'ae').replace('ø', 'o').replace('å', 'a')
    const text = register([person({ klasse: 'A' }), person({ navn: 'BJØRN' })], { header })
    expect((await readRegister(text)).rows[1]).toMatchObject({ navn: 'BJØRN' })
    const old = await readRegister(Buffer.from(text.toString('utf8'), 'latin1'), { blockBytes: 1 })
    expect(old.scan.encoding).toBe('windows-1252')
    expect(old.rows[1]).toMatchObject({ navn: 'BJØRN' })
  })
})

test('companies whose rows do not stand together are found, and blocks of any size read the same', async () => {
  const B = '910000012'
  const bytes = register([
    person(),
    person({ orgnr: B }),
    person({ orgnr: 'X' }),
    person({ orgnr: B }),
    person({ orgnr: ` ${A} ` }),
  ])
  const whole = await readRegister(bytes)
  expect([...whole.scan.scattered]).toEqual([Number(A)])
  expect(whole.scan.rows).toBe(5)
  expect(whole.rows).toHaveLength(4)
  for (const blockBytes of [1, 100, 200]) {
    const { rows, refused, scan } = await readRegister(bytes, { blockBytes })
    expect({ rows, refused, scan }).toEqual(whole)
  }
})

test('P161: lines that begin as the one before are read as they are alone, whatever stands between them', async () => {
  const number = '01010750160'
  const fields = {
    orgnr: [A, A, '910000012', ' 910000012', 'X', ''],
    selskap: ['FJORDVIK AS', 'FJORDVIK AS', 'FJORDVIK ASA', '', 'Å  SUND', number],
    klasse: ['A', 'A', 'B-aksjer', ''],
    navn: ['KARI ØST', 'KARI  ØST', 'OLA', '', `PER ${number}`],
    sted: ['0484 OSLO', 'LONDON; W1', ''],
    antall: ['1', '60', '', '-1', number],
  }
  // The same every time.
  let state = 1
  const one = (of: readonly string[]) => {
    state = Math.imul(state, 1_103_515_245) + 12_345
    return of[(state >>> 16) % of.length] ?? ''
  }
  const rows = Array.from({ length: 3000 }, (_, index) => {
    if (index % 97 === 0) return index % 2 === 0 ? '' : 'tull'
    if (index % 89 === 0) return `${A};FJORDVIK AS;A;`
    return person(Object.fromEntries(Object.entries(fields).map(([name, of]) => [name, one(of)])))
  })
  for (const end of ['\n', '\r\n']) {
    const bytes = register(rows, { end }).subarray(0, -end.length)
    const alone = await readRegister(bytes, { blockBytes: 1 })
    expect(alone.rows.length).toBeGreaterThan(300)
    expect(alone.refused.length).toBeGreaterThan(300)
    for (const blockBytes of [500, 100_000]) {
      const { rows, refused } = await readRegister(bytes, { blockBytes })
      expect({ rows, refused }).toEqual({ rows: alone.rows, refused: alone.refused })
    }
  }
})

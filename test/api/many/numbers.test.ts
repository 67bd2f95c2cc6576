import { describe, expect, it } from 'vitest'
import { readNumbers } from '#src/api/many/numbers.ts'
import { inventNumbers } from '#test/support/invented-companies.ts'
import { turnsMeanwhile } from '#test/support/turns-meanwhile.ts'

const said = async (body: unknown, type: 'json' | 'text' | 'csv') => {
  const { asked, doubles } = await readNumbers(
    typeof body === 'string' ? body : JSON.stringify(body),
    type,
    500,
  )
  return { asked: asked.map(({ orgnr, given }) => orgnr ?? given), doubles }
}

describe('a list of organisation numbers', () => {
  it('is read as people have it: spaces, VAT dress, other columns, doubles once', async () => {
    const two = { asked: ['923609016', '974760673'], doubles: 1 }
    expect(await said(['923609016', 974760673, '923 609 016'], 'json')).toEqual(two)
    expect(await said({ organisasjonsnumre: ['NO923609016MVA', '974760673', '974760673'] }, 'json')).toEqual(
      two,
    )
    expect(await said('\uFEFF923 609 016\r\n974760673;923609016\r\n\r\n', 'text')).toEqual(two)
    expect(
      await said('\uFEFFNavn;Org.nr.\r\n"A; B";923609016\r\nC;974760673\r\nD;974.760.673\r\n', 'csv'),
    ).toEqual(two)
    expect(await said('923609016,A\n974760673,B\n923609016,C', 'csv')).toEqual(two)
  })

  it('keeps the place of what is no number, and as much of it as finds it again', async () => {
    const long = 'x'.repeat(1000)
    expect(await said(['923609016', 'tull', long, '923609017'], 'json')).toEqual({
      asked: ['923609016', 'tull', 'x'.repeat(40), '923609017'],
      doubles: 0,
    })
  })

  it('that is none, or too long, is refused before anything is asked', async () => {
    const two = '{"organisasjonsnumre":["1"],"organisasjonsnumre":["2"]}'
    const broken = ['', 'null', '"x"', '{}', '[]', '[[]]', '[{}]', '{"organisasjonsnumre":"x"}', two]
    const unfinished = [
      '[',
      '["1"',
      '["1",]',
      '["1"',
      '["1',
      '["1\\"]',
      '["1"]]',
      '["1"] 2',
      '[01]',
      '[1 2]',
      '[+1]',
    ]
    for (const body of [
      ...broken,
      ...unfinished,
      '["\\x"]',
      '["\n"]',
      "['1']",
      '{"a":{},"organisasjonsnumre":[1]}',
    ])
      await expect(readNumbers(body, 'json', 500), body).rejects.toThrow('list')
    await expect(readNumbers('1\n2\n3', 'text', 2)).rejects.toThrow('At most 2')
  })

  it('P99: the same that is wrong, as often as there is room for, is looked at once', async () => {
    const bombs = { text: '1,'.repeat(65_000), csv: '1\n'.repeat(65_000), json: Array(65_000).fill('1') }
    for (const [type, bomb] of Object.entries(bombs) as [keyof typeof bombs, unknown][]) {
      expect(await said(bomb, type)).toEqual({ asked: ['1'], doubles: 64_999 })
    }
    // Against as many that are right: with an error for each it was 15 times as much.
    const right = '923609016,'.repeat(65_000)
    const ratio =
      (await leastMsOf(() => said(bombs.text, 'text'))) / (await leastMsOf(() => said(right, 'text')))
    expect(ratio).toBeLessThan(5)
  })

  it('P99: attack: thousands of which each is wrong in itself cost no more than as many that are right', async () => {
    const right = inventNumbers(5000)
    // Another last digit, which is the check digit.
    const wrong = right.map((each) => each.slice(0, 8) + ((Number(each[8]) + 1) % 10))
    const msOf = (some: readonly string[]) => leastMsOf(() => readNumbers(some.join(), 'text', 5000))
    // With an error for each it was 15 times as much.
    expect((await msOf(wrong)) / (await msOf(right))).toBeLessThan(5)
  })

  it('as JSON is what it is to whoever reads JSON: signs that are escaped, numbers, space, members beside it', async () => {
    const body =
      '\uFEFF\t{ "navn" : "a \\"b\\" [", "ja":true,"n":-1.5e3,\r\n"organisasjonsnumre" : [ "\\u0039\\u0032\\u0033609016" ,974760673 , "\\\\", "\\"", 1e3 ] }\n'
    expect(await said(body, 'json')).toEqual({
      asked: [...['923609016', '974760673'], ...['\\', '"', '1000']],
      doubles: 0,
    })
    const texts = ['å', 'a\u2028b', '\\"', 'a\\', '\ud83d\ude00', 'x"y', '\t1']
    expect((await said(texts, 'json')).asked).toEqual(texts.map((each) => each.trim()))
  })

  it.each(['json', 'text', 'csv'] as const)(
    'P148: of two megabytes that are next to nothing lets others in between (%s)',
    async (type) => {
      const bombs = {
        json: `[${'"",'.repeat(650_000)}""]`,
        text: ' ,'.repeat(1_000_000),
        csv: '1\n'.repeat(500_000),
      }
      const others = await turnsMeanwhile(() => readNumbers(bombs[type], type, 500).catch(() => {}))
      expect(others).toBeGreaterThan(5)
    },
  )

  it('P148: as JSON of half a million objects is none from the first of them on', async () => {
    const objects = `[${'{},'.repeat(600_000)}{}]`
    const members = `{${'"a":1,'.repeat(300_000)}"organisasjonsnumre":["1"]}`
    await expect(readNumbers(members, 'json', 500)).rejects.toThrow('list')
    const ofOne = await leastMsOf(() => readNumbers('[{}]', 'json', 500).catch(() => {}))
    const ofAll = await leastMsOf(() => readNumbers(objects, 'json', 500).catch(() => {}))
    const parsed = await leastMsOf(async () => JSON.parse(objects))
    expect(ofAll - ofOne).toBeLessThan(parsed / 4)
  })

  it('P131: as CSV that is one row of hundreds of thousands of columns, or one field, is none', async () => {
    for (const row of ['a;'.repeat(900_000), `"${'a'.repeat(900_000)}"`, '"'.repeat(900_000)])
      await expect(readNumbers(row, 'csv', 500), row.slice(0, 4)).rejects.toThrow('list')
    const wide = `923609016;${'x;'.repeat(2000)}\n974760673;${'y'.repeat(20_000)}`
    expect(await said(wide, 'csv')).toEqual({ asked: ['923609016', '974760673'], doubles: 0 })
  })

  it('P131: attack: as CSV with hundreds of thousands of empty columns, in a line or over many, is none', async () => {
    for (const columns of [';'.repeat(900_000), ';"\n";;;;;;;;'.repeat(40_000)])
      await expect(readNumbers(`923609016${columns}`, 'csv', 500)).rejects.toThrow('list')
    expect(await said(`923609016${';'.repeat(16_000)}`, 'csv')).toEqual({ asked: ['923609016'], doubles: 0 })
  })

  it('P99: as CSV of nothing but separators lets others in between', async () => {
    const others = await turnsMeanwhile(() =>
      expect(readNumbers(`${','.repeat(1000)}\n`.repeat(520), 'csv', 500)).rejects.toThrow('list'),
    )
    expect(others).toBeGreaterThan(5)
  })

  it.each(['json', 'csv'] as const)(
    'P169: sixteen at a time keep nobody waiting longer than one does (%s)',
    async (type) => {
      const list = { json: `[${'1e9,'.repeat(120_000)}1]`, csv: '"";"";\n'.repeat(40_000) }[type]
      const read = () => readNumbers(list, type, 500).catch(() => {})
      await read()
      const ofOne = await turnsMeanwhile(read)
      const ofAll = await turnsMeanwhile(() => Promise.all(Array.from({ length: 16 }, read)))
      expect(ofAll).toBeGreaterThan(4 * ofOne)
    },
  )
})

/** Of several times: what others of the machine do meanwhile is in the other ones. */
async function leastMsOf(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let times = 0; times < 5; times += 1) {
    const from = performance.now()
    await work()
    least = Math.min(least, performance.now() - from)
  }
  return least
}

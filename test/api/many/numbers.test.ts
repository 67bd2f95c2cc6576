import { describe, expect, it } from 'vitest'
import { readNumbers } from '#src/api/many/numbers.ts'

const said = async (body: unknown, type: 'json' | 'text' | 'csv') => {
  const { asked, doubles } = await readNumbers(body, type, 500)
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
    for (const body of [null, 'x', {}, [], [[]], [{}], { organisasjonsnumre: 'x' }])
      await expect(readNumbers(body, 'json', 500), JSON.stringify(body)).rejects.toThrow('list')
    await expect(readNumbers('1\n2\n3', 'text', 2)).rejects.toThrow('At most 2')
  })

  it('P99: the same that is wrong, as often as there is room for, is looked at once', async () => {
    const wrong = Array.from({ length: 500 }, (_, index) => String(index)).join()
    const bombs = { text: '1,'.repeat(65_000), csv: '1\n'.repeat(65_000), json: Array(65_000).fill('1') }
    for (const [type, bomb] of Object.entries(bombs) as [keyof typeof bombs, unknown][]) {
      expect(await said(bomb, type)).toEqual({ asked: ['1'], doubles: 64_999 })
    }
    // Against what a list may be, on this machine: each on its own costs 130 times as much as the other.
    const ratio =
      (await leastMsOf(() => said(bombs.text, 'text'))) / (await leastMsOf(() => said(wrong, 'text')))
    expect(ratio).toBeLessThan(40)
  })

  it('P131: as CSV that is one row of hundreds of thousands of columns, or one field, is none', async () => {
    for (const row of ['a;'.repeat(900_000), `"${'a'.repeat(900_000)}"`, '"'.repeat(900_000)])
      await expect(readNumbers(row, 'csv', 500), row.slice(0, 4)).rejects.toThrow('list')
    const wide = `923609016;${'x;'.repeat(2000)}\n974760673;${'y'.repeat(20_000)}`
    expect(await said(wide, 'csv')).toEqual({ asked: ['923609016', '974760673'], doubles: 0 })
  })

  it('P99: as CSV of nothing but separators lets others in between', async () => {
    let others = 0
    let isOver = false
    const another = () => {
      others += 1
      if (!isOver) setImmediate(another)
    }
    setImmediate(another)
    await expect(readNumbers(','.repeat(130_000), 'csv', 500)).rejects.toThrow('list')
    isOver = true
    expect(others).toBeGreaterThan(20)
  })
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

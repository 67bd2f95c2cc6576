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
})

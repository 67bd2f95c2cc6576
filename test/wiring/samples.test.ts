import { describe, expect, it } from 'vitest'
import type { Bedrift } from '#src/record/record.ts'
import { SAMPLE, type SampleNumber } from '#src/samples/numbers.ts'
import { createSamples } from '#src/wiring/samples.ts'

const samples = createSamples({ clock: { now: () => new Date('2026-11-22T09:00:00Z') } })

async function record(orgnr: SampleNumber): Promise<Bedrift> {
  const reading = await samples.read(orgnr)
  if (reading.outcome !== 'record') throw new Error(`${orgnr} is ${reading.outcome}`)
  return reading.record
}

describe('the records of the samples', () => {
  it('the healthy company is complete: owners in levels, one foreign and one hidden, six years of accounts', async () => {
    const { komplett, eierskap, aksjonaerer, regnskap } = await record(SAMPLE.healthy)
    expect(komplett).toBe(true)
    expect(regnskap.data?.aar.map(({ periode }) => periode.tilDato.slice(0, 4))).toEqual([
      ...['2025', '2024', '2023', '2022', '2021', '2020'],
    ])
    expect(eierskap.data?.oppover?.ledd.length).toBe(3)
    const owners = eierskap.data?.oppover?.eiere.map(({ eier, effektivProsent }) => [
      eier.skjult ? 'skjult' : eier.navn,
      effektivProsent,
    ])
    expect(owners).toEqual([
      ['ÅSHILD ØVREBØ', 36.3],
      ['ÁNTE MÁHTTE GAUP', 18.72],
      ['BJØRN SÆTHER', 16.5],
      ['INGEBORG VIKEN', 12.48],
      ['TINDEVÅG KOMMUNE', 10],
      ['NORDHAV INVEST AB', 2.5],
      ['skjult', 1],
    ])
    const changed = aksjonaerer.data?.historikk.filter(
      ({ endringer }) =>
        endringer !== null && endringer.inn.antall + endringer.ut.antall + endringer.opp.antall > 0,
    )
    expect(changed?.length).toBe(6)
    expect(aksjonaerer.data?.historikk.filter(({ arkivet }) => arkivet === 'importert').length).toBe(7)
  })

  it('P20: the circle is worked out and marked', async () => {
    const { eierskap } = await record(SAMPLE.circle)
    expect(eierskap.data?.flagg.sirkulaer).toBe(true)
    const parts = eierskap.data?.oppover?.eiere.map(({ effektivProsent }) => effektivProsent ?? 0) ?? []
    expect(Math.round(parts.reduce((sum, part) => sum + part, 0))).toBe(100)
  })

  it('the listed company has nominees, the state and more holders than a page', async () => {
    const { aksjonaerer } = await record(SAMPLE.usd)
    const kinds = aksjonaerer.data?.storste?.map(({ type }) => type)
    expect(kinds).toEqual(expect.arrayContaining(['forvalter', 'offentlig', 'utenlandsk', 'foretak']))
    expect(aksjonaerer.data?.innehavere).toBeGreaterThan(1000)
    expect(aksjonaerer.data?.avvik).toEqual([])
  })

  it('P8: of the two a register does not answer about, one has an older copy and one has nothing', async () => {
    const [stale, away] = [await record(SAMPLE.stale), await record(SAMPLE.sourceAway)]
    expect([stale.komplett, stale.roller.tilstand, stale.kilder.roller.arsak?.kode]).toEqual([
      ...[true, 'utdatert', 'fornyes'],
    ])
    expect(stale.roller.data?.dagligLeder?.length).toBe(1)
    const { tilstand, arsak } = away.kilder.kunngjoringer
    expect([away.komplett, tilstand, arsak?.kode, away.kunngjoringer.data]).toEqual([
      ...[false, 'utilgjengelig', 'feilstatus', null],
    ])
  })

  it('P3: what was removed has no record', async () => {
    expect(await samples.read(SAMPLE.removed)).toMatchObject({ outcome: 'removed', slettedato: '2026-06-01' })
  })
})

import { Type } from 'typebox'
import { Check, Clean } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { PACKED_AS } from '#src/cache/packing.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import {
  fromStored,
  STORED_SCHEMA_VERSION,
  storedShapes,
  storedVersion,
  toStored,
} from '#src/record/stored-answer.ts'
import { sampleNumbers } from '#src/samples/numbers.ts'
import { archiveSources, companySources, type KeptSource, keptSources } from '#src/sources/index.ts'
import type { Answer } from '#src/sources/source.ts'
import { openSampleArchive } from '#src/wiring/samples/archive.ts'
import { openSampleRegisters } from '#src/wiring/samples/registers.ts'
import { SAMPLE_IDS } from '#src/wiring/samples.ts'
import { enhet } from './parts.ts'

const fetchedAt = new Date('2026-11-21T10:00:00.123Z')

describe('a source’s answer in the cache', () => {
  it.each<Answer<unknown>>([
    { outcome: 'found', value: enhet({ navn: 'ÆØÅ «LYNGHEI» 漢 AS' }), avvik: ['/kapital'], fetchedAt },
    { outcome: 'found', value: [], avvik: [], fetchedAt },
    { outcome: 'absent', fetchedAt },
    { outcome: 'removed', slettedato: null, fetchedAt },
    { outcome: 'unsupported', certain: false, fetchedAt },
  ])('comes out as it went in: $outcome', (answer) => {
    const stored = toStored(answer)
    expect(stored.state).toBe(answer.outcome)
    expect(fromStored(stored)).toEqual(answer)
  })
})

describe('P104: what is kept', () => {
  it('is of the shape its version is made of, to the last property', async () => {
    const now = new Date('2026-11-21T10:00:00Z')
    const call = { signal: AbortSignal.timeout(60_000) }
    const { sources } = await openSampleRegisters(now, call)
    const { register } = await openSampleArchive(now, () => SAMPLE_IDS)
    const seen = new Set<KeptSource>()
    const hold = (source: KeptSource, answer: Answer<unknown>) => {
      if (answer.outcome !== 'found') return
      seen.add(source)
      const { value } = fromStored<unknown>(toStored(answer)) as typeof answer
      expect(Check(storedShapes[source], value), source).toBe(true)
      // What the schema does not name is taken out of the copy.
      expect(Clean(storedShapes[source], structuredClone(value)), source).toEqual(value)
    }
    for (const number of sampleNumbers) {
      const orgnr = parseOrganisasjonsnummer(number)
      for (const source of companySources)
        hold(source, await sources[source](orgnr, call).catch(() => ({ outcome: 'absent', fetchedAt: now })))
      for (const source of archiveSources) hold(source, await register[source](orgnr))
    }
    hold('sok', await sources.sok({ navn: 'AS', metode: null, size: 20 }, call))
    expect([...seen].sort()).toEqual([...keptSources].sort())
  })

  it('has another version with any other shape, and with another packing', () => {
    const versions = keptSources.map((source) =>
      storedVersion({ ...storedShapes, [source]: Type.Object({ annet: Type.String() }) }, PACKED_AS),
    )
    expect(storedVersion(storedShapes, PACKED_AS)).toBe(STORED_SCHEMA_VERSION)
    const all = [...versions, storedVersion(storedShapes, 'other'), STORED_SCHEMA_VERSION]
    expect(new Set(all).size).toBe(all.length)
  })
})

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '#src/core/clock.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { createPersonIds } from '#src/record/person-ids.ts'
import { readRecord } from '#src/record/read.ts'
import type { RecordReading } from '#src/record/reading.ts'
import type { Unit } from '#src/record/sections/foretak.ts'
import { type SampleNumber, sampleNumbers } from '#src/samples/numbers.ts'
import { searchAmong } from '#src/search/among.ts'
import { unitOf } from '#src/search/in-register.ts'
import { addressesAt } from '#src/sources/addresses.ts'
import { openSampleArchive } from './samples/archive.ts'
import { kept } from './samples/kept.ts'
import { openSampleRegisters } from './samples/registers.ts'

/**
 * The records of the invented companies, put together as any company's are: by the same sources, sections and calculations,
 * from answers that stand in `src/samples` instead of on a network, and from files that are read as an import reads them.
 *
 * They are of the day, so that nothing in them grows old in a process that runs for long; made when somebody first asks for
 * one, and kept without what they were made of.
 *
 * @param areRegistered the registers know these companies too, and may have come to say something else of them
 */
export function createSamples({ clock, areRegistered = false }: { clock: Clock; areRegistered?: boolean }) {
  const today = () => clock.now().toISOString().slice(0, 10)
  const all = kept(today, () => readAll(clock.now()))

  return {
    areRegistered,

    /** Another one: the records may be others. */
    edition: today,

    async read(orgnr: SampleNumber): Promise<RecordReading> {
      return (await all()).records.get(orgnr) ?? { outcome: 'unknown' }
    },

    search: searchAmong({ units: async () => (await all()).units, clock }),
  }
}

/** Nothing is waited for; a machine that stood still for so long has other worries. */
const DEADLINE_MS = 60_000

/** The people are invented, so this is no secret: their ids are the same everywhere. */
export const SAMPLE_IDS = createPersonIds(Buffer.from('oppdiktede personer'))

/** Nobody is asked about an invented company, and no register's address is shown as if it had been. */
export const NOWHERE = {
  registerUrl: 'https://register.example',
  kunngjoringUrl: 'https://kunngjoring.example',
  klassUrl: 'https://klass.example',
}

type All = { records: ReadonlyMap<SampleNumber, RecordReading>; units: ReadonlyMap<string, Unit> }

/** In turns of their own, so that nobody else waits for more than one of them. */
async function readAll(now: Date): Promise<All> {
  const { sources, industryCodes } = await openSampleRegisters(now, {
    signal: AbortSignal.timeout(DEADLINE_MS),
  })
  const reader = {
    sources: { ...sources, ...(await openSampleArchive(now, () => SAMPLE_IDS)).sources },
    industryCodes: () => industryCodes,
    addresses: addressesAt(NOWHERE),
    personIds: () => SAMPLE_IDS,
    deadlineMs: DEADLINE_MS,
    // A sample's section shows that it failed, and the samples' own tests show that none does.
    onFault: () => {},
  }
  const records = new Map<SampleNumber, RecordReading>()
  const units = new Map<string, Unit>()
  for (const orgnr of sampleNumbers) {
    records.set(orgnr, await readRecord(parseOrganisasjonsnummer(orgnr), reader))
    const { unit } = await unitOf(parseOrganisasjonsnummer(orgnr), sources, {
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    if (unit !== null) units.set(orgnr, unit)
    await nextTurn()
  }
  return { records, units }
}

import type { CompanySource } from '#src/sources/index.ts'
import { SAMPLE, type SampleNumber } from './numbers.ts'

/** A register that does not answer about a company. `hasCopy`: it did before, and what it said then is shown as older. */
export type Trouble = { orgnr: SampleNumber; source: CompanySource; hasCopy: boolean }

export const troubles: readonly Trouble[] = [
  { orgnr: SAMPLE.stale, source: 'roller', hasCopy: true },
  { orgnr: SAMPLE.sourceAway, source: 'kunngjoringer', hasCopy: false },
]

/** What such a register answers: "not now". */
export const TROUBLED_STATUS = 503

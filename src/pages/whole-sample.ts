import type { Bedrift } from '#src/record/record.ts'
import { SAMPLE } from '#src/samples/numbers.ts'
import type { PageSamples } from './page-tools.ts'

/** The record pages show in passing: the invented company of which there is everything. */
export async function wholeSample(samples: PageSamples): Promise<Bedrift> {
  const reading = await samples.read(SAMPLE.healthy)
  if (reading.outcome !== 'record') throw new Error(`the sample of a whole record is ${reading.outcome}`)
  return reading.record
}

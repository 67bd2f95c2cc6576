import { policy } from '#config/policy.ts'
import { createRecorder } from '#src/changes/recorder.ts'
import { type Clock, systemClock } from '#src/core/clock.ts'
import type { Answer } from '#src/sources/source.ts'
import type { Database } from '#src/storage/database.ts'
import { enhet } from '../record/parts.ts'

export const ORGNR = '923609016'

/** What the register says of the company, at that time. */
export const unitAt = (facts: object, at: Date): Answer<unknown> => ({
  outcome: 'found',
  value: { ...enhet(), ...facts },
  avvik: [],
  fetchedAt: at,
})

export const held = (answer: Answer<unknown>) => ({ answer: () => answer })

export function recorderOver(
  database: Database,
  options: {
    clock?: Clock
    isErased?: (orgnr: string) => boolean
    lookAgain?: (orgnr: string, source: string) => void
    turnMs?: number
    untakenToldMs?: number
  } = {},
) {
  const faults: unknown[] = []
  const recorder = createRecorder({
    database,
    isErased: options.isErased ?? (() => false),
    lookAgain: options.lookAgain ?? (() => {}),
    clock: options.clock ?? systemClock,
    onFault: (error) => faults.push(error),
    // A busy machine is no failure.
    policy: {
      ...policy.looks,
      askMs: 20_000,
      writeMs: 20_000,
      turnMs: options.turnMs ?? 20_000,
      untakenToldMs: options.untakenToldMs ?? policy.looks.untakenToldMs,
      retryEveryMs: 50,
      awayMs: 50,
    },
  })
  return { ...recorder, faults }
}

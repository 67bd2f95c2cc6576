import { lookAtInvented } from '#src/changes/invented.ts'
import type { Clock } from '#src/core/clock.ts'
import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { livingAt, livingEdition } from '#src/samples/living.ts'
import { samplesAt } from '#src/samples/samples.ts'
import type { Database } from '#src/storage/database.ts'
import { openSampleRegisters } from './samples/registers.ts'

/** Looks at the invented companies that change by the clock, once in each of their editions, as their registers answer. */
export function createInventedLook({ database, clock }: { database: Database; clock: Clock }) {
  let looked: number | null = null

  return async ({ signal }: { signal: AbortSignal }): Promise<void> => {
    const now = clock.now()
    const edition = livingEdition(now)
    if (edition === looked) return
    const living = livingAt(now)
    const { klass } = samplesAt(now)
    const { sources } = await openSampleRegisters(now, { signal }, { companies: new Map(living), klass })
    for (const [orgnr] of living)
      if (isOrganisasjonsnummer(orgnr))
        await lookAtInvented(database, orgnr, { ...(await sources.enhet(orgnr, { signal })), fetchedAt: now })
    looked = edition
  }
}

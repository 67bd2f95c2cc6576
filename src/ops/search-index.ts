import type { Queryable } from '#src/storage/database.ts'
import { readIndexState } from '#src/storage/search/build-state.ts'
import { countPending } from '#src/storage/search/changes.ts'

export type SearchIndexSeen = Awaited<ReturnType<typeof seeSearchIndex>>

/**
 * What operators see of the index of names. Of one that is being built: the share of its units that are in its tables, of as
 * many as the one before it has; null while there is none to tell by.
 */
export async function seeSearchIndex(db: Queryable, { isWanted }: { isWanted: boolean }) {
  const [{ live, build, failure }, pending] = await Promise.all([readIndexState(db), countPending(db)])
  const units = live === null || build === null ? null : live.units + live.subUnits
  const before = build?.phase === 'underenheter' ? 0 : (build?.subUnits ?? 0)
  const share = units === null || build === null ? null : Math.min(1, (before + build.read) / units)
  return {
    skalFinnes: isWanted,
    indeks: live,
    bygger: build === null ? null : { ...build, andel: share },
    feil: failure,
    venter: pending,
  }
}

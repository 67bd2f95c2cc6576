import type { Log } from '#src/core/log.ts'
import { repeat } from './repeat.ts'

/** What there is to do for the index of names. */
export type SearchIndexWork = {
  /** Builds it when the register has made new files, or it was begun and not ended. One process builds at a time. */
  build: (signal: AbortSignal) => Promise<unknown>
  /** Remembers units that changed; returns when it is durable. */
  noteChanges: (changes: readonly { orgnr: number; isSubUnit: boolean }[]) => Promise<void>
  /** Reads those that wait, and puts them in the index. */
  applyChanges: (signal: AbortSignal) => Promise<unknown>
}

/** Builds the index of names when it is due, and keeps it as the feeds say, until closed. */
export function keepSearchIndex(
  { build, applyChanges }: SearchIndexWork,
  { log, policy }: { log: Log; policy: { lookEveryMs: number; retryMs: number; changesEveryMs: number } },
): { close(): Promise<void> } {
  const building = repeat(
    'the search index',
    { afterMs: policy.lookEveryMs, retryMs: policy.retryMs, log },
    build,
  )
  const applying = repeat(
    'changes of the search index',
    { afterMs: policy.changesEveryMs, retryMs: policy.changesEveryMs, log },
    applyChanges,
  )
  return {
    async close() {
      await Promise.all([building.close(), applying.close()])
    },
  }
}

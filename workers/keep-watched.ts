import type { LookWork } from '#src/changes/look-work.ts'
import type { Log } from '#src/core/log.ts'
import { repeat } from '#src/core/repeat.ts'
import type { CompanySource } from '#src/sources/index.ts'

export type WatchedWork = LookWork & {
  /** The company in our own archive, which is no register to be spared. */
  lookInArchive: (orgnr: string, call: { signal: AbortSignal }) => Promise<void>
  /** What invented companies have come to be. */
  lookAtInvented: (call: { signal: AbortSignal }) => Promise<void>
}

/**
 * Keeps what is watched fresh, some companies at a time, and takes away what of the log is too old.
 * Safe to run in many processes: each company is taken by one, and looking at one twice changes nothing.
 */
export function keepWatched(
  work: Pick<
    WatchedWork,
    'due' | 'unanswered' | 'lookSoon' | 'askSoon' | 'tidy' | 'lookInArchive' | 'lookAtInvented'
  >,
  {
    enqueue,
    log,
    policy: { lookEveryMs, unansweredEveryMs, tidyEveryMs, inventedEveryMs },
  }: {
    /** `kanVente`: after what feeds told of, and the first that each reader asked for. */
    enqueue: (
      looks: readonly { orgnr: string; source: CompanySource }[],
      order: { kanVente: boolean },
    ) => Promise<unknown>
    log: Log
    policy: {
      lookEveryMs: number
      unansweredEveryMs: number
      tidyEveryMs: number
      inventedEveryMs: number
    }
  },
): { close(): Promise<void> } {
  const looking = (name: string, line: Parameters<typeof work.due>[0]) =>
    repeat(
      name,
      { afterMs: lookEveryMs, retryMs: lookEveryMs, isOfMany: true, log },
      async (signal, each) => {
        const looks = await work.due(line)
        if (looks.length === 0) return
        const ofRegisters = looks.flatMap(({ orgnr, source }) =>
          source === 'aksjonaerer' ? [] : [{ orgnr, source }],
        )
        await each(async () => {
          try {
            if (ofRegisters.length > 0) await enqueue(ofRegisters, { kanVente: true })
            for (const { orgnr, source } of looks)
              if (source === 'aksjonaerer') await work.lookInArchive(orgnr, { signal })
          } catch (error) {
            await work.lookSoon([...new Set(looks.map(({ orgnr }) => orgnr))])
            throw error
          }
        })
      },
    )
  const parts = [
    looking('watched companies', 'neste_at'),
    looking('watched companies, slowly', 'sene_at'),
    repeat(
      'events nobody looked after',
      { afterMs: unansweredEveryMs, retryMs: unansweredEveryMs, log },
      async () => {
        const looks = await work.unanswered()
        if (looks.length === 0) return
        try {
          // As urgent as when it was told.
          await enqueue(looks, { kanVente: false })
        } catch (error) {
          await work.askSoon(looks)
          throw error
        }
      },
    ),
    repeat('the log of changes', { afterMs: tidyEveryMs, retryMs: tidyEveryMs, log }, (signal) =>
      work.tidy(signal),
    ),
    repeat('invented companies', { afterMs: inventedEveryMs, retryMs: inventedEveryMs, log }, (signal) =>
      work.lookAtInvented({ signal }),
    ),
  ]
  return {
    async close() {
      await Promise.all(parts.map((part) => part.close()))
    },
  }
}

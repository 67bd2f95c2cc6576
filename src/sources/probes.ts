import { createRepeat } from '#src/core/repeat.ts'
import type { KeptSource } from '#src/sources/index.ts'
import type { Guard } from './guard.ts'
import type { SourceCall } from './source.ts'

/** One cheap question to each source, to which there is an answer whenever the source is well. */
export type Questions = Readonly<Record<KeptSource, (call: SourceCall) => Promise<unknown>>>

/**
 * Tries sources that are left alone by the clock, so that one that is well again is taken up though nobody asks for anything.
 * It is the same single probe that a reader's call would be, at the same times: no source is asked more for it.
 */
export function startProbes({
  guards,
  questions,
  policy,
}: {
  guards: Readonly<Record<KeptSource, Pick<Guard, 'probe'>>>
  questions: Questions
  policy: { probeEveryMs: number; probeDeadlineMs: number }
}): { close(): Promise<void> } {
  const sources = Object.keys(guards) as KeptSource[]
  const probing = sources.map((source) =>
    createRepeat({ everyMs: policy.probeEveryMs, onFault: () => {} }, (closed) => {
      const signal = AbortSignal.any([closed, AbortSignal.timeout(policy.probeDeadlineMs)])
      return guards[source].probe(questions[source], { signal })
    }),
  )
  for (const each of probing) void each.start()

  return {
    async close() {
      await Promise.all(probing.map((each) => each.close()))
    },
  }
}

import type { KeptSource } from '#src/sources/index.ts'
import type { Guard } from './guard.ts'
import type { Call } from './source.ts'

/** One cheap question to each source, to which there is an answer whenever the source is well. */
export type Questions = Readonly<Record<KeptSource, (call: Call) => Promise<unknown>>>

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
  const closed = new AbortController()
  const underway = new Set<Promise<void>>()
  const timer = setInterval(() => {
    for (const source of Object.keys(guards) as KeptSource[]) {
      const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(policy.probeDeadlineMs)])
      const probe = guards[source].probe(questions[source], { signal })
      underway.add(probe)
      void probe.finally(() => underway.delete(probe))
    }
  }, policy.probeEveryMs)
  timer.unref()

  return {
    async close() {
      clearInterval(timer)
      closed.abort()
      await Promise.all(underway)
    },
  }
}

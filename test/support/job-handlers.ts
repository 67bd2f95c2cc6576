import { type JobName, jobs } from '#src/queue/jobs.ts'
import type { Handlers } from '#src/queue/work.ts'

/** A handler for every job there is: those given, and of the others each does `rest`, which is nothing when it is not said. */
export function handlersOf(given: Partial<Handlers> = {}, rest = async (): Promise<void> => {}): Handlers {
  const names = Object.keys(jobs) as JobName[]
  return { ...Object.fromEntries(names.map((name) => [name, rest])), ...given } as Handlers
}

import type { JobLane, JobName } from './jobs.ts'

/**
 * What an operator is told of the queue: that it began to fail, that it works again after so many errors, and jobs that
 * failed. The lane is null while adding.
 */
export type QueueFault =
  | { kind: 'failing'; error: unknown; lane: JobLane | null }
  | { kind: 'well'; errors: number; afterMs: number }
  /** `untold`: failures of the same kind since one was told. */
  | { kind: 'job'; error: unknown; lane: JobLane; job: JobName; untold: number }

/**
 * BullMQ tells of a server that is away many times a second, for each lane: it is passed on once, and once more when the server
 * can be used and no error has come for `quietMs`. Failures of jobs are passed on once a minute for each kind.
 */
export function createFaults({
  prove,
  tell,
  quietMs,
}: {
  prove: () => Promise<void>
  tell: (fault: QueueFault) => void
  quietMs: number
}) {
  let failing: { sinceMs: number; lastMs: number; errors: number } | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const jobs = new Map<string, { toldAtMs: number; untold: number }>()

  function lookLater(): void {
    if (isClosed) return
    timer = setTimeout(() => void look().finally(() => failing !== null && lookLater()), quietMs)
    timer.unref()
  }

  async function look(): Promise<void> {
    const seen = failing
    if (seen === null || performance.now() - seen.lastMs < quietMs) return
    const { errors } = seen
    const isProved = await prove().then(
      () => true,
      () => false,
    )
    if (!isProved || isClosed || seen.errors !== errors) return
    failing = null
    tell({ kind: 'well', errors, afterMs: Math.round(seen.lastMs - seen.sinceMs) })
  }

  return {
    queue(error: unknown, lane: JobLane | null): void {
      const now = performance.now()
      if (failing !== null) {
        failing.errors += 1
        failing.lastMs = now
        return
      }
      failing = { sinceMs: now, lastMs: now, errors: 1 }
      tell({ kind: 'failing', error, lane })
      lookLater()
    },

    job(error: unknown, lane: JobLane, job: JobName): void {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
      const name = `${lane} ${job} ${code}`
      const known = jobs.get(name)
      if (known !== undefined && performance.now() - known.toldAtMs < JOB_TOLD_EVERY_MS) {
        known.untold += 1
        return
      }
      if (jobs.size >= KINDS_MAX) jobs.clear()
      jobs.set(name, { toldAtMs: performance.now(), untold: 0 })
      tell({ kind: 'job', error, lane, job, untold: known?.untold ?? 0 })
    },

    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

const JOB_TOLD_EVERY_MS = 60_000
const KINDS_MAX = 100

import { abortAfter, rest } from '#src/core/wait.ts'

/**
 * Keeps a lease for as long as `work` runs. Its signal aborts when the lease is lost: somebody else has taken it, or it
 * could not be renewed for so long that somebody may have.
 *
 * Our clock starts before the asking, PostgreSQL's after it: here the lease never lasts longer than there.
 *
 * @param lease `takenAtMs`: when it was asked for, by performance.now(). `renew` gives false when somebody else has it; it
 *   may fail, and is then tried again.
 */
export async function holdLease(
  lease: {
    takenAtMs: number
    leaseMs: number
    renewMs: number
    renew: () => Promise<boolean>
    signal: AbortSignal
  },
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const held = new AbortController()
  const signal = AbortSignal.any([lease.signal, held.signal])
  let renewed = endAt(lease.takenAtMs + lease.leaseMs)

  function endAt(atMs: number): () => void {
    return abortAfter(Math.max(0, atMs - performance.now()), held)
  }

  async function keep(): Promise<void> {
    while (!signal.aborted) {
      await rest(lease.renewMs, signal)
      if (signal.aborted) return
      const askedAtMs = performance.now()
      const isOurs = await lease.renew().catch(() => null)
      if (isOurs === false) held.abort()
      if (isOurs !== true) continue
      renewed()
      renewed = endAt(askedAtMs + lease.leaseMs)
    }
  }

  const keeping = keep()
  try {
    await work(signal)
  } finally {
    held.abort()
    await keeping
    renewed()
  }
}

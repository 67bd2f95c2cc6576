/**
 * Runs what ends in order at Ctrl-C: `interrupted` tells it so. A second Ctrl-C does not wait for that.
 *
 * Where a database is open, it is opened before: its own way of ending comes into its place meanwhile.
 */
export async function interruptible<T>(work: (interrupted: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController()
  const interrupt = () => ending.abort()
  for (const signal of SIGNALS) process.once(signal, interrupt)
  try {
    return await work(ending.signal)
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, interrupt)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

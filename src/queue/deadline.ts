import { OppslagError } from '#src/core/errors.ts'
import { QueueUnavailableError } from './errors.ts'

/**
 * What `work` gives; a QueueUnavailableError when it takes longer or fails in a way that is not ours. Some of BullMQ's
 * promises never settle.
 */
export async function withinDeadline<T>(deadlineMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, deadlineMs, new QueueUnavailableError(null))
  })
  try {
    return await Promise.race([work, late])
  } catch (error) {
    throw error instanceof OppslagError ? error : new QueueUnavailableError(error)
  } finally {
    clearTimeout(timer)
    // If it lost, nobody waits for it any more.
    work.catch(() => {})
  }
}

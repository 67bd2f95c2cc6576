import { type DestinationStream, destination, type Logger, pino } from 'pino'

export type Log = Logger

/**
 * The process's log. What is logged is chosen field by field where it is logged; nothing here takes whole requests, keys
 * or addresses out again, since what is never handed over can not leak.
 */
export function createLog(options: {
  level: string
  file: string | null
}): Log & { flushed(): Promise<void> } {
  const stream = destination({ dest: options.file ?? 1, sync: false, mkdir: true })
  const log = pino({ level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream)
  return Object.assign(log, { flushed: () => flushed(stream) })
}

function flushed(stream: DestinationStream & { flush(done: (error?: Error) => void): void }): Promise<void> {
  return new Promise((resolve) => stream.flush(() => resolve()))
}

import { mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { destination, type Logger, pino } from 'pino'
import { ConfigurationError } from './errors.ts'

export type Log = Logger

/** The log of the process itself. `flushed`: all that was logged so far has been written. */
export type ProcessLog = Log & { flushed(): Promise<void> }

/** Lines that wait while the file can not be written; what comes on top of them is lost. */
const WAITING_BYTES_MAX = 1024 * 1024

/**
 * The process's log. What is logged is chosen field by field where it is logged; nothing here takes whole requests, keys
 * or addresses out again, since what is never handed over can not leak. A file that is full costs lines of the log, and one
 * line on stderr, and nothing else.
 *
 * @throws ConfigurationError when there can be no such file
 */
export function createLog(options: { level: string; file: string | null }): ProcessLog {
  const stream = openStream(options.file)
  const log = pino({ level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream)
  return Object.assign(log, { flushed: () => flushed(stream) })
}

type Stream = ReturnType<typeof destination>

function openStream(file: string | null): Stream {
  const dest = file === null ? 1 : openFile(file)
  const stream = destination({ dest, sync: false, maxLength: WAITING_BYTES_MAX })
  let isFull = false
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (!isFull) process.stderr.write(`The log can not be written (${code}): lines of it are lost.\n`)
    isFull = true
  })
  stream.on('drain', () => {
    isFull = false
  })
  // The last thing before the process ends: it tries until it can, whatever the error, and the process would never end.
  const flushSync = stream.flushSync.bind(stream)
  stream.flushSync = () => {
    if (!isFull) flushSync()
  }
  return stream
}

/** At once, so that a file that can not be written is told before anything is started. */
function openFile(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true })
    return openSync(path, 'a')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigurationError(
      `LOG_FILE: ${path} can not be written (${code}). Set it, or DATA_DIR when it lies there, to where this user may write.`,
      { cause: error },
    )
  }
}

function flushed(stream: Stream): Promise<void> {
  return new Promise((resolve) => stream.flush(() => resolve()))
}

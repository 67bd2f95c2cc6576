import { type Logger, pino } from 'pino'
import { errorFields } from './log/error-fields.ts'
import { createLogLines, type LinesBounds, type LogLines } from './log/lines.ts'
import { type FileBounds, openLogFile } from './log/to-file.ts'
import { heedOutputs, standardOutput } from './log/to-output.ts'
import { DAY_MS } from './units.ts'

export type Log = Logger

/** With room for what comes by the thousand a second. */
export type CrowdedLog = Log & {
  /**
   * A line of level info that its writer has composed, JSON with its end: it is written in blocks, with the next line of
   * another kind, or within a tenth of a second.
   */
  composed(line: string): void
}

/** The log of the process itself. */
export type ProcessLog = CrowdedLog & {
  /** All that was logged so far has been written, or can not be. */
  flushed(): Promise<void>
  /** The file is opened anew, for whoever has given it another name. */
  reopen(): void
  /** Lines that could not be written, in the life of this process, and those it was told of. */
  lost(): number
  /** So many were lost by a process that has no metrics of its own. */
  tellLostElsewhere(count: number): void
  /** For lines that another process has written, to its log and to stderr. */
  lines: Pick<LogLines, 'push' | 'onRoom'>
  complaints: Pick<LogLines, 'push' | 'onRoom'>
}

const INFO = pino.levels.values.info ?? Number.NaN

/** Half a gigabyte in all: some hours of a thousand requests a second, two months of an ordinary service. */
const BOUNDS: LinesBounds & FileBounds = {
  waitingMax: 1024 * 1024,
  gatheredMax: 64 * 1024,
  gatherMs: 100,
  retryMs: 500,
  slowRetryMs: 50,
  flushWithinMs: 1000,
  bytesMax: 64 * 1024 * 1024,
  ageMsMax: 7 * DAY_MS,
  keptMax: 8,
  lookEveryMs: 1000,
}

/**
 * The process's log. What is logged is chosen field by field where it is logged; nothing here takes whole requests, keys
 * or addresses out again, since what is never handed over can not leak. Errors are the exception: those of others have what
 * they please in them, so of theirs it is chosen here.
 *
 * A file that is full, a reader that is slow or gone costs lines of the log, and one line on stderr, and nothing else (P44).
 *
 * @throws ConfigurationError when there can be no such file
 */
export function createLog({
  level,
  file,
  bounds = BOUNDS,
}: {
  level: string
  file: string | null
  bounds?: LinesBounds & FileBounds
}): ProcessLog {
  const complaints = createLogLines(standardOutput('stderr'), {
    bounds,
    lostLine: () => '',
    onTrouble: () => {},
  })
  const logFile =
    file === null
      ? null
      : openLogFile(file, {
          bounds,
          onTrouble: (code) => complaints.write(`The log file can not be put away (${code}): it grows on.\n`),
        })
  const lines = createLogLines(logFile ?? standardOutput('stdout'), {
    bounds,
    lostLine: (tapt) =>
      `${JSON.stringify({ level: 40, time: new Date().toISOString(), tapt, msg: 'lines of the log were lost' })}\n`,
    onTrouble: (code) => complaints.write(`The log can not be written (${code}): lines of it are lost.\n`),
  })
  heedOutputs()
  let lostElsewhere = 0
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: errorFields } },
    lines,
  )
  return Object.assign(log, {
    composed(line: string) {
      if (log.levelVal <= INFO) lines.gather(line)
    },
    flushed: async () => {
      await Promise.all([lines.flushed(), complaints.flushed()])
    },
    reopen: () => logFile?.reopen(),
    lost: () => lines.lost() + lostElsewhere,
    tellLostElsewhere(count: number) {
      lostElsewhere = count
    },
    lines,
    complaints,
  })
}

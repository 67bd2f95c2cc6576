import { OppslagError } from './errors.ts'
import { fromFirstSignal, hasTerminal } from './signals.ts'

/** The process was told to end before it was open: what it had opened is closed again, and that is no fault. */
export class EndedWhileStarting extends OppslagError {
  constructor(signal: string) {
    super('avsluttet_under_oppstart', `The process was told to end (${signal}) while it started`)
  }
}

/**
 * Runs a door's opening. What is wrong with the set-up is told in one line and ends the process with status 1. Whoever is told
 * to end meanwhile closes what it has opened, and ends with 0.
 */
export async function startOrExplain<T>(open: (ended: AbortSignal) => T | Promise<T>): Promise<T> {
  try {
    return await untilTold(open)
  } catch (error) {
    if (error instanceof EndedWhileStarting) process.exit(0)
    process.stderr.write(`${explained(error)}\n`)
    process.exit(1)
  }
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

function stay(): void {}

/**
 * Runs what must not be ended in the middle, since it leaves something that runs: a PostgreSQL, say. A signal to end aborts
 * `ended`, with the reason to throw where nothing is begun; a second one, by somebody in haste, ends the process at once, with 1.
 * One that came too late for that is sent again when the work is done, to whoever listens then. SIGHUP ends it as they do where there is
 * a terminal, and elsewhere nothing: a log's file that was put away meanwhile is found by its name.
 *
 * @throws EndedWhileStarting for whatever goes wrong after the signal: in a terminal every process it has started gets it too
 */
export async function untilTold<T>(work: (ended: AbortSignal) => T | Promise<T>): Promise<T> {
  const ending = new AbortController()
  let told: NodeJS.Signals | null = null
  let isHaste = () => false
  let isDone = false
  const hear = (signal: NodeJS.Signals) => {
    if (isHaste() && !isDone) process.exit(1)
    if (told !== null) return
    told = signal
    isHaste = fromFirstSignal()
    ending.abort(new EndedWhileStarting(signal))
  }
  const hearers = [
    ...SIGNALS.map((signal) => [signal, hear] as const),
    ['SIGHUP', hasTerminal() ? hear : stay] as const,
  ]
  for (const [signal, listener] of hearers) process.on(signal, listener)
  try {
    return await work(ending.signal)
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error
  } finally {
    // Whoever listens from now on does so by then, and ends the process as they see fit: no signal finds nobody.
    isDone = true
    setImmediate(() => {
      for (const [signal, listener] of hearers) process.removeListener(signal, listener)
      if (told !== null) process.kill(process.pid, told)
    })
  }
}

/** PostgreSQL's code of a full disk (disk_full), and the system's. */
const DISK_FULL = ['53100', 'ENOSPC']

function explained(error: unknown): string {
  if (error instanceof OppslagError) return error.message
  if (!(error instanceof Error)) return String(error)
  const isFull = 'code' in error && DISK_FULL.includes(String(error.code))
  return isFull
    ? `No space is left on the disk: ${error.message}. Make room, and start again.`
    : String(error.stack)
}

import { SourceError } from '#src/sources/source.ts'
import type { Failed } from './parts.ts'
import type { SectionName } from './sections.ts'

export type Wait = ReturnType<typeof startWait>

/**
 * The time one answer may take. All its calls hang on one signal, with one timer and one listener: a record that is put
 * together from what is held has a dozen of them and waits for none.
 *
 * @param onFault told what was thrown that is no failure of a register
 */
export function startWait(deadlineMs: number, onFault: (section: SectionName, error: unknown) => void) {
  const wait = new AbortController()
  const late = Promise.withResolvers<Failed>()
  const timer = setTimeout(() => abort(new DOMException('The answer is due', 'TimeoutError')), deadlineMs)
  timer.unref()

  function abort(reason: DOMException): void {
    wait.abort(reason)
    // In the next turn: the deadline also ends the wait for the source, and a copy at hand that covers it comes in this one.
    setImmediate(() => late.resolve(LATE))
  }

  function failed(section: SectionName, error: unknown): Failed {
    if (error instanceof SourceError) {
      const { failure, field, retryAfterSeconds } = error
      return { outcome: 'failed', failure, field, retryAfterSeconds }
    }
    onFault(section, error)
    return { outcome: 'failed', failure: 'intern_feil' }
  }

  return {
    call: { signal: wait.signal },

    /**
     * Turns a failed or late call into a value: it never rejects. The deadline is kept here as well as in the call itself, so
     * that a source that does not heed its signal can not hold up the answer.
     */
    settle<A>(section: SectionName, asked: Promise<A>): Promise<A | Failed> {
      // What comes after the deadline is nobody's answer any more; a fault is told all the same.
      return Promise.race([asked.catch((error) => failed(section, error)), late.promise])
    },

    /** Nobody needs what is still on its way. */
    giveUp: () => abort(GIVEN_UP),

    end: () => clearTimeout(timer),
  }
}

const LATE: Failed = { outcome: 'failed', failure: 'tidsfrist' }
/** Made once: an error costs its stack. */
const GIVEN_UP = new DOMException('Nobody waits for it', 'AbortError')

import { channel } from 'node:diagnostics_channel'
import { setTimeout as pause } from 'node:timers/promises'
import {
  BrokenCircuitError,
  CircuitState,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  isTaskCancelledError,
  SamplingBreaker,
} from 'cockatiel'
import { eventLoopNow, wasBusySince } from '#src/core/event-loop.ts'
import { traced } from '#src/core/trace.ts'
import { createTurns, NoTurnError } from '#src/core/turns.ts'
import { untilAborted } from '#src/core/wait.ts'
import { NOBODYS_TURN, type SourceCall, SourceError, type SourceFailure } from './source.ts'
import { createWrongAnswers, isOfOneAnswer } from './wrong-answers.ts'

/** Readers come first: background refreshes have a small lane of their own and never take a reader's place. */
export type Lane = 'front' | 'background'

export type GuardPolicy = {
  /** Calls in flight and calls waiting for a place, for each lane; in front, the places one reader may have. */
  frontInFlightMax: number
  frontInFlightForOneMax: number
  frontQueueMax: number
  backgroundInFlightMax: number
  backgroundQueueMax: number
  /** The breaker opens when this share of calls failed over this long, once there were this many a second. */
  failureShare: number
  samplingMs: number
  minimumCallsPerSecond: number
  /** A company of which an answer was wrong, or late, is not counted again until it was not asked about for so long; of so many companies. */
  wrongAnswerForMs: number
  wrongAnswersMax: number
  /** After the second about one company readers of it are told so at once for so long, and then one of them asks. */
  wrongAnswerRestMs: number
  /** How long it stays open before one probe is let through: doubling from the first to the last. */
  openFirstMs: number
  openLastMs: number
  /** Retries at most as this share of calls; saved up to so many. */
  retryShare: number
  retriesSavedMax: number
  retryWaitMaxMs: number
  /** A source that is late had its time once it was asked so long ago, or for half of what the call had. */
  ownTimeMs: number
}

export type Guard = {
  run<T>(lane: Lane, ask: (call: SourceCall) => Promise<T>, call: SourceCall): Promise<T>
  /** The same for whoever decides later when it is asked: that it is asked, and what came of it, is a step of a trace. */
  calling<Subject, Told extends { outcome: string }>(
    lane: Lane,
    ask: (subject: Subject, call: SourceCall) => Promise<Told>,
    subject: Subject,
    of: Required<Pick<SourceCall, 'turn' | 'about'>>,
  ): (signal: AbortSignal) => Promise<Told>
  /** For whoever reads and could wait for another's call. @throws SourceError `sperret`: what it says of this company is not waited for now */
  heedRest(lane: Lane, about: string): void
  /** Another process has asked about this company for as long as a call has, and told nothing: it is late here too, if not counted. */
  noteLate(about: string): void
  /** Asks the source if it is left alone and its time to be tried has come; otherwise nothing happens. Never fails. */
  probe(ask: (call: SourceCall) => Promise<unknown>, call: SourceCall): Promise<void>
  state(): 'lukket' | 'apen' | 'prover'
}

/** What a guard tells those who measure: each call's end, and each change of the breaker. */
export type SourceEvent =
  | { kind: 'answered'; source: string; lane: Lane; ms: number }
  | { kind: 'failed'; source: string; lane: Lane; ms: number; failure: SourceFailure }
  /** There was no call, by a bound of ours, or a fault of our own code ended it: it says nothing about the source. */
  | { kind: 'refused'; source: string; lane: Lane; why: SourceFailure }
  | { kind: 'breaker'; source: string; state: ReturnType<Guard['state']> }

export const SOURCE_CHANNEL = 'bedriftsoppslag:source'

const events = channel(SOURCE_CHANNEL)

function tell(event: SourceEvent): void {
  if (events.hasSubscribers) events.publish(event)
}

/**
 * Stands between the service and one source: a bulkhead so that a hanging source holds only its own places, in which
 * readers have equal turns (P61), a breaker so that a failing one is left alone but for one probe at a time, and at most one
 * retry inside a budget shared by all calls. The breaker is cockatiel's; the rest, and the order of the three, are ours.
 *
 * Failures that count are those of the source: no answer, an error status, an answer that can not be believed. That the
 * caller's own ceiling is reached, that there was no place for the call in time, that most of the time it had went by in our
 * own lines, that this process was too busy to hear the answer, or that the answer about one company is wrong or late again, says nothing about it.
 */
export function createGuard(source: string, policy: GuardPolicy, random: () => number = Math.random): Guard {
  const lanes = {
    front: createTurns({
      atOnce: policy.frontInFlightMax,
      atOnceForOne: policy.frontInFlightForOneMax,
      waitingMax: policy.frontQueueMax,
    }),
    background: createTurns({
      atOnce: policy.backgroundInFlightMax,
      waitingMax: policy.backgroundQueueMax,
    }),
  }
  const wrong = createWrongAnswers({
    companiesMax: policy.wrongAnswersMax,
    forMs: policy.wrongAnswerForMs,
    restMs: policy.wrongAnswerRestMs,
  })
  /** Failures that were counted before. */
  const again = new WeakSet<object>()
  let breaker = createBreaker({ isOpen: false })
  let newestMs = Date.now()
  let retriesSaved = policy.retriesSavedMax

  function createBreaker({ isOpen }: { isOpen: boolean }) {
    const made = circuitBreaker(handleWhen(countsAsFailure), {
      halfOpenAfter: new ExponentialBackoff({
        initialDelay: policy.openFirstMs,
        maxDelay: policy.openLastMs,
      }),
      breaker: new SamplingBreaker({
        threshold: policy.failureShare,
        duration: policy.samplingMs,
        minimumRps: policy.minimumCallsPerSecond,
      }),
      // As one that was kept elsewhere: open for long, so that the next call is the probe.
      ...(isOpen && { initialState: { ownState: OPEN_FOR_LONG, breakerState: {} } }),
    })
    made.onStateChange(() => tell({ kind: 'breaker', source, state: state() }))
    return made
  }

  /** The breaker goes by the machine's clock: of one that was set back it would wait until it is as late again as it was. */
  function heedClock(): void {
    const nowMs = Date.now()
    if (nowMs < newestMs - policy.openFirstMs)
      breaker = createBreaker({ isOpen: breaker.state !== CircuitState.Closed })
    newestMs = nowMs
  }

  async function run<T>(lane: Lane, ask: (call: SourceCall) => Promise<T>, call: SourceCall): Promise<T> {
    const startedAt = performance.now()
    retriesSaved = Math.min(policy.retriesSavedMax, retriesSaved + policy.retryShare)
    try {
      const answer = await once(lane, ask, call).catch((error) => retry(error, lane, ask, call))
      tell({ kind: 'answered', source, lane, ms: performance.now() - startedAt })
      return answer
    } catch (error) {
      tellFailure(error, lane, performance.now() - startedAt)
      throw error
    }
  }

  function tellFailure(error: unknown, lane: Lane, ms: number): void {
    const failure = error instanceof SourceError ? error.failure : 'intern_feil'
    if (saysOfSource(error)) tell({ kind: 'failed', source, lane, ms, failure })
    else tell({ kind: 'refused', source, lane, why: failure })
  }

  /** A probe that was not let through by a bound of ours has found nothing out: the source is left alone for longer. */
  function countsAsFailure(error: unknown): boolean {
    return saysOfSource(error) || (breaker.state === CircuitState.HalfOpen && error instanceof SourceError)
  }

  function saysOfSource(error: unknown): boolean {
    return error instanceof SourceError && !OWN_DECISIONS.has(error.failure) && !again.has(error)
  }

  function heedRest(lane: Lane, about: string): void {
    // All companies are left alone then, and who is let through finds out more than how this one is.
    if (breaker.state !== CircuitState.Closed || !wrong.isResting(about)) return
    tell({ kind: 'refused', source, lane, why: 'sperret' })
    throw blocked()
  }

  async function probe(ask: (call: SourceCall) => Promise<unknown>, call: SourceCall): Promise<void> {
    heedClock()
    if (breaker.state !== CircuitState.Open) return
    const startedAt = performance.now()
    try {
      await once('background', ask, call)
      tell({ kind: 'answered', source, lane: 'background', ms: performance.now() - startedAt })
    } catch (error) {
      const isTooEarly = error instanceof SourceError && error.failure === 'sperret'
      if (!isTooEarly) tellFailure(error, 'background', performance.now() - startedAt)
    }
  }

  async function once<T>(lane: Lane, ask: (call: SourceCall) => Promise<T>, call: SourceCall): Promise<T> {
    heedClock()
    // While one probe is out the others do not wait for it: waiting, they would all arrive at once when it succeeds.
    if (breaker.state === CircuitState.HalfOpen) throw blocked()
    const { about } = call
    // It would be as wrong of a source that is well, and whoever goes on asking would keep it from everybody.
    if (breaker.state !== CircuitState.Closed && about !== undefined && wrong.isKnown(about)) {
      wrong.keep(about)
      throw blocked()
    }
    const beganMs = performance.now()
    let since: ReturnType<typeof eventLoopNow> | null = null
    /** Null: it waits for us. */
    let askedMs: number | null = null
    const noteWait = (isWaiting: boolean) => {
      askedMs = isWaiting ? null : performance.now()
    }
    const asked = () => {
      since = eventLoopNow()
      noteWait(false)
      return ask({ ...call, noteWait }).then(right, (error) => {
        throw counted(isLate(error) && isOurs() ? busy() : error)
      })
    }
    /** Who waits hears that it is late before the breaker does: both hear the same. */
    let isAgain: boolean | null = null
    const counted = (error: unknown) => {
      if (about === undefined || !isOfOneAnswer(error)) return error
      isAgain ??= wrong.isAgain(about)
      if (isAgain) again.add(error)
      return error
    }
    const right = <Told>(told: Told): Told => {
      if (about !== undefined) wrong.right(about)
      return told
    }
    /** Where more wait than can be asked, whoever has the next turn has waited nearly as long as they may: what is left is not the source's. */
    const hadItsTime = () => {
      const nowMs = performance.now()
      return askedMs !== null && nowMs - askedMs >= Math.min(policy.ownTimeMs, (nowMs - beganMs) / 2)
    }
    /** Of a call that was never made, or that this process could not hear the end of, the source knows nothing. */
    const isOurs = () => since === null || !hadItsTime() || wasBusySince(since)
    const busy = () => {
      if (about !== undefined) wrong.wasNotAsked(about)
      return new SourceError(
        source,
        'opptatt',
        'no place among the calls on their way, or no time to hear its end',
      )
    }
    try {
      const turn = lanes[lane].run(
        call.turn ?? NOBODYS_TURN,
        () => breaker.execute(asked, call.signal),
        call.signal,
      )
      return await untilAborted(turn, call.signal)
    } catch (error) {
      if (error instanceof BrokenCircuitError) throw blocked()
      if (error instanceof NoTurnError) throw busy()
      if (isTaskCancelledError(error) || error === call.signal.reason)
        throw isOurs() ? busy() : counted(late())
      throw error
    }
  }

  async function retry<T>(
    first: unknown,
    lane: Lane,
    ask: (call: SourceCall) => Promise<T>,
    call: SourceCall,
  ): Promise<T> {
    if (!isWorthRetrying(first) || retriesSaved < 1 || call.signal.aborted) throw first
    retriesSaved -= 1
    // Full jitter: those that failed together do not come back together.
    await pause(random() * policy.retryWaitMaxMs, undefined, { signal: call.signal }).catch(() => {
      throw first
    })
    return once(lane, ask, call)
  }

  function blocked(): SourceError {
    return new SourceError(source, 'sperret', 'the source has been failing and is left alone for a while')
  }

  function late(): SourceError {
    return new SourceError(source, 'tidsfrist', 'no whole answer within the deadline')
  }

  function state(): ReturnType<Guard['state']> {
    if (breaker.state === CircuitState.Closed) return 'lukket'
    return breaker.state === CircuitState.HalfOpen ? 'prover' : 'apen'
  }

  return {
    run,
    calling: (lane, ask, subject, of) => (signal) =>
      traced(
        'asking',
        `source ${source}`,
        { lane },
        () => run(lane, (call) => ask(subject, call), { signal, ...of }),
        { told: ({ outcome }) => ({ outcome }) },
      ),
    heedRest,
    noteLate: (about) => void wrong.isAgain(about),
    probe,
    state,
  }
}

const OPEN_FOR_LONG = { value: CircuitState.Open, openedAt: 0, attemptNo: 1 }

const OWN_DECISIONS: ReadonlySet<string> = new Set(['budsjett_brukt', 'avslatt', 'opptatt', 'sperret'])

function isLate(error: unknown): boolean {
  return error instanceof SourceError && error.failure === 'tidsfrist'
}

/** A connection that broke, or a status that says "not now", and no word of coming back later than at once. */
function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof SourceError)) return false
  if (error.failure === 'nettverk') return true
  const isPassing = error.status !== null && [429, 502, 503, 504].includes(error.status)
  return error.failure === 'feilstatus' && isPassing && (error.retryAfterSeconds ?? 0) === 0
}

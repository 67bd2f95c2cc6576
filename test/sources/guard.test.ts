import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { policy } from '#config/policy.ts'
import { createGuard, type GuardPolicy, SOURCE_CHANNEL, type SourceEvent } from '#src/sources/guard.ts'
import { startProbes } from '#src/sources/probes.ts'
import { type SourceCall, SourceError } from '#src/sources/source.ts'
import { eventually } from '../support/eventually.ts'

const quick: GuardPolicy = {
  ...policy.guard,
  samplingMs: 1000,
  minimumCallsPerSecond: 5,
  retryWaitMaxMs: 1,
  retriesSavedMax: 1,
}
const call = () => ({ signal: AbortSignal.timeout(5000) })
const refused = () => new SourceError('roller', 'nettverk', 'refused')

/** A source that answers, fails or keeps silent as told, and counts. */
function createSource() {
  const source = {
    calls: 0,
    inFlight: 0,
    inFlightMost: 0,
    fails: false,
    hold: null as PromiseWithResolvers<void> | null,
    async ask() {
      source.calls += 1
      source.inFlight += 1
      source.inFlightMost = Math.max(source.inFlightMost, source.inFlight)
      try {
        await source.hold?.promise
        if (source.fails) throw refused()
        return 'answer'
      } finally {
        source.inFlight -= 1
      }
    },
  }
  return source
}

const failureOf = (run: Promise<unknown>) =>
  run.then(
    () => 'answered',
    (error) => (error as SourceError).failure,
  )

/** Until the test is finished. */
function failuresTold(): unknown[] {
  const failed: unknown[] = []
  const hear = (message: unknown) => (message as SourceEvent).kind === 'failed' && failed.push(message)
  subscribe(SOURCE_CHANNEL, hear)
  onTestFinished(() => void unsubscribe(SOURCE_CHANNEL, hear))
  return failed
}

/** The breaker's, until the test is finished: it stands still, however long the calls take. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe('P13: a source that is down', () => {
  it('is left alone once half its calls fail, but for one probe at a time, and comes back without a burst', async () => {
    stopClock()
    const source = createSource()
    const guard = createGuard('roller', quick)
    source.fails = true
    while (guard.state() === 'lukket') await failureOf(guard.run('front', source.ask, call()))
    const before = source.calls
    const blocked = await Promise.all(
      Array.from({ length: 100 }, () => failureOf(guard.run('front', source.ask, call()))),
    )
    expect(new Set(blocked)).toEqual(new Set(['sperret']))
    expect(source.calls).toBe(before)

    source.fails = false
    source.hold = Promise.withResolvers()
    vi.setSystemTime(Date.now() + quick.openLastMs)
    const probe = failureOf(guard.run('front', source.ask, call()))
    await eventually('a probe is let through', () => source.calls === before + 1)
    const beside = await Promise.all(
      Array.from({ length: 100 }, () => failureOf(guard.run('front', source.ask, call()))),
    )
    expect(new Set(beside)).toEqual(new Set(['sperret']))
    expect(source.calls).toBe(before + 1)
    source.hold.resolve()
    expect(await probe).toBe('answered')
    expect(guard.state()).toBe('lukket')
  })

  it('is taken up again though the clock was set back meanwhile, by one probe', async () => {
    stopClock()
    const source = createSource()
    const guard = createGuard('roller', quick)
    source.fails = true
    while (guard.state() === 'lukket') await failureOf(guard.run('front', source.ask, call()))
    vi.setSystemTime(Date.now() - 3 * 86_400_000)
    source.fails = false
    source.hold = Promise.withResolvers()
    const before = source.calls
    const probe = guard.probe(source.ask, call())
    await eventually('a probe is let through', () => source.calls === before + 1)
    expect(await failureOf(guard.run('front', source.ask, call()))).toBe('sperret')
    source.hold.resolve()
    await probe
    expect([source.calls, guard.state()]).toEqual([before + 1, 'lukket'])
  })

  it('P13: attack: one company that is answered wrongly each time has it left alone for nobody, and many have', async () => {
    const guard = createGuard('roller', quick)
    const wrongOf = (about: string) =>
      guard.run('front', () => Promise.reject(new SourceError('roller', 'ugyldig_svar', 'too large')), {
        ...call(),
        about,
      })
    for (let times = 0; times < 50; times++)
      expect(await failureOf(wrongOf('901012121'))).toBe('ugyldig_svar')
    expect(guard.state()).toBe('lukket')
    for (let nth = 0; guard.state() === 'lukket'; nth++) await failureOf(wrongOf(String(nth)))
    expect(await failureOf(wrongOf('901012121'))).toBe('sperret')
  })

  it('P13: attack: a few companies it never answers about, asked about all the time, have it left alone for nobody, and many have', async () => {
    const guard = createGuard('roller', { ...quick, samplingMs: 60_000, minimumCallsPerSecond: 0.1 })
    const failed = failuresTold()
    const silent = ({ signal }: SourceCall) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new SourceError('roller', 'tidsfrist', 'late')))
      })
    const lateOf = (about: string) =>
      failureOf(guard.run('front', silent, { signal: AbortSignal.timeout(20), about }))
    const few = ['901012121', '901034349', '901056563']
    for (let times = 0; times < 10; times++)
      expect(await Promise.all(few.map(lateOf))).toEqual(few.map(() => 'tidsfrist'))
    expect([guard.state(), failed.length]).toEqual(['lukket', few.length])
    for (let nth = 0; guard.state() === 'lukket'; nth++) await lateOf(String(nth))
    expect(await lateOf('901012121')).toBe('sperret')
  })

  it('P13: attack: a company it never answers about in time is waited for by one reader at a time, and by nobody right after', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const guard = createGuard('roller', quick)
    const late = () => Promise.reject(new SourceError('roller', 'tidsfrist', 'late'))
    const about = '901012121'
    const ask = (answer: () => Promise<unknown> = late) =>
      failureOf(guard.run('front', answer, { ...call(), about }))
    /** Of ten who read it at once, who may wait. */
    const waiting = () =>
      Array.from({ length: 10 }, () => failureOf(Promise.try(() => guard.heedRest('front', about))))
    const waits = async () => (await Promise.all(waiting())).filter((each) => each === 'answered').length
    const restIsOver = () => vi.advanceTimersByTime(quick.wrongAnswerRestMs)
    await ask()
    // Once is chance.
    expect(await waits()).toBe(10)
    await ask()
    expect(await Promise.all(waiting())).toEqual(Array(10).fill('sperret'))
    expect(await failureOf(Promise.try(() => guard.heedRest('front', '901034349')))).toBe('answered')
    restIsOver()
    expect([await waits(), await waits()]).toEqual([1, 0])
    await ask()
    restIsOver()
    expect(await waits()).toBe(1)
    // That there was no turn for the one who was to ask says nothing: the next is.
    const gone = AbortSignal.abort(new Error('nobody waits'))
    expect(await failureOf(guard.run('front', late, { signal: gone, about }))).toBe('opptatt')
    expect([await waits(), await waits()]).toEqual([1, 0])
    await ask(async () => 'answer')
    expect(await waits()).toBe(10)
    // Another process asks, and tells nothing: it is as late for who waits for that.
    guard.noteLate(about)
    expect(await waits()).toBe(10)
    guard.noteLate(about)
    expect(await waits()).toBe(0)
  })

  it('P13: attack: a company that is answered wrongly each time is no probe, however often it is asked about', async () => {
    stopClock()
    const source = createSource()
    const guard = createGuard('roller', quick)
    const wrong = () =>
      guard.run('front', () => Promise.reject(new SourceError('roller', 'ugyldig_svar', 'too large')), {
        ...call(),
        about: '901012121',
      })
    expect(await failureOf(wrong())).toBe('ugyldig_svar')
    source.fails = true
    while (guard.state() === 'lukket') await failureOf(guard.run('front', source.ask, call()))
    source.fails = false
    vi.setSystemTime(Date.now() + quick.openLastMs)
    for (let times = 0; times < 50; times++) expect(await failureOf(wrong())).toBe('sperret')
    expect(await failureOf(guard.run('front', source.ask, { ...call(), about: '901034349' }))).toBe(
      'answered',
    )
    expect(guard.state()).toBe('lukket')
  })

  it('that answers rightly about a company again, and then wrongly, fails anew', async () => {
    const failed = failuresTold()
    const guard = createGuard('roller', quick)
    const about = { ...call(), about: '901012121' }
    const wrong = () => Promise.reject(new SourceError('roller', 'feilstatus', '500', { status: 500 }))
    const busy = () => Promise.reject(new SourceError('roller', 'feilstatus', '503', { status: 503 }))
    for (const ask of [wrong, wrong, async () => 'answer', wrong, wrong])
      await failureOf(guard.run('front', ask as () => Promise<string>, about))
    expect(failed).toHaveLength(2)
    // That it has no time now is no one company's.
    await failureOf(guard.run('front', busy, about))
    expect(failed).toHaveLength(3)
  })

  it('gets retries for at most a tenth of the calls', async () => {
    const source = createSource()
    source.fails = true
    const guard = createGuard('roller', { ...quick, minimumCallsPerSecond: 1e6 })
    const calls = 200
    for (let count = 0; count < calls; count++) await failureOf(guard.run('front', source.ask, call()))
    const retries = source.calls - calls
    expect(retries).toBeGreaterThan(0)
    expect(retries).toBeLessThanOrEqual(calls * 0.1 + quick.retriesSavedMax)
  })

  it('is not asked again at once when it says when to come back, nor for an answer that was wrong', async () => {
    const guard = createGuard('roller', { ...quick, retriesSavedMax: 10 })
    for (const error of [
      new SourceError('roller', 'feilstatus', 'later', { status: 503, retryAfterSeconds: 30 }),
      new SourceError('roller', 'feilstatus', 'broken', { status: 500 }),
      new SourceError('roller', 'ugyldig_svar', 'html'),
      new SourceError('roller', 'tidsfrist', 'late'),
    ]) {
      let calls = 0
      const ask = async () => {
        calls += 1
        throw error
      }
      await expect(guard.run('front', ask, call())).rejects.toBe(error)
      expect(calls).toBe(1)
    }
  })

  it('P54: is taken up again by the clock when nobody asks for anything', async ({ onTestFinished }) => {
    const source = createSource()
    const guard = createGuard('roller', { ...quick, openFirstMs: 5, openLastMs: 10 })
    const told: SourceEvent[] = []
    const listen = (event: unknown) => void told.push(event as SourceEvent)
    subscribe(SOURCE_CHANNEL, listen)
    onTestFinished(() => void unsubscribe(SOURCE_CHANNEL, listen))
    source.fails = true
    while (guard.state() === 'lukket') await failureOf(guard.run('front', source.ask, call()))
    const before = source.calls
    const probes = startProbes({
      guards: { roller: guard } as never,
      questions: { roller: source.ask } as never,
      policy: { probeEveryMs: 1, probeDeadlineMs: 5000 },
    })
    onTestFinished(() => probes.close())
    await eventually('it was tried in vain', () => source.calls > before)
    expect(source.inFlightMost).toBe(1)
    told.length = 0
    source.fails = false
    await eventually('it is in use again', () => guard.state() === 'lukket')
    expect(told.filter(({ kind }) => kind === 'answered')).toHaveLength(1)
    // That it was too early to try is nothing to count.
    expect(told.filter(({ kind }) => kind === 'refused')).toEqual([])
    const asked = source.calls
    await guard.probe(source.ask, call())
    expect(source.calls).toBe(asked)
  })

  it('P54: a probe that a ceiling of ours refused has found nothing out', async () => {
    const source = createSource()
    const guard = createGuard('kunngjoringer', { ...quick, openFirstMs: 1, openLastMs: 1 })
    source.fails = true
    while (guard.state() === 'lukket') await failureOf(guard.run('front', source.ask, call()))
    let refused = 0
    const spent = async () => {
      refused += 1
      throw new SourceError('kunngjoringer', 'budsjett_brukt', 'spent')
    }
    await eventually('it is tried', async () => {
      await guard.probe(spent, call())
      return refused > 0
    })
    expect(guard.state()).toBe('apen')
  })

  it('our own ceilings say nothing about it', async () => {
    const guard = createGuard('kunngjoringer', quick)
    for (let count = 0; count < 50; count++) {
      const spent = async () => {
        throw new SourceError('kunngjoringer', 'budsjett_brukt', 'spent')
      }
      await failureOf(guard.run('front', spent, call()))
    }
    expect(guard.state()).toBe('lukket')
  })
})

describe('P12: a source that hangs', () => {
  it('holds its own places and no more, and background work never takes a reader’s', async () => {
    const source = createSource()
    source.hold = Promise.withResolvers()
    const guard = createGuard('regnskap', {
      ...quick,
      frontInFlightMax: 3,
      frontQueueMax: 2,
      backgroundInFlightMax: 1,
      backgroundQueueMax: 0,
    })
    const background = Array.from({ length: 10 }, () =>
      failureOf(guard.run('background', source.ask, call())),
    )
    const front = Array.from({ length: 10 }, () => failureOf(guard.run('front', source.ask, call())))
    await eventually('all places are taken', () => source.inFlight === 4)
    source.hold.resolve()
    const count = (results: string[], word: string) => results.filter((each) => each === word).length
    expect(count(await Promise.all(background), 'answered')).toBe(1)
    expect(count(await Promise.all(front), 'answered')).toBe(5)
    expect(count(await Promise.all(front), 'opptatt')).toBe(5)
    expect(source.inFlightMost).toBe(4)
  })

  it('P61: a reader who has many calls in line leaves a place for another, and then takes turns with them', async () => {
    const source = createSource()
    source.hold = Promise.withResolvers()
    const guard = createGuard('regnskap', { ...quick, frontInFlightMax: 4, frontInFlightForOneMax: 3 })
    const begun: string[] = []
    const ask = (of: string) =>
      guard.run(
        'front',
        () => {
          begun.push(of)
          return source.ask()
        },
        { ...call(), turn: { of, rank: 0 } },
      )
    const all = Array.from({ length: 20 }, () => ask('mange'))
    await eventually('three are asked', () => source.inFlight === 3)
    all.push(ask('en'))
    await eventually('and the other’s one', () => source.inFlight === 4)
    all.push(ask('en'), ask('en'))
    source.hold.resolve()
    await Promise.all(all)
    expect(begun.lastIndexOf('en')).toBeLessThan(10)
  })

  it('P61: a deadline that comes while this process can hear nobody says nothing about the source', async () => {
    const guard = createGuard('regnskap', { ...quick, samplingMs: 10_000, minimumCallsPerSecond: 0.1 })
    const told: SourceEvent[] = []
    const listen = (event: unknown) => void told.push(event as SourceEvent)
    subscribe(SOURCE_CHANNEL, listen)
    try {
      for (let count = 0; count < 6; count++) {
        // Nothing is heard meanwhile.
        const busy = () => {
          for (const begun = performance.now(); performance.now() - begun < 120; ) Math.random()
          return new Promise(() => {})
        }
        const asked = guard.run('front', busy, { signal: AbortSignal.timeout(20) })
        expect(await failureOf(asked)).toBe('opptatt')
      }
      expect(guard.state()).toBe('lukket')
      expect(new Set(told.map(({ kind }) => kind))).toEqual(new Set(['refused']))
    } finally {
      unsubscribe(SOURCE_CHANNEL, listen)
    }
  })

  /** What goes by is what is said here. */
  function ownTime(): { goesBy(ms: number): void } {
    let nowMs = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    onTestFinished(() => clock.mockRestore())
    return {
      goesBy(ms) {
        nowMs += ms
      },
    }
  }

  it.each([
    ['in the line of the guard', { frontInFlightMax: 1 }, false],
    ['in the line for a connection', {}, true],
  ])(
    'P61: attack: what has waited for most of its time %s, and is late in the rest, says nothing about the source',
    async (_, bounds, isInClient) => {
      const time = ownTime()
      const guard = createGuard('sok', {
        ...quick,
        ...bounds,
        samplingMs: 10_000,
        minimumCallsPerSecond: 0.1,
      })
      const told: SourceEvent[] = []
      const listen = (event: unknown) => void told.push(event as SourceEvent)
      subscribe(SOURCE_CHANNEL, listen)
      onTestFinished(() => void unsubscribe(SOURCE_CHANNEL, listen))
      for (let count = 0; count < 6; count++) {
        const before = Promise.withResolvers<void>()
        const place = isInClient ? null : guard.run('front', () => before.promise, call())
        const deadline = new AbortController()
        const late = async ({ noteWait }: SourceCall) => {
          if (isInClient) {
            noteWait?.(true)
            await before.promise
            noteWait?.(false)
          }
          time.goesBy(400)
          deadline.abort()
          throw new SourceError('sok', 'tidsfrist', 'late')
        }
        const failure = failureOf(guard.run('front', late, { signal: deadline.signal }))
        time.goesBy(600)
        before.resolve()
        await place
        expect(await failure).toBe('opptatt')
      }
      expect(guard.state()).toBe('lukket')
      expect(told.filter(({ kind }) => kind === 'failed')).toEqual([])
    },
  )

  it('P61: attack: a call whose time is up in the line for a connection says nothing about the source, and one that was asked does', async () => {
    const time = ownTime()
    const guard = createGuard('sok', quick)
    const timeIsUp = (isWaiting: boolean) => {
      const deadline = new AbortController()
      const silent = ({ noteWait }: SourceCall) => {
        noteWait?.(isWaiting)
        time.goesBy(1000)
        deadline.abort()
        return new Promise(() => {})
      }
      return failureOf(guard.run('front', silent, { signal: deadline.signal }))
    }
    expect(await timeIsUp(true)).toBe('opptatt')
    expect(await timeIsUp(false)).toBe('tidsfrist')
  })

  it('a call that waits for a place gives up with its own deadline', async () => {
    const source = createSource()
    source.hold = Promise.withResolvers()
    const guard = createGuard('regnskap', { ...quick, frontInFlightMax: 1 })
    const first = guard.run('front', source.ask, call())
    const gone = new AbortController()
    const waiting = failureOf(guard.run('front', source.ask, { signal: gone.signal }))
    gone.abort()
    expect(await waiting).toBe('opptatt')
    source.hold.resolve()
    expect(await first).toBe('answer')
    expect(source.calls).toBe(1)
  })
})

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCache } from '#src/cache/cache.ts'
import { ageSeconds } from '#src/cache/entry.ts'
import { AnswerDoubtedError, CompanyErasedError, FillDeadlineError } from '#src/cache/errors.ts'
import { CACHE_CHANNEL, type CacheEvent } from '#src/cache/events.ts'
import { BODY_BYTES_MAX } from '#src/cache/packing.ts'
import {
  createTestClock,
  createTestSource,
  found,
  gate,
  HOUR,
  KEY,
  lasting,
  MINUTE,
  notFound,
  type OneProcess,
  Outage,
  startProcess,
  type TestClock,
  type TestSource,
  untilTrue,
} from './one-process.ts'

let clock: TestClock
let source: TestSource
let one: OneProcess

const get = (more: Parameters<OneProcess['wish']>[1] = {}, key = KEY) =>
  one.cache.getOrFetch(key, one.wish(source, more))
const refresh = (more: Parameters<OneProcess['wish']>[1] = {}) => get({ mode: 'refresh', ...more })

/** How it was served and what it says. */
async function told(serving: ReturnType<typeof get>): Promise<[string, string]> {
  const { how, entry } = await serving
  return [how, entry.body.toString()]
}

/** Until a fill has got as far as the source, for that many times in all. */
const asked = (calls: number) => untilTrue(() => source.calls === calls)

beforeEach(async () => {
  clock = createTestClock()
  source = createTestSource()
  one = await startProcess({ clock })
})
afterEach(() => one.close())

describe('a section that is held', () => {
  it('is fetched once, and served from memory for as long as it is fresh', async () => {
    expect(await get()).toMatchObject({ how: 'miss', isStored: true })
    clock.advance(HOUR - 1)
    expect(await told(get())).toEqual(['memory', 'answer 1'])
    expect(source.calls).toBe(1)
    expect(one.stale).toEqual([])
  })

  it('P144: is given to who waits for it before it is packed, and to whoever comes next at once', async () => {
    const { entry } = await get()
    expect(one.memory.brought(KEY.company, KEY.section)).toBe(entry)
    const all = new Map([[KEY.section, entry]])
    expect(one.cache.isCurrent(KEY.company, all)).toBe(true)
    expect(one.memory.brought(KEY.company, KEY.section)).toBe(entry)
    expect(await told(get())).toEqual(['memory', 'answer 1'])
    expect(source.calls).toBe(1)
    expect(one.cache.isCurrent(KEY.company, all)).toBe(true)
  })

  it('P144: is packed as soon as nothing more of its company is on its way', async () => {
    const slow = gate()
    source.answers((_signal, call) =>
      call === 1 ? slow.promise.then(() => found('answer 1')) : found('answer 2'),
    )
    const other = get({}, { ...KEY, section: 'roller' })
    await asked(1)
    const { entry } = await get()
    expect(one.memory.brought(KEY.company, KEY.section)).toBe(entry)
    slow.open()
    await other
    await untilTrue(() => one.memory.brought(KEY.company, 'roller') === null)
    expect(one.memory.read(KEY.company)?.size).toBe(2)
  })

  it('P144: is what it was given as no longer when something happened to the company meanwhile', async () => {
    const { entry } = await get()
    await one.cache.invalidate(KEY.company)
    expect(one.cache.isCurrent(KEY.company, new Map([[KEY.section, entry]]))).toBe(false)
  })

  it('is served stale at once, with one refresh asked for, while the source is not asked', async () => {
    await get()
    clock.advance(HOUR)
    const served = await Promise.all(Array.from({ length: 100 }, () => told(get())))
    expect(new Set(served.map(String))).toEqual(new Set(['stale,answer 1']))
    expect(source.calls).toBe(1)
    expect(one.stale).toEqual([{ key: KEY, isShared: false }])
    clock.advance(2000)
    await get()
    expect(one.stale).toHaveLength(2)
  })

  it('is fetched again when it is past its stale time', async () => {
    await get()
    clock.advance(25 * HOUR)
    expect(await told(get())).toEqual(['miss', 'answer 2'])
  })

  it('is fetched again when the source is wished for, and is then the newer one for all', async () => {
    await get()
    expect(await told(refresh())).toEqual(['miss', 'answer 2'])
    expect(await told(get())).toEqual(['memory', 'answer 2'])
  })

  it('is read with the other sections of its company, without asking a source', async () => {
    await get()
    await get({}, { ...KEY, section: 'roller' })
    clock.advance(2 * HOUR)
    const entries = await one.cache.read(KEY.company)
    expect([...entries].map(([section, { body }]) => [section, body.toString()])).toEqual([
      ['enhet', 'answer 1'],
      ['roller', 'answer 2'],
    ])
    clock.advance(24 * HOUR)
    expect((await one.cache.read(KEY.company)).size).toBe(0)
    expect(source.calls).toBe(2)
  })

  it('is current until something of it changes', async () => {
    await get()
    const entries = await one.cache.read(KEY.company)
    expect(one.cache.isCurrent(KEY.company, entries)).toBe(true)
    clock.advance(1)
    await refresh()
    expect(one.cache.isCurrent(KEY.company, entries)).toBe(false)
    const again = await one.cache.read(KEY.company)
    await one.cache.invalidate(KEY.company)
    expect(one.cache.isCurrent(KEY.company, again)).toBe(false)
    expect(one.cache.isCurrent('901012122', new Map())).toBe(false)
  })

  it('tells of every change, so that what was made of it can be dropped', async () => {
    const company = { company: KEY.company }
    await get()
    expect(one.changes).toEqual([company])
    await get()
    expect(one.changes).toEqual([company])
    await one.cache.invalidate(KEY.company)
    await one.cache.purge(KEY.company, { hard: true })
    await one.cache.purgeAll({ hard: false, prefix: 'sok-' })
    await one.cache.erase(KEY.company)
    expect(one.changes).toEqual([company, company, company, { prefix: 'sok-' }, company])
  })
})

describe('a fill', () => {
  it('P7: is one for a thousand who ask at once, and each is told how it came', async () => {
    const answer = gate<void>()
    source.answers(async (_signal, call) => {
      await answer.promise
      return found(`answer ${call}`)
    })
    const waiting = Array.from({ length: 1000 }, () => told(get()))
    await asked(1)
    answer.open()
    const served = await Promise.all(waiting)
    expect(source.calls).toBe(1)
    expect(served.filter(([how]) => how === 'miss')).toHaveLength(1)
    expect(served.filter(([how]) => how === 'collapsed')).toHaveLength(999)
  })

  it('P7: is not ended by a client that goes away, and its answer is kept', async () => {
    const answer = gate<void>()
    let fillSignal: AbortSignal | undefined
    source.answers(async (signal, call) => {
      fillSignal = signal
      await answer.promise
      return found(`answer ${call}`)
    })
    const leaving = new AbortController()
    const left = get({ signal: leaving.signal })
    const stayed = get()
    await asked(1)
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    expect(fillSignal?.aborted).toBe(false)
    answer.open()
    expect(await told(stayed)).toEqual(['collapsed', 'answer 1'])
    expect(await told(get())).toEqual(['memory', 'answer 1'])
  })

  it('that failed is nobody else’s failure', async () => {
    source.answers((_signal, call) => {
      if (call === 1) throw new Outage()
      return found('good')
    })
    await expect(get()).rejects.toBeInstanceOf(Outage)
    expect(await told(get())).toEqual(['miss', 'good'])
  })

  it('ends with its own deadline, not with that of who began it', async () => {
    source.answers(() => new Promise(() => {}))
    await expect(get({ deadlineMs: 1 })).rejects.toBeInstanceOf(FillDeadlineError)
  })

  it('whose answer is never to be kept keeps nothing', async () => {
    expect(await get({ lifetimeOf: () => null })).toMatchObject({ how: 'miss', isStored: false })
    expect(await told(get())).toEqual(['miss', 'answer 2'])
  })

  it('whose answer is too large to keep serves it all the same', async () => {
    source.answers(() => ({ state: 'found', body: Buffer.alloc(BODY_BYTES_MAX + 1) }))
    expect(await get()).toMatchObject({ how: 'miss', isStored: false })
    expect(one.events).toContainEqual({ kind: 'refused', tier: 'memory', section: 'enhet', why: 'too-large' })
    expect(one.cache.stats().memory.companies).toBe(0)
  })

  it('asks only for names that can be kept apart', async () => {
    for (const key of [
      { company: '90101212', section: 'enhet' },
      { company: '901012121*', section: 'enhet' },
      { company: '901012121', section: '!x' },
      { company: 'sok-', section: 'sok' },
    ]) {
      await expect(get({}, key)).rejects.toBeInstanceOf(TypeError)
    }
    await expect(one.cache.purgeAll({ hard: true, prefix: '*' })).rejects.toBeInstanceOf(TypeError)
    expect(await told(get({}, { company: 'sok-Zm9v_-1', section: 'sok' }))).toEqual(['miss', 'answer 1'])
  })
})

describe('when the source fails', () => {
  const failures: [string, (signal: AbortSignal) => Promise<never>][] = [
    ['is away', () => Promise.reject(new Outage())],
    ['hangs beyond the deadline', () => new Promise(() => {})],
    [
      'is ended by the deadline',
      (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('some error of the HTTP client')))
        }),
    ],
  ]

  it.each(failures)('P8: and %s, the stale copy is served, with its true age', async (_name, fail) => {
    await get()
    clock.advance(3 * HOUR)
    source.answers(fail)
    const served = await refresh({ deadlineMs: 5 })
    expect(served.how).toBe('stale-if-error')
    expect(served.entry.body.toString()).toBe('answer 1')
    expect(ageSeconds(served.entry, clock.now().getTime())).toBe(3 * 3600)
    expect(one.events.filter(({ kind }) => kind === 'stored')).toHaveLength(1)
  })

  it('P8: and the reader’s own deadline comes first, the stale copy is served', async () => {
    await get()
    clock.advance(3 * HOUR)
    source.answers(() => new Promise(() => {}))
    expect(await told(refresh({ signal: AbortSignal.timeout(5) }))).toEqual(['stale-if-error', 'answer 1'])
  })

  it('P13: attack: nobody waits for what is about to fail again, nor for who asks, and what is held is served as ever', async () => {
    const resting = {
      heedRest() {
        throw new Outage('again')
      },
    }
    const asking = Promise.withResolvers<never>()
    source.answers(() => asking.promise)
    get().catch(() => {})
    await asked(1)
    await expect(get(resting)).rejects.toThrow('again')
    await expect(get(resting, { ...KEY, section: 'roller' })).rejects.toThrow('again')
    expect(source.calls).toBe(1)
    // Whoever wants the source asked joins who asks.
    const joined = told(refresh(resting))
    asking.reject(new Outage('late'))
    await expect(joined).rejects.toThrow('late')
    source.answers(() => found('answer 2'))
    await get()
    expect(await told(get(resting))).toEqual(['memory', 'answer 2'])
    clock.advance(2 * HOUR)
    expect(await told(get(resting))).toEqual(['stale', 'answer 2'])
  })

  it('P8: a copy past its stale time is not served', async () => {
    await get()
    clock.advance(25 * HOUR)
    source.answers(() => Promise.reject(new Outage()))
    await expect(refresh()).rejects.toBeInstanceOf(Outage)
  })

  it('P8: what is no outage is not covered up', async () => {
    await get()
    source.answers(() => Promise.reject(new Error('a bug of ours')))
    await expect(refresh()).rejects.toThrow('a bug of ours')
  })

  it('P9: an answer that was not believed stores nothing and the good copy stays', async () => {
    await get()
    // What the caller's fetch does with HTML, cut-off JSON, a wrong shape or another company.
    source.answers(() => Promise.reject(new Outage('not believed')))
    expect(await told(refresh())).toEqual(['stale-if-error', 'answer 1'])
    expect(await told(get())).toEqual(['memory', 'answer 1'])
    expect((await one.cache.read(KEY.company)).get('enhet')?.body.toString()).toBe('answer 1')
  })
})

describe('what is not found', () => {
  it('P10: is an answer, replaces the copy, and is served for at most five minutes and never stale', async () => {
    await get()
    source.answers(() => notFound)
    expect((await refresh()).entry.state).toBe('absent')
    expect(await get()).toMatchObject({ how: 'memory', entry: { state: 'absent' } })
    clock.advance(5 * MINUTE)
    source.answers(() => Promise.reject(new Outage()))
    await expect(get()).rejects.toBeInstanceOf(Outage)
    expect(one.stale).toEqual([])
    expect((await one.cache.read(KEY.company)).size).toBe(0)
  })

  it('P10: is not served after an invalidation either', async () => {
    source.answers(() => notFound)
    await get()
    await one.cache.invalidate(KEY.company)
    source.answers(() => found('registered now'))
    expect(await told(get())).toEqual(['miss', 'registered now'])
  })

  it('P10: does not replace a good copy when the caller takes it for a fault of the source', async () => {
    await get()
    clock.advance(2 * HOUR)
    source.answers(() => notFound)
    const inStorm = { mayReplace: (old: { state: string }) => old.state !== 'found' }
    const served = await refresh(inStorm)
    expect(served).toMatchObject({ how: 'stale-if-error', error: expect.any(AnswerDoubtedError) })
    expect(served.entry.body.toString()).toBe('answer 1')
    expect(await told(get())).toEqual(['stale', 'answer 1'])
    expect(one.events).toContainEqual({ kind: 'refused', tier: 'memory', section: 'enhet', why: 'doubted' })
  })

  it('P10: is an outage, not an answer, when it is doubted and the copy is too old to be served', async () => {
    const kept = { lifetimeOf: () => ({ ...lasting, keepMs: 24 * HOUR }) }
    await get(kept)
    clock.advance(30 * HOUR)
    source.answers(() => notFound)
    await expect(get({ ...kept, mayReplace: () => false })).rejects.toBeInstanceOf(AnswerDoubtedError)
  })
})

describe('an erasure', () => {
  const erase = () => {
    one.erased.add(KEY.company)
    return one.cache.erase(KEY.company)
  }

  it('P11: nothing of the company is served, fetched or read any more', async () => {
    await get()
    await erase()
    await expect(get()).rejects.toBeInstanceOf(CompanyErasedError)
    await expect(refresh()).rejects.toBeInstanceOf(CompanyErasedError)
    await expect(one.cache.read(KEY.company)).rejects.toBeInstanceOf(CompanyErasedError)
    expect(source.calls).toBe(1)
    expect(one.memory.read(KEY.company)).toBeNull()
  })

  it('P11: a fill that began before is given to nobody and not kept', async () => {
    const answer = gate<void>()
    source.answers(async () => {
      await answer.promise
      return found('Kari Nordmann')
    })
    const waiting = get()
    await asked(1)
    await erase()
    answer.open()
    await expect(waiting).rejects.toBeInstanceOf(CompanyErasedError)
    expect(one.memory.read(KEY.company)).toBeNull()
    expect(one.events.filter(({ kind }) => kind === 'stored')).toEqual([])
  })

  it('P11: stale-if-error does not revive it', async () => {
    await get()
    clock.advance(2 * HOUR)
    const failing = gate<never>()
    source.answers(() => failing.promise)
    const waiting = refresh()
    await asked(2)
    await erase()
    failing.fail(new Outage())
    await expect(waiting).rejects.toBeInstanceOf(CompanyErasedError)
  })
})

describe('purge and invalidation', () => {
  it('soft: the copy is stale from now on and a refresh is asked for', async () => {
    await get()
    expect(await one.cache.invalidate(KEY.company)).toBe(true)
    expect(await told(get())).toEqual(['stale', 'answer 1'])
    expect(one.stale).toHaveLength(1)
  })

  it('hard: the copy is gone', async () => {
    await get()
    expect(await one.cache.purge(KEY.company, { hard: true })).toBe(true)
    expect(await told(get())).toEqual(['miss', 'answer 2'])
  })

  it('of one section leaves the others', async () => {
    const roller = { ...KEY, section: 'roller' }
    await get()
    await get({}, roller)
    await one.cache.invalidate(KEY.company, ['roller'])
    expect((await get()).how).toBe('memory')
    expect((await get({}, roller)).how).toBe('stale')
  })

  it('of everything, or of one section of everything', async () => {
    const other = { company: '901023239', section: 'roller' }
    await get()
    await get({}, other)
    await one.cache.purgeAll({ hard: false, sections: ['roller'] })
    expect((await get()).how).toBe('memory')
    expect((await get({}, other)).how).toBe('stale')
    await one.cache.purgeAll({ hard: true })
    expect((await get()).how).toBe('miss')
  })

  it('costs nothing and says so for a company that nobody has', async () => {
    expect(await one.cache.invalidate('901023239')).toBe(false)
    expect(one.cache.stats().memory.companies).toBe(0)
  })

  it('P17: a fill that began before an invalidation is not kept, and not joined by who comes after', async () => {
    const before = gate<void>()
    source.answers(async (_signal, call) => {
      if (call === 1) await before.promise
      return found(`answer ${call}`)
    })
    const early = told(get())
    await asked(1)
    await one.cache.invalidate(KEY.company)
    expect(await told(get())).toEqual(['miss', 'answer 2'])
    before.open()
    expect(await early).toEqual(['miss', 'answer 1'])
    expect(await told(get())).toEqual(['memory', 'answer 2'])
  })
})

describe('events', () => {
  it('are told on a diagnostics channel, and name no company', async () => {
    const events: CacheEvent[] = []
    const listen = (event: unknown) => void events.push(event as CacheEvent)
    subscribe(CACHE_CHANNEL, listen)
    const cache = createCache({
      memory: one.memory,
      redis: null,
      bus: null,
      schemaVersion: 3,
      policy: {
        leasePollMs: 10,
        fillsMax: 10,
        trustAloneMs: null,
        futureToleranceMs: 10_000,
        emptiedEveryMs: 1000,
        refillPerSecond: 1000,
        refillWaitingMax: 1000,
        staleNoticeMs: 1000,
      },
      tombstones: { isErased: () => false, learned: () => {} },
      isOutage: () => true,
    })
    await cache.getOrFetch(KEY, one.wish(source))
    await cache.getOrFetch(KEY, one.wish(source))
    unsubscribe(CACHE_CHANNEL, listen)
    expect(events.map(({ kind }) => kind)).toEqual(['miss', 'fetched', 'stored', 'hit'])
    expect(JSON.stringify(events)).not.toContain(KEY.company)
  })
})

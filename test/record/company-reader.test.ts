import { beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createAnswers } from '#src/cache/answers.ts'
import { createCache } from '#src/cache/cache.ts'
import type { Key } from '#src/cache/key.ts'
import { createMemoryTier } from '#src/cache/memory-tier.ts'
import { askedBy, ownLine } from '#src/core/asker.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { createTurns } from '#src/core/turns.ts'
import type { Assembled } from '#src/record/assembled.ts'
import { createCompanyReader } from '#src/record/company-reader.ts'
import { fields } from '#src/record/fields.ts'
import type { ForcedRefresh } from '#src/record/forced-refresh.ts'
import { industryCodes } from '#src/record/industry-codes.ts'
import { type Archive, createCachedSources, type Sources } from '#src/record/read.ts'
import { createSharedRecords } from '#src/record/shared-records.ts'
import type { Guard } from '#src/sources/guard.ts'
import {
  companySources,
  type KeptSource,
  type RegisterSource,
  registerSources,
  sourceOf,
} from '#src/sources/index.ts'
import { type Answer, SourceError } from '#src/sources/source.ts'
import { createTestClock, MINUTE_MS, type TestClock } from '../support/clock.ts'
import { auditedBy } from '../support/doomed-company.ts'
import { eventually } from '../support/eventually.ts'
import { inventNumbers } from '../support/invented-companies.ts'
import { turnsMeanwhile } from '../support/turns-meanwhile.ts'
import { addresses, enhet, personIds } from './parts.ts'

/** Those that are asked at once about a main unit. */
const SOURCES = companySources.filter(
  (name) => name !== 'underenhet' && sourceOf(name).askedWhen === null,
).length

const ORGNR = parseOrganisasjonsnummer('923609016')
const PARENT = parseOrganisasjonsnummer('974760673')
const SUB_UNIT = parseOrganisasjonsnummer('973160834')

const codes = industryCodes(
  { loadedAt: new Date(), correspondences: [], sn2025Codes: [], sn2007Codes: [] },
  true,
)

/** Small, so that a few fill them. */
const readings = { atOnce: 4, forOneMax: 3, waitingMax: 20, waitMs: 30_000 }
const manyNumbers = inventNumbers(30)

/** What a source does when it is asked about a company. */
type Ask = (orgnr: string) => Answer<unknown> | Promise<Answer<unknown>>

let clock: TestClock
let reader: ReturnType<typeof createReader>

/** The reader over a cache of memory alone and sources that do as they are told. */
function createReader({ deadlineMs = 100, isTrusted = (_: number): boolean => true } = {}) {
  const erased = new Map<string, string | null>()
  const stale: Key[] = []
  const does = new Map<string, Ask>()
  const calls: string[] = []
  let forced: ForcedRefresh = 'gitt'
  let takes = (_orgnr: string) => true
  const fetchedAt = () => clock.now()
  const found = (value: unknown): Answer<unknown> => ({
    outcome: 'found',
    value,
    avvik: [],
    fetchedAt: fetchedAt(),
  })

  function ask(source: RegisterSource) {
    return async (about: unknown) => {
      const orgnr = String(about)
      calls.push(`${source} ${orgnr}`)
      const answer = does.get(source)
      if (answer !== undefined) return answer(orgnr)
      if (source === 'enhet' && orgnr !== SUB_UNIT) return found(enhet({ organisasjonsnummer: orgnr }))
      return { outcome: 'absent', fetchedAt: fetchedAt() } as const
    }
  }
  let edition = 1
  const nothingImported = async () => found(null) as Answer<never>
  const archive: Archive = {
    isEmpty: () => true,
    edition: () => edition,
    aksjonaerer: nothingImported,
    eierskap: nothingImported,
    showShares: (kept) => kept as never,
    showOwnership: (kept) => kept as never,
  }
  const through: Pick<Guard, 'calling' | 'heedRest' | 'noteLate'> = {
    heedRest() {},
    noteLate() {},
    calling: (_lane, ask, subject, of) => (signal) => ask(subject, { signal, ...of }),
  }
  const guards = Object.fromEntries(registerSources.map((name) => [name, through])) as Record<
    KeptSource,
    Guard
  >
  const tombstones = {
    isErased: (orgnr: string) => erased.has(orgnr),
    slettedatoOf: (orgnr: string) => erased.get(orgnr) ?? null,
    asWord: () => [...erased.keys()].join(),
    learned: () => {},
  }
  const answers = createAnswers<Assembled>({
    bytesMax: 1e6,
    answerBytesMax: 1e6,
    isTrusted,
    now: () => clock.now().getTime(),
  })
  const cache = createCache({
    memory: createMemoryTier({ bytesMax: 1e6, companyBytesMax: 1e5, isErased: tombstones.isErased }),
    redis: null,
    bus: null,
    schemaVersion: 1,
    policy: { ...policy.cache, trustAloneMs: null },
    tombstones,
    isOutage: (error) => error instanceof SourceError,
    clock,
  })
  cache.onStale((key) => stale.push(key))
  cache.onChange(answers.drop)
  const cached = createCachedSources({
    cache,
    sources: Object.fromEntries(registerSources.map((name) => [name, ask(name)])) as unknown as Sources,
    archive,
    guards,
    clock,
    lifetimes: () => ({}),
    policy: { ...policy, fillDeadlineMs: 5000 },
    isErased: tombstones.isErased,
    onRemoved: (orgnr, slettedato) => void erased.set(orgnr, slettedato),
  })
  const made = createCompanyReader({
    cache,
    answers,
    cached,
    tombstones,
    hidden: () => '',
    refreshes: { turn: async () => forced, take: async (orgnr) => takes(orgnr) },
    industryCodes: () => codes,
    addresses,
    personIds: () => personIds,
    sharedRecords: createSharedRecords({
      cache,
      answers,
      madeUnder: () => null,
      clock,
      policy: policy.cache,
    }),
    clock,
    deadlineMs,
    onFault: (_, error) => expect.unreachable(String(error)),
    policy: { ...policy.cache, readings },
  })
  return {
    ...made,
    cache,
    answers,
    calls,
    stale,
    found,
    erase(orgnr: string) {
      erased.set(orgnr, '2026-11-01')
      return cache.erase(orgnr)
    },
    importYear: () => {
      edition += 1
    },
    does: (source: RegisterSource, what: Ask) => void does.set(source, what),
    forceIs: (what: ForcedRefresh) => {
      forced = what
    },
    /** Told of each that is taken. */
    taking: (isTaken: typeof takes) => {
      takes = isTaken
    },
    /** The source answers when the gate is opened. */
    holds(source: RegisterSource, what: Ask) {
      const gate = Promise.withResolvers<void>()
      const asked = Promise.withResolvers<void>()
      does.set(source, async (orgnr) => {
        asked.resolve()
        await gate.promise
        return what(orgnr)
      })
      return { open: () => gate.resolve(), asked: asked.promise }
    },
  }
}

const read = (orgnr = ORGNR, caller = 'leser') => reader.read(orgnr, { fersk: false, caller })
const force = (orgnr = ORGNR) => reader.read(orgnr, { fersk: true, caller: 'leser' })
const fails = (status: number) => () => {
  throw new SourceError('roller', 'feilstatus', 'failed', { status })
}

beforeEach(() => {
  clock = createTestClock()
  reader = createReader()
})

describe('reading a company', () => {
  it('is put together once, and then as it is held', async () => {
    expect(reader.held(ORGNR)).toBeNull()
    const first = await read()
    expect(first).toMatchObject({ outcome: 'record', came: { by: 'miss', isStored: true }, forced: null })
    expect(reader.calls).toHaveLength(SOURCES)
    const again = await read()
    expect(again).toMatchObject({ outcome: 'record', came: { by: 'hit', tier: 'answers' } })
    expect(first.outcome === 'record' && reader.held(ORGNR) === first.answer).toBe(true)
    expect(reader.calls).toHaveLength(SOURCES)
  })

  it('P17: attack: what is put together again of copies that were last heard of earlier is believed for no longer than they are', async () => {
    let believedFrom = 0
    reader = createReader({ isTrusted: (time) => time >= believedFrom })
    await read()
    clock.advance(1000)
    believedFrom = clock.now().getTime()
    clock.advance(1000)
    expect(reader.held(ORGNR)).toBeNull()
    expect(await read()).toMatchObject({ outcome: 'record', came: { by: 'hit', tier: 'memory' } })
    expect(reader.held(ORGNR)).toBeNull()
    believedFrom = 0
    expect(reader.held(ORGNR)).not.toBeNull()
  })

  it('P7: many at once are one reading', async () => {
    const readings = await Promise.all(Array.from({ length: 100 }, () => read()))
    expect(reader.calls).toHaveLength(SOURCES)
    const ways = readings.map((each) => each.outcome === 'record' && each.came.by)
    expect(ways.filter((way) => way === 'miss')).toHaveLength(1)
    expect(ways.filter((way) => way === 'collapsed')).toHaveLength(99)
  })

  it('P174: a long record that many want cut, each otherwise, is cut in turns that others have a part in', async () => {
    const first = await read()
    if (first.outcome !== 'record') return expect.unreachable()
    const long = { ...JSON.parse(first.answer.bytes.toString()), kapital: Array(20_000).fill({ a: 'b' }) }
    const answer = { ...first.answer, bytes: Buffer.from(JSON.stringify(long)) }
    const heldBytes = answer.bytes.length
    expect(reader.answers.put(ORGNR, answer, { heldBytes })).not.toBe(false)
    const others = fields.filter((field) => field !== 'kapital' && field !== 'navn')
    const cut = others.flatMap((one, at) => others.slice(at + 1, at + 2).map((other) => [one, other]))
    let told: unknown[] = []
    const turns = await turnsMeanwhile(async () => {
      told = await Promise.all(
        cut.map((wanted) => reader.readPart(ORGNR, wanted, { fersk: false, caller: 'leser' })),
      )
    })
    expect(told).toHaveLength(cut.length)
    expect(told.map((each) => (each as { outcome: string }).outcome)).toEqual(cut.map(() => 'record'))
    expect(turns).toBeGreaterThan(3)
  })

  it('P148: attack: what was cut of what is held, and is held with it, takes no more memory than it is long', async () => {
    await read()
    const cut = () => reader.readPart(ORGNR, ['navn'], { fersk: false, caller: 'leser' })
    const [first, again] = [await cut(), await cut()]
    if (first.outcome !== 'record' || again.outcome !== 'record') return expect.unreachable()
    expect(again.answer).toBe(first.answer)
    expect(first.answer.bytes.buffer.byteLength).toBe(first.answer.bytes.length)
  })

  it('P61: whoever asks for many companies that nobody holds leaves a place for another', async () => {
    const gate = Promise.withResolvers<void>()
    reader.does('roller', async (orgnr) => {
      if (orgnr !== ORGNR) await gate.promise
      return { outcome: 'absent', fetchedAt: clock.now() }
    })
    const many = manyNumbers.slice(0, 20).map((orgnr) => read(orgnr, 'mange'))
    const asked = () => new Set(reader.calls.map((call) => call.split(' ')[1])).size
    await eventually('some are asked for', () => asked() === readings.forOneMax)
    expect((await read(ORGNR, 'en')).outcome).toBe('record')
    expect(asked()).toBe(readings.forOneMax + 1)
    gate.resolve()
    expect((await Promise.all(many)).map(({ outcome }) => outcome)).toEqual(Array(20).fill('record'))
  })

  it('P61: what is held is answered at once, and so is who asks for what another waits for and is earlier', async () => {
    const gate = Promise.withResolvers<void>()
    await read(PARENT)
    reader.does('roller', async (orgnr) => {
      if (orgnr !== ORGNR) await gate.promise
      return { outcome: 'absent', fetchedAt: clock.now() }
    })
    const many = [...manyNumbers.slice(0, 10), ORGNR].map((orgnr) => read(orgnr, 'mange'))
    expect(await read(PARENT, 'mange')).toMatchObject({ came: { by: 'hit' } })
    await reader.cache.invalidate(PARENT, ['roller'])
    expect(await read(PARENT, 'mange')).toMatchObject({ outcome: 'record' })
    expect(await read(ORGNR, 'en')).toMatchObject({ outcome: 'record', came: { by: 'miss' } })
    gate.resolve()
    expect(await Promise.all(many)).toHaveLength(11)
  })

  it('P54: attack: who asks for the same once more is in line as long as that is, and no longer', async () => {
    reader = createReader({ deadlineMs: 60_000 })
    const [others, own] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    reader.does('roller', async (orgnr) => {
      await (orgnr === ORGNR ? own : others).promise
      return { outcome: 'absent', fetchedAt: clock.now() }
    })
    const asked = (orgnr: string) =>
      askedBy('en', () => ({ line: ownLine(), done: read(orgnr as typeof ORGNR, 'en') }))
    const taken = manyNumbers.slice(0, readings.forOneMax).map(asked)
    const [first, again] = [asked(ORGNR), asked(ORGNR)]
    await eventually('it waits', () => reader.waiting() === 1 && again.line.ms() > 0)
    others.resolve()
    await eventually('it has its turn', () => reader.calls.includes(`roller ${ORGNR}`))
    const [inLineMs, atMs] = [first.line.ms(), performance.now()]
    await eventually('it is later', () => performance.now() > atMs + 2)
    expect(again.line.ms()).toBe(inLineMs)
    own.resolve()
    await Promise.all([...taken, first, again].map(({ done }) => done))
    expect([first, again].map(({ line }) => line.ms())).toEqual([inLineMs, inLineMs])
  })

  it('P54: attack: who asks once more for what is being read is in line as long as a source’s answer is, of a part too; another is in none', async () => {
    reader = createReader({ deadlineMs: 60_000 })
    const [before, own] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const atSource = createTurns({ atOnce: 1, waitingMax: 1 })
    reader.does('roller', (orgnr) =>
      atSource.run({ of: 'en', rank: 0 }, async () => {
        reader.calls.push(`answers ${orgnr}`)
        await (orgnr === ORGNR ? own : before).promise
        return { outcome: 'absent', fetchedAt: clock.now() }
      }),
    )
    const asks = (of: string, ask: () => Promise<unknown>) =>
      askedBy(of, () => ({ line: ownLine(), done: ask() }))
    const taken = asks('en', () => read(PARENT, 'en'))
    await eventually('the place is taken', () => reader.calls.includes(`answers ${PARENT}`))
    const first = asks('en', () => read(ORGNR, 'en'))
    await eventually('it is in line', () => first.line.ms() > 0)
    const again = [
      asks('en', () => read(ORGNR, 'en')),
      asks('en', () => reader.readPart(ORGNR, ['roller'], { fersk: false, caller: 'en' })),
    ]
    const other = asks('to', () => read(ORGNR, 'to'))
    await eventually('they are', () => again.every(({ line }) => line.ms() > 0))
    before.resolve()
    await eventually('the source answers', () => reader.calls.includes(`answers ${ORGNR}`))
    const inLineMs = again.map(({ line }) => line.ms())
    const atMs = performance.now()
    await eventually('it is later', () => performance.now() > atMs + 2)
    own.resolve()
    await Promise.all([taken, first, ...again, other].map(({ done }) => done))
    expect(again.map(({ line }) => line.ms())).toEqual(inLineMs)
    expect(other.line.ms()).toBe(0)
  })

  it('P61: the line is bounded, and it is whoever has the most in it who is told so', async () => {
    const gate = Promise.withResolvers<void>()
    reader.does('roller', async () => {
      await gate.promise
      return { outcome: 'absent', fetchedAt: clock.now() }
    })
    const many = manyNumbers.map((orgnr) => read(orgnr, 'mange'))
    const single = [read(ORGNR, 'en'), read(PARENT, 'to')]
    expect(await many.at(-1)).toEqual({ outcome: 'crowded', isOwn: true, forced: null })
    gate.resolve()
    for (const each of single) expect((await each).outcome).toBe('record')
    const outcomes = (await Promise.all(many)).map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'record').length).toBeGreaterThanOrEqual(20)
  })

  it('P2: an answer in part is not kept, unless what is missing was switched off', async () => {
    reader.does('roller', fails(500))
    expect(await read()).toMatchObject({ came: { by: 'miss', isStored: false } })
    expect(reader.held(ORGNR)).toBeNull()
    reader.does('roller', () => {
      throw new SourceError('roller', 'avslatt', 'switched off')
    })
    expect((await read()).outcome).toBe('record')
    expect(reader.held(ORGNR)).not.toBeNull()
  })

  it('P3: unknown, and not to be had, are two things', async () => {
    reader.does('enhet', () => ({ outcome: 'absent', fetchedAt: clock.now() }))
    expect(await read()).toEqual({ outcome: 'unknown', forced: null })
    reader = createReader()
    reader.does('enhet', fails(503))
    expect(await read()).toMatchObject({ outcome: 'unavailable' })
  })

  it('what changed while it was put together is not kept', async () => {
    const roller = reader.holds('roller', () => ({ outcome: 'absent', fetchedAt: clock.now() }))
    const reading = read()
    await roller.asked
    await reader.cache.invalidate(ORGNR, ['enhet'])
    roller.open()
    expect(await reading).toMatchObject({ outcome: 'record', came: { isStored: false } })
    expect(reader.held(ORGNR)).toBeNull()
  })

  it('what was said of the archive while a year came is not kept', async () => {
    const roller = reader.holds('roller', () => ({ outcome: 'absent', fetchedAt: clock.now() }))
    const reading = read()
    await roller.asked
    reader.importYear()
    roller.open()
    expect(await reading).toMatchObject({ outcome: 'record', came: { isStored: false } })
    expect(reader.held(ORGNR)).toBeNull()
    await read()
    expect(reader.held(ORGNR)).not.toBeNull()
  })
})

describe('a stale part', () => {
  it('is shown as such, reported once, and looked at again after a few seconds', async () => {
    await read()
    clock.advance(1000)
    await reader.cache.invalidate(ORGNR, ['enhet'])
    const reading = await read()
    expect(reading).toMatchObject({ came: { by: 'hit', tier: 'memory' }, answer: { isStale: true } })
    expect(reader.stale).toEqual([{ company: ORGNR, section: 'enhet' }])
    expect(reader.held(ORGNR)).not.toBeNull()
    clock.advance(policy.cache.lookAgainMs)
    expect(reader.held(ORGNR)).toBeNull()
  })

  it('P61: attack: a company is kept from nobody by one who forces it and waits in a line of their own', async () => {
    const gate = Promise.withResolvers<void>()
    await read()
    reader.does('roller', async (orgnr) => {
      if (orgnr !== ORGNR) await gate.promise
      return { outcome: 'absent', fetchedAt: clock.now() }
    })
    const taken: string[] = []
    reader.taking((orgnr) => {
      const isFirst = !taken.includes(orgnr)
      taken.push(orgnr)
      return isFirst
    })
    const many = manyNumbers.slice(0, 10).map((orgnr) => read(orgnr, 'mange'))
    await eventually('they have all their places', () => reader.waiting() > 0)
    const waiting = reader.read(ORGNR, { fersk: true, caller: 'mange' })
    // Another's turn comes, and it is theirs.
    const another = await reader.read(ORGNR, { fersk: true, caller: 'en' })
    expect(another).toMatchObject({ came: { by: 'forced' }, forced: 'gitt' })
    gate.resolve()
    expect(await waiting).toMatchObject({ outcome: 'record', came: { by: 'hit' }, forced: 'nylig' })
    await Promise.all(many)
  })

  it('P61: who forces a company and has no turn for it is given the copy at hand', async () => {
    const gate = Promise.withResolvers<void>()
    await read()
    reader.does('roller', async (orgnr) => {
      if (orgnr !== ORGNR) await gate.promise
      return { outcome: 'absent', fetchedAt: clock.now() }
    })
    const many = manyNumbers.slice(0, 23).map((orgnr) => read(orgnr, 'mange'))
    await eventually('the line is full', () => reader.waiting() === readings.waitingMax)
    expect(await reader.read(ORGNR, { fersk: true, caller: 'mange' })).toMatchObject({
      outcome: 'record',
      came: { by: 'hit' },
      forced: 'budsjett',
    })
    gate.resolve()
    await Promise.all(many)
  })

  it('a forced refresh that fails is covered by the copy at hand, and says with what status', async () => {
    await read()
    reader.does('roller', fails(503))
    expect(await force()).toMatchObject({
      outcome: 'record',
      came: { by: 'stale-if-error', status: 503 },
      forced: 'gitt',
    })
  })

  it('P8: a forced refresh that gets no answer in time is covered as well', async () => {
    await read()
    const held = reader.holds('enhet', () => reader.found(enhet()))
    expect(await force()).toMatchObject({ outcome: 'record', came: { by: 'stale-if-error', status: null } })
    held.open()
  })

  it('a forced refresh that is refused is an ordinary reading, and says why', async () => {
    await read()
    reader.forceIs('budsjett')
    expect(await force()).toMatchObject({ came: { by: 'hit' }, forced: 'budsjett' })
    expect(reader.calls).toHaveLength(SOURCES)
    reader.forceIs('gitt')
    clock.advance(1)
    expect(await force()).toMatchObject({ came: { by: 'forced', isStored: true }, forced: 'gitt' })
    expect(reader.calls).toHaveLength(2 * SOURCES)
  })
})

describe('P11: a removed company', () => {
  it('is removed from the moment it is known, with nothing left at hand', async () => {
    await read()
    await reader.erase(ORGNR)
    expect(reader.held(ORGNR)).toBeNull()
    expect(reader.answers.get(ORGNR)).toBeNull()
    for (const reading of [await read(), await force()])
      expect(reading).toEqual({ outcome: 'removed', slettedato: '2026-11-01', forced: null })
    expect(reader.calls).toHaveLength(SOURCES)
  })

  it('is removed for who reads it at that moment, and at once for who comes then', async () => {
    const roller = reader.holds('roller', () => ({ outcome: 'absent', fetchedAt: clock.now() }))
    const reading = read()
    await roller.asked
    await reader.erase(ORGNR)
    expect(await read()).toMatchObject({ outcome: 'removed' })
    roller.open()
    expect(await reading).toMatchObject({ outcome: 'removed', slettedato: '2026-11-01' })
    expect(reader.answers.get(ORGNR)).toBeNull()
  })

  it('says so when its register does, and remembers the date', async () => {
    reader.does('enhet', () => ({ outcome: 'removed', slettedato: '2026-10-31', fetchedAt: clock.now() }))
    expect(await read()).toMatchObject({ outcome: 'removed', slettedato: '2026-10-31' })
  })

  it('is not shown as the parent of another, neither held nor being read', async () => {
    const belongsTo = (orgnr: string) => ({
      ...enhet({ organisasjonsnummer: orgnr, navn: 'AVDELING', overordnetEnhet: PARENT } as never),
    })
    reader.does('enhet', (orgnr) =>
      reader.found(orgnr === PARENT ? enhet({ organisasjonsnummer: PARENT }) : belongsTo(orgnr)),
    )
    const first = await read()
    expect(first.outcome === 'record' && first.answer.companies).toEqual([ORGNR, PARENT])
    expect(reader.held(ORGNR)).not.toBeNull()

    const roller = reader.holds('roller', () => ({ outcome: 'absent', fetchedAt: clock.now() }))
    await reader.cache.purge(ORGNR, { hard: true, sections: ['roller'] })
    const reading = read()
    await roller.asked
    await reader.erase(PARENT)
    roller.open()
    for (const each of [await reading, await read()]) {
      if (each.outcome !== 'record') throw new Error('expected a record')
      expect(each.answer.companies).toEqual([ORGNR])
      expect(each.answer.bytes.toString()).not.toContain('LYNGHEI')
      expect(JSON.parse(each.answer.bytes.toString()).overordnetEnhet).toMatchObject({
        organisasjonsnummer: PARENT,
        tilstand: 'ikke_funnet',
        data: null,
      })
    }
  })

  it('P11: attack: is not named by a record that was being put together, for who waits, who comes then, or whoever holds it', async () => {
    reader = createReader({ deadlineMs: 30_000 })
    const word = 'GLEMSEL AS'
    const signed = auditedBy(PARENT, 'GLEMSEL', ORGNR).json
    reader.does('roller', () => reader.found({ rollegrupper: signed.rollegrupper }))
    const late = reader.holds('kunngjoringer', () => ({ outcome: 'absent', fetchedAt: clock.now() }))
    const who = { fersk: false, caller: 'leser' }
    const before = [read(), reader.readPart(ORGNR, ['roller', 'kunngjoringer'], who)]
    await late.asked
    await eventually(
      'its roles were heard',
      async () => (await reader.cache.whereHeld({ company: ORGNR, section: 'roller' })) !== null,
    )
    await reader.erase(PARENT)
    reader.answers.drop({ prefix: '' })
    const after = [read(), reader.readPart(ORGNR, ['roller', 'kunngjoringer'], who)]
    late.open()
    for (const each of await Promise.all([...before, ...after])) {
      if (each.outcome !== 'record') return expect.unreachable()
      expect(each.answer.bytes.toString()).toContain('"REVI"')
      expect(each.answer.bytes.toString()).not.toContain(word)
    }
    const held = reader.held(ORGNR)
    expect(held?.bytes.toString()).toContain('"REVI"')
    expect(held?.bytes.toString()).not.toContain(word)
  })

  it('P11: attack: is not named by a record that belongs to it and was being put together', async () => {
    reader = createReader({ deadlineMs: 30_000 })
    reader.does('enhet', (orgnr) =>
      reader.found(
        enhet(
          orgnr === PARENT
            ? { organisasjonsnummer: orgnr, navn: 'GLEMSEL AS' }
            : ({ organisasjonsnummer: orgnr, overordnetEnhet: PARENT } as never),
        ),
      ),
    )
    const late = reader.holds('kunngjoringer', () => ({ outcome: 'absent', fetchedAt: clock.now() }))
    const who = { fersk: false, caller: 'leser' }
    const readings = [read(), reader.readPart(ORGNR, ['overordnetEnhet', 'kunngjoringer'], who)]
    await late.asked
    await eventually(
      'what it belongs to was heard',
      async () => (await reader.cache.whereHeld({ company: PARENT, section: 'enhet' })) !== null,
    )
    await reader.erase(PARENT)
    late.open()
    for (const each of await Promise.all(readings)) {
      if (each.outcome !== 'record') return expect.unreachable()
      expect(each.answer.bytes.toString()).toContain(PARENT)
      expect(each.answer.bytes.toString()).not.toContain('GLEMSEL')
    }
  })

  it('P11: attack: whose number its sub-unit still says is no reason to ask again while others are removed', async () => {
    const others = [...manyNumbers]
    reader.does('enhet', (orgnr) =>
      reader.found(enhet({ organisasjonsnummer: orgnr, overordnetEnhet: PARENT } as never)),
    )
    reader.does('kunngjoringer', async () => {
      const next = others.pop()
      if (next !== undefined) await reader.erase(next)
      return fails(500)()
    })
    await reader.erase(PARENT)
    expect(await read()).toMatchObject({ outcome: 'record' })
    const part = ['overordnetEnhet', 'kunngjoringer'] as const
    expect(await reader.readPart(ORGNR, part, { fersk: false, caller: 'leser' })).toMatchObject({
      outcome: 'record',
    })
    expect(reader.calls.filter((call) => call.startsWith('kunngjoringer'))).toHaveLength(2)
  })

  it('P11: is no reason to ask again for a record that does not name it', async () => {
    const late = reader.holds('kunngjoringer', fails(500))
    const reading = read()
    await late.asked
    for (const orgnr of manyNumbers) await reader.erase(orgnr)
    late.open()
    expect(await reading).toMatchObject({ outcome: 'record' })
    expect(reader.calls.filter((call) => call.startsWith('kunngjoringer'))).toHaveLength(1)
  })
})

describe('a company with a parent', () => {
  it('is looked at again now and then, since the parent’s changes reach only the parent', async () => {
    reader.does('enhet', (orgnr) =>
      reader.found(
        enhet({
          organisasjonsnummer: orgnr,
          ...(orgnr === ORGNR ? { overordnetEnhet: PARENT } : {}),
        } as never),
      ),
    )
    await read()
    clock.advance(policy.cache.lookAgainAtParentMs - 1)
    expect(reader.held(ORGNR)).not.toBeNull()
    clock.advance(1)
    expect(reader.held(ORGNR)).toBeNull()
    await read(PARENT)
    clock.advance(4 * MINUTE_MS)
    expect(reader.held(PARENT)).not.toBeNull()
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import type { CacheRequest, CacheResult } from '#src/cache/cache.ts'
import type { Entry, Fetched } from '#src/cache/entry.ts'
import {
  AnswerDoubtedError,
  CompanyErasedError,
  FillDeadlineError,
  FillsExceededError,
} from '#src/cache/errors.ts'
import type { Key } from '#src/cache/key.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Eierskap } from '#src/record/eierskap/eierskap.ts'
import { asSourceError, createCachedSources, type Sources } from '#src/record/read.ts'
import type { Aksjonaerer } from '#src/record/sections/aksjonaerer.ts'
import type { ShareHistory } from '#src/record/share-history.ts'
import type { KeptOwnership } from '#src/record/share-register.ts'
import { fromStored } from '#src/record/stored-answer.ts'
import type { Guard, Lane } from '#src/sources/guard.ts'
import { type KeptSource, keptSources } from '#src/sources/index.ts'
import { type Answer, SourceError } from '#src/sources/source.ts'
import { createTestClock } from '../support/clock.ts'
import { inventNumbers } from '../support/invented-companies.ts'
import { absent, enhet, found } from './parts.ts'

const ORGNR = parseOrganisasjonsnummer('923609016')
const READER = { lane: 'front', mode: 'normal', turn: { of: 'leser', rank: 0 } } as const
const OTHER = parseOrganisasjonsnummer('974760673')

/** A cache that keeps nothing, tells what it was asked, and can be told what to serve. */
function createFixture() {
  const seen = {
    asked: [] as { key: Key; wish: CacheRequest }[],
    fetched: [] as Fetched[],
    lanes: [] as string[],
    turns: [] as string[],
    removed: [] as [string, string | null][],
    erased: new Set<string>(),
    isArchiveEmpty: false,
    edition: 1,
  }
  let answer: Answer<unknown> = found(enhet())
  let serve: ((key: Key) => CacheResult) | null = null
  const clock = createTestClock()
  const guardOf = (source: string): Pick<Guard, 'calling' | 'heedRest' | 'noteLate'> => ({
    heedRest() {},
    noteLate() {},
    calling:
      (lane: Lane, ask, subject, { turn }) =>
      (signal) => {
        seen.lanes.push(`${source} ${lane}`)
        seen.turns.push(turn.of)
        return ask(subject, { signal, turn })
      },
  })
  const cached = createCachedSources({
    cache: {
      async getOrFetch(key, wish) {
        seen.asked.push({ key, wish })
        if (serve !== null) return serve(key)
        const fetched = await wish.fetch(AbortSignal.timeout(1000))
        seen.fetched.push(fetched)
        return { how: 'miss', entry: entryOf(fetched), isStored: true }
      },
    },
    sources: Object.fromEntries(keptSources.map((name) => [name, async () => answer])) as unknown as Sources,
    archive: {
      isEmpty: () => seen.isArchiveEmpty,
      edition: () => seen.edition,
      aksjonaerer: async () => answer as Answer<ShareHistory>,
      eierskap: async () => answer as Answer<KeptOwnership>,
      showShares: (kept) => ({ shown: kept }) as unknown as Aksjonaerer,
      showOwnership: (kept) => ({ shown: kept }) as unknown as Eierskap,
    },
    guards: Object.fromEntries(keptSources.map((name) => [name, guardOf(name)])) as Record<KeptSource, Guard>,
    clock,
    lifetimes: () => ({}),
    policy: { ...policy, fillDeadlineMs: 5000 },
    isErased: (orgnr) => seen.erased.has(orgnr),
    onRemoved: (...removal) => void seen.removed.push(removal),
  })
  return {
    cached,
    seen,
    answers: (with_: Answer<unknown>) => {
      answer = with_
    },
    serves: (how: (key: Key) => CacheResult) => {
      serve = how
    },
  }
}

function entryOf({ state, body }: Fetched): Entry {
  return { state, body, fetchedAt: 0, freshUntil: 1, staleUntil: 2, keepUntil: 3, isSaidStale: false }
}

const call = () => ({ signal: AbortSignal.timeout(1000) })
const unit: Fetched = { state: 'found', body: Buffer.from(JSON.stringify(found(enhet()))) }

let fixture: ReturnType<typeof createFixture>
beforeEach(() => {
  fixture = createFixture()
})

describe('the sources as a reader sees them', () => {
  it('each question goes through its own key and its own guard, in the reader’s lane', async () => {
    const { sources, parts } = fixture.cached.forReader(READER)
    expect(await sources.enhet(ORGNR, call())).toEqual(found(enhet()))
    await sources.regnskap(ORGNR, call())
    expect(fixture.seen.asked.map(({ key }) => key)).toEqual([
      { company: ORGNR, section: 'enhet' },
      { company: ORGNR, section: 'regnskap' },
    ])
    expect(fixture.seen.lanes).toEqual(['enhet front', 'regnskap front'])
    expect(fixture.seen.turns).toEqual(['leser', 'leser'])
    expect(parts.map(({ company, source }) => [company, source])).toEqual([
      [ORGNR, 'enhet'],
      [ORGNR, 'regnskap'],
    ])
  })

  it('a refresh is background work that does not take what is held', async () => {
    await fixture.cached.refresh(ORGNR, 'regnskap', AbortSignal.timeout(1000))
    expect(fixture.seen.lanes).toEqual(['regnskap background'])
    expect(fixture.seen.asked[0]?.wish.mode).toBe('refresh')
  })

  it('P55: a refresh that a copy had to cover for has failed; of a source that is switched off there is none', async () => {
    const refresh = (failure: 'feilstatus' | 'sperret' | 'avslatt') => {
      const error = new SourceError('regnskap', failure, 'not now')
      const entry = entryOf({ state: 'found', body: Buffer.from('{}') })
      fixture.serves(() => ({ how: 'stale-if-error', entry, error }))
      return fixture.cached.refresh(ORGNR, 'regnskap', AbortSignal.timeout(1000))
    }
    await expect(refresh('feilstatus')).rejects.toMatchObject({ code: 'kilde_feilstatus' })
    await expect(refresh('sperret')).rejects.toMatchObject({ code: 'kilde_sperret' })
    await refresh('avslatt')
  })

  it('what people search for stands in no key', async () => {
    const { sources } = fixture.cached.forReader(READER)
    fixture.answers(found({ treff: [], totalt: 0 }))
    await sources.sok({ navn: 'Lynghei', metode: null, size: 100 }, call())
    await sources.sok({ navn: 'Lynghei', metode: 'FORTLOEPENDE', size: 100 }, call())
    const keys = fixture.seen.asked.map(({ key }) => key.company)
    expect(new Set(keys).size).toBe(2)
    for (const key of keys) expect(key).toMatch(/^sok-[\w-]{43}$/)
  })

  it.each([
    ['stale', { stale: { failure: null } }],
    ['stale-if-error', { stale: { failure: 'nettverk' } }],
  ])('a copy that is %s is said to be so', async (how, expected) => {
    const error = new SourceError('enhet', 'nettverk', 'gone')
    fixture.serves(() => ({ how, entry: entryOf(unit), error }) as CacheResult)
    const { sources } = fixture.cached.forReader(READER)
    expect(await sources.enhet(ORGNR, call())).toEqual({ ...found(enhet()), ...expected })
  })
})

describe('P10: "nothing here" over a copy that is held', () => {
  const many = inventNumbers(2 * policy.notFoundStorm.doubtedFrom)
  /** Each time about another company. */
  const mayReplace = async (source: 'enhet' | 'regnskap', old: string, state: string) => {
    const { sources } = fixture.cached.forReader(READER)
    await sources[source](parseOrganisasjonsnummer(many.pop() ?? ''), call())
    const body = Buffer.from('{}')
    return fixture.seen.asked.at(-1)?.wish.mayReplace?.(entryOf({ state: old, body }), { state, body })
  }

  it('is doubted in numbers, for each source by itself; anything else never is', async () => {
    const { doubtedFrom } = policy.notFoundStorm
    for (let index = 1; index < doubtedFrom; index++)
      expect(await mayReplace('enhet', 'found', 'absent')).toBe(true)
    expect(await mayReplace('enhet', 'absent', 'absent')).toBe(true)
    expect(await mayReplace('enhet', 'found', 'found')).toBe(true)
    expect(await mayReplace('enhet', 'found', 'absent')).toBe(false)
    expect(await mayReplace('regnskap', 'found', 'absent')).toBe(true)
    expect(await mayReplace('enhet', 'found', 'removed')).toBe(true)
  })
})

describe('the archive', () => {
  const read = () => {
    const { sources } = fixture.cached.forReader(READER)
    return Promise.all([sources.aksjonaerer(ORGNR, call()), sources.eierskap(ORGNR, call())])
  }

  it('costs nothing while nothing is imported: neither cache nor storage is asked', async () => {
    fixture.seen.isArchiveEmpty = true
    expect(await read()).toEqual(Array(2).fill({ outcome: 'not_imported' }))
    expect([fixture.seen.asked, fixture.seen.lanes]).toEqual([[], []])
  })

  it('goes through the cache and its own guards like any source, and is shown as the record has it', async () => {
    const [aksjonaerer, eierskap] = await read()
    expect([aksjonaerer, eierskap]).toEqual(
      Array(2).fill(found({ shown: JSON.parse(JSON.stringify(enhet())) })),
    )
    expect(fixture.seen.asked.map(({ key }) => key.section)).toEqual(['aksjonaerer', 'eierskap'])
    expect(fixture.seen.lanes).toEqual(['aksjonaerer front', 'eierskap front'])
    await fixture.cached.refresh(ORGNR, 'eierskap', AbortSignal.timeout(1000))
    expect(fixture.seen.lanes.at(-1)).toBe('eierskap background')
  })

  it('is believed when it has nothing, also about many companies that were in it before', async () => {
    await read()
    const old = entryOf({ state: 'found', body: Buffer.from('{}') })
    const mayReplace = fixture.seen.asked[0]?.wish.mayReplace
    for (let index = 0; index <= policy.notFoundStorm.doubtedFrom; index++)
      expect(mayReplace?.(old, { state: 'absent', body: Buffer.from('{}') })).toBe(true)
  })

  it('P11: attack: a copy that names a removed company is read anew, and not shown when it can not be', async () => {
    const names = (organisasjonsnummer: string | null) => ({ storste: [{ organisasjonsnummer }] })
    const held = (orgnr: string | null) =>
      entryOf({ state: 'found', body: Buffer.from(JSON.stringify(found(names(orgnr)))) })
    const error = new SourceError('aksjonaerer', 'nettverk', 'gone')
    let renewed: CacheResult = { how: 'miss', entry: held(null), isStored: true }
    fixture.seen.erased.add(OTHER)
    fixture.serves(() =>
      fixture.seen.asked.at(-1)?.wish.mode === 'refresh' ? renewed : { how: 'memory', entry: held(OTHER) },
    )
    const { sources } = fixture.cached.forReader(READER)
    expect(await sources.aksjonaerer(ORGNR, call())).toMatchObject({ value: { shown: names(null) } })
    renewed = { how: 'stale-if-error', entry: held(OTHER), error }
    await expect(sources.aksjonaerer(ORGNR, call())).rejects.toMatchObject({ failure: 'feilstatus' })
  })

  it('a reading knows when years came since it began', () => {
    const { isCurrent } = fixture.cached.forReader(READER)
    expect(isCurrent()).toBe(true)
    fixture.seen.edition += 1
    expect(isCurrent()).toBe(false)
  })
})

describe('P11: what is removed', () => {
  const removed: Answer<never> = { outcome: 'removed', slettedato: '2026-11-01', fetchedAt: absent.fetchedAt }

  it('has its tombstone before the answer is handed on, and lives no time in the cache', async () => {
    fixture.answers(removed)
    const { sources } = fixture.cached.forReader(READER)
    expect(await sources.enhet(ORGNR, call())).toEqual(removed)
    expect(fixture.seen.removed).toEqual([[ORGNR, '2026-11-01']])
    expect(fixture.seen.asked[0]?.wish.lifetimeOf('removed')).toBeNull()
  })

  it('a section that is removed alone is no tombstone of the company', async () => {
    fixture.answers(removed)
    const { sources } = fixture.cached.forReader(READER)
    await sources.roller(ORGNR, call())
    expect(fixture.seen.removed).toEqual([])
  })

  it('is heard as removed when the cache says that it is erased, and its refresh is done', async () => {
    fixture.serves(() => {
      throw new CompanyErasedError()
    })
    const { sources, parts } = fixture.cached.forReader(READER)
    expect(await sources.enhet(ORGNR, call())).toMatchObject({ outcome: 'removed', slettedato: null })
    expect(parts).toEqual([])
    await fixture.cached.refresh(ORGNR, 'enhet', AbortSignal.timeout(1000))
  })

  it('is not kept in what a search found, though the register still names it', async () => {
    const treff = [ORGNR, OTHER].map((organisasjonsnummer) => enhet({ organisasjonsnummer }))
    fixture.answers(found({ treff, totalt: 7 }))
    fixture.seen.erased.add(OTHER)
    const { sources } = fixture.cached.forReader(READER)
    await sources.sok({ navn: 'lynghei', metode: null, size: 100 }, call())
    const [stored] = fixture.seen.fetched
    if (stored === undefined) throw new Error('expected an answer to be stored')
    expect(fromStored(stored)).toMatchObject({
      value: { treff: [{ organisasjonsnummer: ORGNR }], totalt: 6 },
    })
    expect(stored.body.toString()).not.toContain(OTHER)
  })
})

describe('the cache’s own ways to fail', () => {
  it.each([
    [new SourceError('enhet', 'sperret', 'left alone'), 'sperret'],
    [new FillsExceededError(2000), 'opptatt'],
    [new AnswerDoubtedError('absent'), 'ugyldig_svar'],
    [new FillDeadlineError(5000), 'tidsfrist'],
    [new DOMException('late', 'TimeoutError'), 'tidsfrist'],
    [new DOMException('gone', 'AbortError'), 'tidsfrist'],
  ])('%s is told in the record’s words', (error, failure) => {
    expect(asSourceError('enhet', error)).toMatchObject({ source: 'enhet', failure })
  })

  it('a fault of ours stays one', () => {
    const fault = new TypeError('x is not a function')
    expect(() => asSourceError('enhet', fault)).toThrow(fault)
  })
})

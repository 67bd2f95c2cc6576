import { describe, expect, it } from 'vitest'
import type { Entry } from '#src/cache/entry.ts'
import { assemble } from '#src/record/assembled.ts'
import { merge } from '#src/record/merge.ts'
import type { Parts } from '#src/record/parts.ts'
import type { ServedPart } from '#src/record/read.ts'
import type { SourceFailure } from '#src/sources/source.ts'
import { enhet, fetchedAt, found, late, parts } from './parts.ts'

const NOW = fetchedAt.getTime() + 60_000
const HOUR = 3_600_000
const never = () => Number.POSITIVE_INFINITY

function entry(times: Partial<Entry> = {}): Entry {
  return {
    body: Buffer.from('{}'),
    state: 'found',
    fetchedAt: NOW - 60_000,
    freshUntil: NOW + HOUR,
    staleUntil: NOW + 2 * HOUR,
    keepUntil: NOW + 3 * HOUR,
    isSaidStale: false,
    ...times,
  }
}

function part(served: Partial<ServedPart['served']> = {}, of: Partial<ServedPart> = {}): ServedPart {
  return {
    company: '923609016',
    source: 'enhet',
    served: { how: 'memory', entry: entry(), ...served } as ServedPart['served'],
    ...of,
  }
}

const made = (
  of: readonly ServedPart[],
  { record = parts(), lookAgainMs = never }: { record?: Parts; lookAgainMs?: () => number } = {},
) => assemble(merge(record), of, { now: NOW, lookAgainMs })

const stale = (failure: SourceFailure | null) => ({ ...found(enhet()), stale: { failure } })
const lookedUp = (day: string) =>
  found({
    oppslagsData: { oppslagsTidspunkt: `${day}T10:00:00` },
    status: { rutineStatus: { kode: 'OK' } },
  })

/** The same company, everything fetched an hour later. */
function later(of: Parts): Parts {
  const at = new Date(fetchedAt.getTime() + HOUR)
  return Object.fromEntries(
    Object.entries(of).map(([name, value]) => [
      name,
      value !== null && typeof value === 'object' && 'fetchedAt' in value
        ? { ...value, fetchedAt: at }
        : value,
    ]),
  ) as Parts
}

describe('an answer ready to be sent', () => {
  it('is the record, with the heads that do not depend on who asks', () => {
    const record = merge(parts())
    const answer = made([part()])
    expect(JSON.parse(answer.bytes.toString())).toEqual(record)
    expect(answer.headers).toEqual([
      'content-type',
      'application/json; charset=utf-8',
      'cache-control',
      'private, no-cache',
      'vary',
      'Accept-Encoding, Accept-Language',
      'content-language',
      'nb',
      'x-content-type-options',
      'nosniff',
      'permissions-policy',
      expect.stringContaining('camera=()'),
    ])
  })

  it('has the same tag when the same facts were fetched again, though its bytes are others', () => {
    const first = made([part()])
    const again = made([part()], { record: later(parts()) })
    expect(again.bytes).not.toEqual(first.bytes)
    expect(again.etag).toBe(first.etag)
  })

  it.each<[string, Partial<Parts>]>([
    ['a fact', { unit: found(enhet({ navn: 'LYNGHEI ASA' })) }],
    ['whether a section is there', { roller: { outcome: 'failed', failure: 'nettverk' } }],
    ['a field that could not be read', { unit: { ...found(enhet()), avvik: ['/kapital'] } }],
  ])('has another tag when %s is another', (_what, changes) => {
    expect(made([part()], { record: parts(changes) }).etag).not.toBe(made([part()]).etag)
  })

  it.each<[string, Partial<Parts>, Partial<Parts>]>([
    ['a copy that is renewed', {}, { unit: stale(null) }],
    ['a copy that covers a source that is away', {}, { unit: stale('nettverk') }],
    ['another reason to be away', { unit: stale('nettverk') }, { unit: stale('sperret') }],
    ['another reason not to be there', { roller: late }, { roller: { ...late, failure: 'sperret' } }],
    ['a later look-up', { signatur: lookedUp('2026-11-20') }, { signatur: lookedUp('2026-11-21') }],
  ])('has the same tag through an outage: %s', (_what, before, after) => {
    const tags = [before, after].map((changes) => made([part()], { record: parts(changes) }).etag)
    expect(tags[0]).toMatch(/^W\/"[\w-]{22}"$/)
    expect(tags[1]).toBe(tags[0])
  })

  it('a name that looks like a state is a name', () => {
    const named = (navn: string) => made([part()], { record: parts({ unit: found(enhet({ navn })) }) }).etag
    expect(named('"tilstand":"utdatert"')).not.toBe(named('"tilstand":"fersk"'))
  })

  it('is as old as its oldest part, and fresh as long as the first to go stale', () => {
    const answer = made([
      part({ entry: entry({ fetchedAt: NOW - 5000, freshUntil: NOW + 3 * HOUR }) }),
      part({ entry: entry({ fetchedAt: NOW - 90_000, freshUntil: NOW + 2 * HOUR }) }),
      part({ entry: entry({ freshUntil: NOW + HOUR / 2 }) }),
    ])
    expect(answer).toMatchObject({
      fetchedAtOldest: NOW - 90_000,
      freshUntil: NOW + HOUR / 2,
      validUntil: NOW + HOUR / 2,
      isStale: false,
    })
  })

  it('tells the truth until a part changes its state, or is to be looked at again', () => {
    const stale = { how: 'stale', entry: entry({ freshUntil: NOW - 1, staleUntil: NOW + HOUR }) } as const
    expect(made([part(), part(stale)])).toMatchObject({ isStale: true, validUntil: NOW + HOUR })
    expect(made([part(stale)], { lookAgainMs: () => 5000 }).validUntil).toBe(NOW + 5000)
    const failed = { how: 'stale-if-error', entry: entry(), error: new Error() } as const
    expect(made([part(failed)]).isStale).toBe(true)
  })

  it('says what it is told to say about looking again: of a stale part, and of a parent', () => {
    const asked: boolean[][] = []
    const lookAgainMs = (...about: boolean[]) => asked.push(about)
    const parent = { organisasjonsnummer: '974760673', answer: found(enhet()) }
    assemble(merge(parts({ parent })), [part({ how: 'stale' })], { now: NOW, lookAgainMs })
    assemble(merge(parts()), [part()], { now: NOW, lookAgainMs })
    expect(asked).toEqual([
      [true, true],
      [false, false],
    ])
  })

  it('P11: names every company it is made of, once', () => {
    const answer = made([part(), part({}, { source: 'roller' }), part({}, { company: '974760673' })])
    expect(answer.companies).toEqual(['923609016', '974760673'])
  })
})

import { describe, expect, it } from 'vitest'
import { answerFormOf, answerHead } from '#src/api/answer-head.ts'
import type { Assembled } from '#src/record/assembled.ts'

const NOW = Date.parse('2026-11-21T10:00:00Z')
const answer: Assembled = {
  bytes: Buffer.from('{}'),
  etag: 'W/"tag"',
  freshUntil: NOW + 90_500,
  fetchedAtOldest: NOW - 61_900,
  validUntil: NOW + 90_500,
  isStale: false,
  companies: ['901012121'],
  headers: ['content-type', 'application/json'],
}
const hit = { by: 'hit', tier: 'memory' } as const

function head(request: { acceptEncoding?: string; ifNoneMatch?: string } = {}, of: Assembled = answer) {
  const form = answerFormOf(of, { acceptEncoding: request.acceptEncoding, ifNoneMatch: request.ifNoneMatch })
  const made = answerHead(of, hit, form, NOW)
  const all = [...made.constant, ...made.own]
  const pairs = all.flatMap((name, index) => (index % 2 === 0 ? [[name, all[index + 1] ?? '']] : []))
  const { status, encoding } = made
  return { status, encoding, headers: Object.fromEntries(pairs) as Record<string, string> }
}

describe('the head of an answer', () => {
  it('has the answer’s own lines, its tag, its age in whole seconds and what is left of its fresh time', () => {
    expect(head()).toEqual({
      status: 200,
      encoding: null,
      headers: {
        'content-type': 'application/json',
        etag: 'W/"tag"',
        age: '61',
        'cache-status': 'bedriftsoppslag; hit; ttl=90',
      },
    })
  })

  it('is never of a negative age, whatever the clocks say', () => {
    expect(head({}, { ...answer, fetchedAtOldest: NOW + 5000 }).headers.age).toBe('0')
  })

  it.each<[string | undefined, string | null]>([
    [undefined, null],
    ['', null],
    ['identity', null],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate, zstd', 'zstd'],
    ['br;q=0.5, gzip;q=0.9', 'gzip'],
    ['br;q=0.5,gzip;q=0.5', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0', null],
    ['*', 'br'],
    ['*;q=0', null],
    ['br;q=0, *', 'zstd'],
    ['gzip;q=0.5, identity', null],
    ['gzip;q=0.5, identity;q=0.5', 'gzip'],
    ['deflate', null],
    ['gzip;q=what', null],
    // Nobody may like anything more than wholly.
    ['gzip;q=2', 'gzip'],
    ['gzip ; q=1', 'gzip'],
    [',,;;,=', null],
  ])('Accept-Encoding %j is answered with %s', (acceptEncoding, expected) => {
    const { encoding, headers } = head(acceptEncoding === undefined ? {} : { acceptEncoding })
    expect(encoding).toBe(expected)
    expect(headers['content-encoding'] ?? null).toBe(expected)
    expect(headers.etag).toBe('W/"tag"')
  })

  it('a list too long to be remembered is read all the same', () => {
    expect(head({ acceptEncoding: `${'x,'.repeat(100)}gzip` }).encoding).toBe('gzip')
    expect(head({ acceptEncoding: `${'x,'.repeat(10_000)}gzip` }).encoding).toBeNull()
  })

  it.each([
    ['"tag"', 304],
    ['W/"tag"', 304],
    ['*', 304],
    [' * ', 304],
    ['"a", "tag"', 304],
    ['"a",W/"tag" ,"b"', 304],
    ['"tag-gzip"', 200],
    ['tag', 200],
    ['"Tag"', 200],
    ['"other"', 200],
    ['', 200],
  ])('If-None-Match: %s gives %i', (ifNoneMatch, status) => {
    expect(head({ ifNoneMatch }).status).toBe(status)
  })

  it('304 names the tag of all forms, and no encoding', () => {
    const known = head({ ifNoneMatch: 'W/"tag"', acceptEncoding: 'br' })
    expect(known).toMatchObject({ status: 304, headers: { etag: 'W/"tag"' } })
    expect(known.headers).not.toHaveProperty('content-encoding')
  })
})

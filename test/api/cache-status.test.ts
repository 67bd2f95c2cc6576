import { describe, expect, it } from 'vitest'
import { cacheStatus } from '#src/api/cache-status.ts'
import type { CacheStatus } from '#src/record/company-reading.ts'

describe('Cache-Status (RFC 9211)', () => {
  it.each<[CacheStatus, number, string]>([
    [{ by: 'hit', tier: 'memory' }, 310, 'bedriftsoppslag; hit; ttl=310'],
    [{ by: 'hit', tier: 'answers' }, -412, 'bedriftsoppslag; hit; ttl=-412'],
    [{ by: 'hit', tier: 'redis' }, 310, 'bedriftsoppslag; hit; ttl=310; detail=redis'],
    [{ by: 'miss', isStored: true }, 300, 'bedriftsoppslag; fwd=miss; stored; ttl=300'],
    [{ by: 'miss', isStored: false }, 300, 'bedriftsoppslag; fwd=miss; ttl=300'],
    [{ by: 'collapsed', isStored: true }, 300, 'bedriftsoppslag; fwd=miss; stored; collapsed; ttl=300'],
    [{ by: 'collapsed', isStored: false }, 300, 'bedriftsoppslag; fwd=miss; collapsed; ttl=300'],
    [{ by: 'forced', isStored: true }, 300, 'bedriftsoppslag; fwd=request; stored; ttl=300'],
    [{ by: 'stale-if-error', status: 503 }, -5, 'bedriftsoppslag; fwd=stale; fwd-status=503; ttl=-5'],
    [{ by: 'stale-if-error', status: null }, -5, 'bedriftsoppslag; fwd=stale; ttl=-5'],
  ])('%j', (came, ttl, expected) => {
    expect(cacheStatus(came, ttl)).toBe(expected)
    // `hit` and `fwd` exclude each other, and every member is a parameter of one item.
    expect(/; hit\b/.test(expected)).not.toBe(/; fwd=/.test(expected))
  })
})

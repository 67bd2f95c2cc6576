import type { CacheStatus } from '#src/record/company-reading.ts'

/**
 * RFC 9211. `hit` and `fwd` exclude each other; `ttl` is negative for a stale answer.
 *
 * @param ttlSeconds what is left of the fresh time of the answer's first part to go stale
 */
export function cacheStatus(came: CacheStatus, ttlSeconds: number): string {
  const ttl = `ttl=${ttlSeconds}`
  switch (came.by) {
    case 'hit':
      return came.tier === 'redis'
        ? `bedriftsoppslag; hit; ${ttl}; detail=redis`
        : `bedriftsoppslag; hit; ${ttl}`
    case 'stale-if-error':
      return `bedriftsoppslag; fwd=stale${came.status === null ? '' : `; fwd-status=${came.status}`}; ${ttl}`
    default: {
      const fwd = came.by === 'forced' ? 'fwd=request' : 'fwd=miss'
      return `bedriftsoppslag; ${fwd}${came.isStored ? '; stored' : ''}${came.by === 'collapsed' ? '; collapsed' : ''}; ${ttl}`
    }
  }
}

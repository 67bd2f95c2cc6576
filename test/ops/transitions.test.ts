import { channel } from 'node:diagnostics_channel'
import { afterEach, expect, it } from 'vitest'
import { CACHE_CHANNEL, type CacheEvent } from '#src/cache/events.ts'
import type { Log } from '#src/core/log.ts'
import { logTransitions } from '#src/ops/transitions.ts'
import { SOURCE_CHANNEL, type SourceEvent } from '#src/sources/guard.ts'

const lines: unknown[][] = []
const write =
  (level: string) =>
  (...line: unknown[]) =>
    void lines.push([level, ...line])
const transitions = logTransitions({ info: write('info'), warn: write('warn') } as unknown as Log)
afterEach(() => transitions.close())

it('P58: the log says when a source, or the shared cache, is left alone and when it is in use again, and nothing between', () => {
  const source = (event: SourceEvent) => channel(SOURCE_CHANNEL).publish(event)
  const cache = (event: CacheEvent) => channel(CACHE_CHANNEL).publish(event)
  source({ kind: 'failed', source: 'roller', lane: 'front', ms: 3, failure: 'nettverk' })
  source({ kind: 'breaker', source: 'roller', state: 'apen' })
  source({ kind: 'breaker', source: 'roller', state: 'prover' })
  source({ kind: 'breaker', source: 'roller', state: 'lukket' })
  cache({ kind: 'redis-failure', operation: 'read', why: 'timeout', withinMs: 25 })
  cache({ kind: 'redis-usable', isUsable: false })
  cache({ kind: 'redis-usable', isUsable: true })
  cache({ kind: 'redis-taking', isTaking: false, why: 'full' })
  cache({ kind: 'redis-taking', isTaking: true, why: null })
  expect(lines).toEqual([
    ['warn', { kilde: 'roller', bryter: 'apen' }, 'a source is left alone'],
    ['info', { kilde: 'roller', bryter: 'prover' }, 'a source is tried'],
    ['info', { kilde: 'roller', bryter: 'lukket' }, 'a source is in use again'],
    ['warn', 'the shared cache is left alone'],
    ['info', 'the shared cache is in use'],
    ['warn', { hvorfor: 'full' }, 'the shared cache takes nothing new'],
    ['info', 'the shared cache takes what is new again'],
  ])
})

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { CACHE_CHANNEL, type CacheEvent } from '#src/cache/events.ts'
import type { Log } from '#src/core/log.ts'
import { SOURCE_CHANNEL, type SourceEvent } from '#src/sources/guard.ts'

/** Writes down each time a source is left alone or taken up again, and each time the shared cache is. */
export function logTransitions(log: Log): { close(): void } {
  function onSource(message: unknown): void {
    const event = message as SourceEvent
    if (event.kind !== 'breaker') return
    const line = { kilde: event.source, bryter: event.state }
    if (event.state === 'apen') log.warn(line, 'a source is left alone')
    else log.info(line, event.state === 'prover' ? 'a source is tried' : 'a source is in use again')
  }

  function onCache(message: unknown): void {
    const event = message as CacheEvent
    if (event.kind === 'redis-usable') {
      if (event.isUsable) log.info('the shared cache is in use')
      else log.warn('the shared cache is left alone')
    } else if (event.kind === 'redis-taking') {
      if (event.isTaking) log.info('the shared cache takes what is new again')
      else log.warn({ hvorfor: event.why }, 'the shared cache takes nothing new')
    } else if (event.kind === 'bus-listening') {
      if (event.isListening) log.info('changes by other processes are heard')
      else log.warn('changes by other processes can not be heard')
    }
  }

  subscribe(SOURCE_CHANNEL, onSource)
  subscribe(CACHE_CHANNEL, onCache)
  return {
    close() {
      unsubscribe(SOURCE_CHANNEL, onSource)
      unsubscribe(CACHE_CHANNEL, onCache)
    },
  }
}

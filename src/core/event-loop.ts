import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/**
 * Whether this process was too busy to hear what was said to it since then: it was waiting for something to come in for less
 * than a tenth of a time that is worth speaking of.
 */
export function wasBusySince(since: EventLoopUtilization): boolean {
  const { utilization, active } = performance.eventLoopUtilization(since)
  return utilization > BUSY_SHARE && active > BUSY_MS_MIN
}

export function eventLoopNow(): EventLoopUtilization {
  return performance.eventLoopUtilization()
}

const BUSY_SHARE = 0.9
const BUSY_MS_MIN = 100

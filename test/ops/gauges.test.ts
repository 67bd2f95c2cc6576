import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { addGauges } from '#src/ops/gauges.ts'

it('P39: attack: PostgreSQL and the queue hang: what the process knows itself is told all the same', async () => {
  const registry = new Registry()
  const hangs = () => new Promise<never>(() => {})
  addGauges(
    registry,
    {
      now: () => new Date(),
      version: '1',
      slag: 'front',
      readiness: async () => ({ klar: true, hindringer: [], mangler: [] }),
      depths: hangs,
      sales: hangs,
      push: hangs,
      looksBehind: hangs,
      untakenMs: () => 0,
      searchIndex: hangs,
      held: () => [],
      processes: () => null,
      usesRedis: () => null,
      tuning: () => null,
      logLost: () => 0,
      storiesLost: () => 0,
      ends: () => null,
      canary: () => null,
      clockAheadMs: () => null,
      isTimeKnown: () => true,
    },
    { lookWithinMs: 1 },
  )
  const told = await registry.metrics()
  expect(told).toContain('bedriftsoppslag_ready 1')
  // What is not known is left out.
  expect(told).not.toMatch(/^bedriftsoppslag_(keys_valid|search_index|queue_waiting|deliveries_waiting) /m)
})

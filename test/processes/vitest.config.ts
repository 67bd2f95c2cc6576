import { defineConfig, mergeConfig } from 'vitest/config'
import ordinary from '../../vitest.config.ts'

/**
 * What takes long: processes of the service, browsers and compilers, started and killed, and what many are asked in a process of their own
 * (`*.long.test.ts`): `npm run test:long`. The set-up of the other tests.
 */
export default mergeConfig(
  { ...ordinary, test: { ...ordinary.test, include: [], exclude: [] } },
  // Each has processes of its own besides, and most of them wait: for a death to be noticed, a lease to end, a page to be drawn.
  defineConfig({ test: { include: ['test/processes/*.test.ts', 'test/**/*.long.test.ts'], maxWorkers: 5 } }),
)

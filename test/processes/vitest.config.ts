import { defineConfig, mergeConfig } from 'vitest/config'
import ordinary from '../../vitest.config.ts'

/** Processes of the service, browsers and compilers, started and killed: `npm run test:processes`. The set-up of the other tests. */
export default mergeConfig(
  { ...ordinary, test: { ...ordinary.test, include: [], exclude: [] } },
  // Each has processes of its own besides.
  defineConfig({ test: { include: ['test/processes/*.test.ts'], maxWorkers: 4 } }),
)

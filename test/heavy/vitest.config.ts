import { defineConfig, mergeConfig } from 'vitest/config'
import ordinary from '../../vitest.config.ts'

/** Minutes long: `npm run test:heavy`. The same set-up as the other tests, one file after another. */
export default mergeConfig(
  { ...ordinary, test: { ...ordinary.test, include: [], exclude: [] } },
  defineConfig({
    test: {
      include: ['test/heavy/**/*.test.ts'],
      maxWorkers: 1,
      // A process for each: some of them look at what theirs holds.
      isolate: true,
      testTimeout: 300_000,
      hookTimeout: 300_000,
      // Of the crashes, which are short and wait most of the time.
      maxConcurrency: 16,
    },
  }),
)

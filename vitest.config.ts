import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Minutes long, run by name.
    exclude: ['test/heavy/**'],
    globalSetup: ['test/support/global-setup.ts'],
    // A process for each file: what one test leaves behind in a process does not reach the next.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})

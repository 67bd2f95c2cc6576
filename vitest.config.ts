import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// What Node has compiled once the hundreds of processes that tests start do not compile again: half a second for each.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.compile-cache', import.meta.url))

/** What waits for processes, browsers and servers takes seconds and more; all else milliseconds, and fills the gaps at the end. */
class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
const LONG = /\/test\/(scenarios|queue|sales|mail|embedded)|killed|in-a-browser/

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Minutes long, run by name.
    exclude: ['test/heavy/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/leaves-nothing.ts'],
    pool: 'forks',
    // More than there are cores: what is tested are processes, and whoever tests them waits most of the time. With three at once
    // two quiet cores were in use for half of it.
    maxWorkers: 4,
    sequence: { sequencer: LongOnesFirst },
    // Few processes for all files, which share one import of the service. The project keeps nothing in modules, so that a
    // file sees no more of the one before than the next request sees of the last; what a test changes in its process it puts
    // back, or fails (leaves-nothing).
    isolate: false,
    // The hundreds of services that are opened in them set aside 64 MB each for their copies, and never write to most of it:
    // without the first flag V8 looks for garbage at each of them. A third less CPU time, with 50 MB more of memory.
    execArgv: [
      '--external-memory-accounted-in-global-limit',
      '--min-semi-space-size=16',
      '--max-semi-space-size=32',
    ],
    // As the service runs: by Node itself. There are no mocks, which is what Vite's own way of loading is for.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Limits are for what hangs. They are not reached by a machine that is ten times as slow, or busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})

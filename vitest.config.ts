import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The longest first, since the last to begin is the last to end; then what waits for processes, browsers and servers, which
 * takes seconds and more. All else takes milliseconds, and fills the gaps at the end.
 */
class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.indexOf(moduleId)
      return place !== -1 ? place : LONG.test(moduleId) ? longest.length : longest.length + 1
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
const LONG =
  /\/test\/(access|backup|changes|commands|front|mail|processes|push|queue|sales|scenarios|search\/prefix)/

/**
 * Those that were the last to end, or would be, of a run of all: first those of `npm test`, then those of `npm run test:long`. How large
 * a file is, which is what a first run has, says nothing of it.
 */
const longest = [
  'processes/short/stores-come-and-go',
  'processes/short/hostile-clients',
  'processes/short/attacked-front',
  'operators/operators-side',
  'sales/flooded-shop',
  'scenarios/readiness',
  'scenarios/search',
  'pages/lookup',
  'push/deliver',
  'processes/fronts',
  'processes/embedded-out-of-reach',
  'processes/shutdown',
  'scenarios/demo.long',
  'sales/purchase.long',
  'scenarios/changes-seen.long',
  'queue/queue-in-redis.long',
  'queue/queue-in-postgresql.long',
  'scenarios/drifted-answers.long',
  'processes/documented-calls',
  'processes/purchase-in-browser',
  'processes/reach-everything',
  'processes/embedded-postgres-dies',
  'processes/stores-come-and-go',
  'processes/log-kept',
  'processes/webhooks-killed',
  'processes/operators-in-browser',
  'processes/changes-followed',
  'processes/change-crashes',
  'processes/crashes',
  'processes/erasure',
  'processes/index-build-killed',
  'processes/follow-feed-killed',
  'processes/ended-while-starting',
  'processes/upgrade',
  'processes/newer-database',
  'processes/embedded-database',
  'processes/cache-orders',
  'processes/clients',
].map((name) => {
  const path = fileURLToPath(new URL(`test/${name}.test.ts`, import.meta.url))
  if (!existsSync(path)) throw new Error(`vitest.config.ts: there is no test/${name}.test.ts any more`)
  return path
})

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Minutes long each; and what takes long, or starts processes but for its short form. Both have a set-up of their own.
    exclude: ['test/heavy/**', 'test/processes/*.test.ts', 'test/**/*.long.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/leaves-nothing.ts'],
    pool: 'forks',
    // Twice as many as there are cores: most of what takes long waits for a register, a clock or a server. With more of them a slow
    // machine is too late for the shortest deadlines.
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

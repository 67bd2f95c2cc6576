import { setTimeout as pause } from 'node:timers/promises'
import { feedNames } from '#src/ops/feed-report.ts'
import { openTestPool } from '#test/support/test-pool.ts'
import type { ApplyPorts } from '#workers/apply-page.ts'
import { follow } from './following.ts'

/**
 * A process that follows one feed, there to be killed. It tells its parent of each company before it is done with the page,
 * and takes its time about it.
 */
const [databaseUrl = '', registerUrl = '', feedName = ''] = process.argv.slice(2)
const feed = feedNames.find((name) => name === feedName)
if (feed === undefined) throw new Error(`no feed ${feedName}`)

function tell(word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(word, (error: Error | null) => (error === null ? resolve() : reject(error)))
  })
}

const ports: ApplyPorts = {
  async remove(removals) {
    for (const { organisasjonsnummer } of removals) await tell(organisasjonsnummer)
    await pause(5)
  },
  async invalidate(changes) {
    for (const organisasjonsnummer of changes.keys()) {
      await tell(organisasjonsnummer)
      await pause(1)
    }
    return changes
  },
  invalidateAll: () => tell('all'),
  noteChanges: async () => {},
  noteWatched: async () => new Map(),
  noteHeld: async () => {},
  askSoon: async () => {},
  enqueueRefresh: () => pause(5),
}
const database = openTestPool(databaseUrl, 2)
follow({ feed, register: { registerUrl }, database, ports, policy: { pageSize: 20, leaseMs: 400 } })
process.on('disconnect', () => process.exit())
await tell('ready')

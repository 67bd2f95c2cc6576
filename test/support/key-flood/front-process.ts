import { lookup } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { openKeyFront } from './key-front.ts'

/**
 * The front in a process of its own. Looks a name up now and again, as a register's client does for each new connection, and
 * tells how long that took, what proving keys has cost and how much of a processor it has used, whenever it is asked.
 */
const [databaseUrl = ''] = process.argv.slice(2)
const front = await openKeyFront({ databaseUrl })
let lookupsMs: number[] = []

process.on('disconnect', () => process.exit())
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cost: front.cost, cpuMs: (user + system) / 1000, lookupsMs })
  lookupsMs = []
})
process.send?.({ origin: front.origin })
for (;;) {
  const begun = performance.now()
  await lookup('localhost')
  lookupsMs.push(performance.now() - begun)
  await pause(20)
}

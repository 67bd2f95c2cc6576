import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { policy } from '#config/policy.ts'
import { openWaitingRoom } from '#src/http/waiting-room.ts'

/**
 * One front of a command, in its waiting room. It says that it waits; then it is at something else until there is such a file, hears
 * nobody meanwhile, and leaves.
 */
const [port, file = ''] = process.argv.slice(2)
if (cluster.isPrimary) {
  const front = cluster.fork().on('message', (message) => process.send?.(message))
  process.on('disconnect', () => {
    front.process.kill('SIGKILL')
    process.exit()
  })
} else {
  const address = { host: '127.0.0.1', port: Number(port) }
  const room = await openWaitingRoom([address], {
    version: 'test',
    state: () => ({ klar: false, hindringer: [], mangler: [] }),
    publicUrl: 'http://127.0.0.1',
    trustProxy: null,
    policy: policy.http,
  })
  process.send?.('waits', async () => {
    while (!existsSync(file));
    await room.leave([address])
  })
}

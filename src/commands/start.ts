import { join } from 'node:path'
import { readEnvironment } from '#config/environment.ts'
import { startOrExplain } from '#src/core/start.ts'
import { endInOrder } from '#src/wiring/ending.ts'
import { keepHeapSmall } from '#src/wiring/heap.ts'
import { openService } from '#src/wiring/service.ts'

/** Door: everything in one process on one machine, with the database it brings itself unless told of another. */
keepHeapSmall()
const { environment, service, address } = await startOrExplain(async (ended) => {
  const environment = readEnvironment({
    ...process.env,
    // With the rest of what is kept on disk: the project's own folder may be closed.
    LOG_FILE: process.env.LOG_FILE ?? join(process.env.DATA_DIR || '.data', 'bedriftsoppslag.log'),
  })
  const service = await openService(environment, { workers: true, ended })
  return { environment, service, address: await service.listen() }
})
endInOrder({
  log: service.log,
  endedBy: service.endedBy,
  async close() {
    await service.drain()
    await service.close()
  },
})

console.log(`Bedriftsoppslag listens on ${address} (log: ${environment.logFile})`)
console.log(
  'Make a key:        npm run -s oppslag -- nokkel utsted --epost you@example.com --vis --hvorfor "to try it"',
)
console.log(`Documentation:     ${address}/dokumentasjon`)
if (!(await reachable(environment.registerUrl))) {
  console.log(
    `The registers at ${environment.registerUrl} can not be reached: look-ups answer 503 until they can.`,
  )
}

async function reachable(url: string): Promise<boolean> {
  return fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(3000) }).then(
    () => true,
    () => false,
  )
}

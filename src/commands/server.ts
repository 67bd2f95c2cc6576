import { readEnvironment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { createRepeat } from '#src/core/repeat.ts'
import { startOrExplain } from '#src/core/start.ts'
import { endInOrder } from '#src/wiring/ending.ts'
import { keepHeapSmall } from '#src/wiring/heap.ts'
import { openService } from '#src/wiring/service.ts'
import { readFrontMessage } from './fronts/messages.ts'

/** Door: the HTTP process. */
keepHeapSmall()
// To the process that keeps several fronts, if this is one of them: one that says nothing hangs, also while it starts.
const living = createRepeat({ everyMs: policy.fronts.livesEveryMs, onFault: () => {} }, () => {
  if (process.connected) process.send?.({ lives: true }, () => {})
})
void living.start()
const service = await startOrExplain(async (ended) => {
  const opened = await openService(readEnvironment(process.env), {
    workers: false,
    isBesideOthers: process.env.FRONTS_LISTEN === 'ja',
    ended,
  })
  const address = await opened.listen()
  process.send?.({ listens: address })
  return opened
})

// From that process: what it lost of its own lines, which only a front can show.
process.on('message', (message: unknown) => {
  const told = readFrontMessage(message)
  if (told !== null && 'lost' in told) service.log.tellLostElsewhere(told.lost)
})

endInOrder({
  log: service.log,
  endedBy: service.endedBy,
  async close() {
    await service.drain()
    await service.close()
  },
})

import { createLog } from '#src/core/log.ts'
import { startOrExplain } from '#src/core/start.ts'
import { endInOrder } from '#src/wiring/ending.ts'

// A process of its own that ends in order, and says when it begins to. The argument is what it is told in: its start, its work, an
// end that never comes, or such an end that begins before its start has let go of the signals.
const [phase] = process.argv.slice(2)
const log = createLog({ level: 'error', file: null })
setInterval(() => {}, 60_000)
await startOrExplain(async (ended) => {
  if (phase !== 'start') return
  process.stdout.write('ready\n')
  await new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }))
  await close()
})
endInOrder({ log, endedBy: async () => {}, close })
if (phase === 'endless end at once') process.emit('SIGTERM', 'SIGTERM')
process.stdout.write('ready\n')

async function close(): Promise<void> {
  process.stdout.write('closing\n')
  if (phase?.startsWith('endless end')) await new Promise(() => {})
  // Whoever else tells of it has done so by then.
  await new Promise((resolve) => setTimeout(resolve, 100))
  process.stdout.write('closed\n')
  await log.flushed()
}

import closeWithGrace from 'close-with-grace'
import { readEnvironment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { startOrExplain } from '#src/core/start.ts'
import { openWorkers } from '#src/wiring/service.ts'

/** Door: the background work in a process of its own. */
const workers = await startOrExplain(() => openWorkers(readEnvironment(process.env)))
workers.log.info('workers running')

closeWithGrace({ delay: policy.shutdown.graceMs, logger: workers.log }, async () => workers.close())

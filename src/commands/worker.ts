import { readEnvironment } from '#config/environment.ts'
import { startOrExplain } from '#src/core/start.ts'
import { endInOrder } from '#src/wiring/ending.ts'
import { comeAfterReaders } from '#src/wiring/priority.ts'
import { openWorkers } from '#src/wiring/service.ts'

/** Door: the background work in a process of its own. */
comeAfterReaders()
const workers = await startOrExplain((ended) => openWorkers(readEnvironment(process.env), ended))
workers.log.info('workers running')

endInOrder(workers)

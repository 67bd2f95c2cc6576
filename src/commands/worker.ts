import { readEnvironment } from '#config/environment.ts'
import { startOrExplain } from '#src/core/start.ts'
import { endInOrder } from '#src/wiring/ending.ts'
import { comeAfterReaders } from '#src/wiring/priority.ts'
import { openWorkers } from '#src/wiring/service.ts'

/** Door: the background work in a process of its own. */
const workers = await startOrExplain((ended) => openWorkers(readEnvironment(process.env), ended))
// Not before: a PostgreSQL that was started on the way is the readers' as well.
comeAfterReaders()
workers.log.info('workers running')

endInOrder(workers)

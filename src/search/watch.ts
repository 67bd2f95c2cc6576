import type { Log } from '#src/core/log.ts'
import { createRepeat } from '#src/core/repeat.ts'
import type { SearchIndex } from './search.ts'

/** Knows which index is read, by looking now and then. What can not be looked at is as it was. */
export function createIndexWatch({
  read,
  everyMs,
  log,
}: {
  read: () => Promise<SearchIndex | null>
  everyMs: number
  log: Pick<Log, 'warn'>
}) {
  let index: SearchIndex | null = null
  const onFault = (error: unknown) =>
    log.warn({ err: error }, 'whether there is a search index is not known; it is looked for again')
  const looking = createRepeat({ everyMs, onFault }, async () => {
    index = await read()
  })

  return {
    /** After the first look. */
    start: looking.start,
    current: () => index,
    close: looking.close,
  }
}

import type { Log } from '#src/core/log.ts'
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
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  async function look(): Promise<void> {
    try {
      index = await read()
    } catch (error) {
      log.warn({ err: error }, 'whether there is a search index is not known; it is looked for again')
    }
    if (!isClosed) timer = setTimeout(look, everyMs).unref()
  }

  return {
    /** After the first look. */
    start: look,
    current: () => index,
    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

import type { Log } from '#src/core/log.ts'

type Closable = { close(): void | Promise<void> }

/** Live things in the order they were opened. */
export type OpenedThings = {
  /** When the opening is given up: for what takes its time. */
  readonly ended: AbortSignal
  /** @throws the reason of the signal that ended the opening; the thing is closed with the rest */
  keep<T extends Closable>(name: string, thing: T): T
  /** Closes all, newest first, each even when another fails to close. */
  closeAll(): Promise<void>
}

export function createOpened(log: Log, ended = new AbortController().signal): OpenedThings {
  const opened: { name: string; thing: Closable }[] = []
  return {
    ended,
    keep(name, thing) {
      opened.push({ name, thing })
      ended.throwIfAborted()
      return thing
    },
    async closeAll() {
      for (const { name, thing } of opened.splice(0).reverse()) {
        try {
          await thing.close()
        } catch (error) {
          log.error({ err: error }, `${name} could not be closed`)
        }
      }
    },
  }
}

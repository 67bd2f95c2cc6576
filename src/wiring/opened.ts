import type { Log } from '#src/core/log.ts'

type Closable = { close(): void | Promise<void> }

/** Live things in the order they were opened. */
export type Opened = {
  keep<T extends Closable>(name: string, thing: T): T
  /** Closes all, newest first, each even when another fails to close. */
  closeAll(): Promise<void>
}

export function createOpened(log: Log): Opened {
  const opened: { name: string; thing: Closable }[] = []
  return {
    keep(name, thing) {
      opened.push({ name, thing })
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

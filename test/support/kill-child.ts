import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Ends it as a crash would, unless it has ended, and waits until it is gone. */
export async function killChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

type Holder = {
  readonly url: string
  readonly process: ChildProcessByStdio<Writable, Readable, null>
  /** What it said after its address, once it has ended. */
  ended(): Promise<string[]>
  /** Lets it use the database once more, close and end. */
  release(): Promise<string[]>
}

/** Another process that holds the embedded database of a folder open; at the head of a process group, as under a shell. */
export async function holdEmbeddedDatabase(dataDir: string): Promise<Holder> {
  const script = fileURLToPath(new URL('hold-embedded-database.ts', import.meta.url))
  const child = spawn(process.execPath, [script, dataDir], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  const exit = once(child, 'exit')
  const end = Promise.all([exit, once(reader, 'close')])
  const url = await Promise.race([
    once(reader, 'line').then(([line]) => String(line)),
    exit.then(([code]) => Promise.reject(new Error(`the holder ended with ${code} before it had opened`))),
  ])
  reader.on('line', (line) => lines.push(line))
  const ended = () => end.then(() => lines)
  return {
    url,
    process: child,
    ended,
    release() {
      child.stdin.end()
      return ended()
    },
  }
}

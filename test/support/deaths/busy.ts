import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { eventually } from '../eventually.ts'
import { killChild } from '../kill-child.ts'

type Said = { times: Record<string, number>; failures: Record<string, string> }

/** A process that uses a database in every way the service does, until it is closed. */
export function startBusyProcess(url: string) {
  const child = fork(fileURLToPath(new URL('busy-process.ts', import.meta.url)), [url], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  let wrote = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    wrote += text
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null

  async function ask(): Promise<Said> {
    if (hasEnded()) throw new Error(`the busy process ended with ${child.exitCode}: ${wrote}`)
    const over = new AbortController()
    const answer = ['message', 'exit'].map((event) => once(child, event, { signal: over.signal }))
    child.send('?', () => {})
    const [said] = await Promise.race(answer)
    over.abort()
    await Promise.allSettled(answer)
    return typeof said === 'object' && said !== null ? (said as Said) : ask()
  }

  return {
    /** Every way has worked from now on. @throws Error with what it wrote, when the process has ended */
    async worksInEveryWay(withinMs = 20_000): Promise<void> {
      const before = await ask()
      let now = before
      const idle = () => Object.keys(now.times).filter((way) => now.times[way] === before.times[way])
      try {
        await eventually(
          'every way works',
          async () => {
            now = await ask()
            return idle().length === 0
          },
          withinMs,
        )
      } catch (cause) {
        const facts = { idle: idle(), failures: now.failures }
        throw new Error(`of the ways to use PostgreSQL: ${JSON.stringify(facts)}`, { cause })
      }
    },
    close: () => killChild(child),
  }
}

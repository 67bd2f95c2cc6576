import { constants, fstatSync, openSync, write } from 'node:fs'
import { promisify } from 'node:util'
import type { Output } from './lines.ts'

const writeTo = promisify(write)

/**
 * This process's standard output or error. A pipe or a socket is written through Node's own stream, which holds what its
 * reader does not take, without a thread that would hang with it (and hold up the end of the process). Anything else, a
 * file, a terminal, is written as a file.
 */
export function standardOutput(which: 'stdout' | 'stderr'): Output {
  let output: Output | null = null
  return {
    write(bytes) {
      output ??= openOutput(which)
      return output.write(bytes)
    },
  }
}

function openOutput(which: 'stdout' | 'stderr'): Output {
  const fd = { stdout: 1, stderr: 2 }[which]
  const stream = process[which]
  const kind = fstatSync(fd).mode & constants.S_IFMT
  if (kind === constants.S_IFIFO || kind === constants.S_IFSOCK) {
    return {
      write: (bytes) =>
        new Promise((resolve, reject) => {
          stream.write(bytes, (error) => (error ? reject(error) : resolve(bytes.length)))
        }),
    }
  }
  const own = kind === constants.S_IFCHR ? withoutWaiting(fd) : fd
  return { write: async (bytes) => (await writeTo(own, bytes)).bytesWritten }
}

/** A terminal that was halted (Ctrl-S) would be waited for. Opened anew it says so instead, where that can be had. */
function withoutWaiting(fd: number): number {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    return fd
  }
}

let areHeeded = false

/** A reader of our output that is gone is told as an error of the stream, which ends the process where nobody listens. */
export function heedOutputs(): void {
  if (areHeeded) return
  areHeeded = true
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}

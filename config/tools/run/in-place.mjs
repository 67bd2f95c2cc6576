import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

/** Handed on to the program. SIGINT of a terminal is not: everybody in it is told already, and twice means at once. */
const HANDED_ON = ['SIGTERM', 'SIGHUP', 'SIGINT']

/**
 * Runs a program as though this process had become it: same terminal, same signals, same ending, and it is told to end when
 * this process is killed.
 *
 * @returns only when there is something left to do here: the program ended with 0
 */
export async function runInPlace(command, parameters, options = {}) {
  const child = spawn(command, parameters, { stdio: 'inherit', ...options })
  const isTold = hasTerminal()
  const handOn = (signal) => {
    if (signal !== 'SIGINT' || !isTold) child.kill(signal)
  }
  for (const signal of HANDED_ON) process.on(signal, handOn)
  const letGo = endsWithThis(child.pid)
  const [code, signal] = await new Promise((resolve) => {
    child.on('exit', (...ending) => resolve(ending))
    child.on('error', (error) => {
      console.error(error.message)
      resolve([1, null])
    })
  })
  letGo()
  for (const each of HANDED_ON) process.removeListener(each, handOn)
  if (signal !== null) {
    process.kill(process.pid, signal)
    // A signal that does not end this one is still no success.
    process.exit(1)
  }
  if (code !== 0) process.exit(code)
}

function hasTerminal() {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

/** A shell that reads until this process is gone, however it went. */
function endsWithThis(pid) {
  if (pid === undefined || process.platform === 'win32') return () => {}
  const watch = spawn('sh', ['-c', 'read -r _ || kill "$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watch.unref()
  watch.stdin.unref()
  return () => watch.stdin.end('ended\n')
}

import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

/** In a terminal not SIGHUP: whoever began this so that it is ignored (nohup) is right, and who did not loses both. */
const SIGNALS = ['SIGTERM', 'SIGINT', ...(hasTerminal() ? [] : ['SIGHUP'])]

/** Runs a program as though this process had become it: same terminal, same signals, same ending. Does not return. */
export async function become(command, parameters) {
  end(await runUnder(command, parameters, { stdio: 'inherit' }))
}

/**
 * Runs a program under this one: it gets the signals this process gets, and is told to end when this process is killed.
 *
 * @param patienceMs how long it may go on once it was told to end; after that it is killed, and has ended by that signal
 * @returns how it ended (code, signal), what it wrote on a stderr that was piped, and whether this process was told to end
 */
export async function runUnder(command, parameters, options, patienceMs = Number.POSITIVE_INFINITY) {
  const child = spawn(command, parameters, options)
  // In a terminal everybody in it gets SIGINT: handed on it would come twice, which means at once.
  const isToldByTerminal = hasTerminal()
  let told = null
  let isKilledHere = false
  let impatience
  const handOn = (signal) => {
    told ??= signal
    if (patienceMs < Number.POSITIVE_INFINITY)
      impatience ??= setTimeout(() => {
        isKilledHere = true
        child.kill('SIGKILL')
      }, patienceMs)
    if (signal !== 'SIGINT' || !isToldByTerminal) child.kill(signal)
  }
  for (const signal of SIGNALS) process.on(signal, handOn)
  const letGo = endsWithThis(child.pid)
  let words = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    words += text
  })
  const [code, signal] = await new Promise((resolve) => {
    child.on('close', (...ending) => resolve(ending))
    child.on('error', (error) => {
      console.error(error.message)
      resolve([1, null])
    })
  })
  letGo()
  clearTimeout(impatience)
  for (const each of SIGNALS) process.removeListener(each, handOn)
  return {
    code,
    // What others kill is no end in order, whatever it was told before: SIGHUP tells of another log.
    signal: signal === 'SIGKILL' && isKilledHere ? told : signal,
    words,
    wasTold: told !== null,
  }
}

/** Ends this process as the other ended. */
export function end({ code, signal }) {
  if (signal !== null) process.kill(process.pid, signal)
  // Also for a signal that did not end this one, which is still no success.
  process.exit(code ?? 1)
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
  if (pid === undefined) return () => {}
  const watch = spawn('sh', ['-c', 'read -r _ || kill "$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Out of reach of what ends this process and everything beside it.
    detached: true,
  })
  watch.on('error', () => {})
  watch.stdin.on('error', () => {})
  watch.unref()
  watch.stdin.unref()
  return () => watch.stdin.end('ended\n')
}

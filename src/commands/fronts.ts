import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { readEnvironment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { createLog } from '#src/core/log.ts'
import { createRepeat } from '#src/core/repeat.ts'
import { hasTerminal } from '#src/core/signals.ts'
import { startOrExplain } from '#src/core/start.ts'
import { removeLeft } from '#src/http/server/at-socket.ts'
import { descriptorsOfProcess } from '#src/http/server/within-descriptors.ts'
import { frontSocketOf } from '#src/wiring/addresses.ts'
import { endWhatIsHandedOver } from './fronts/handed-over.ts'
import { handRoundInTurns } from './fronts/in-turns.ts'
import { keepRunning, type Running } from './fronts/keep-running.ts'
import { readFrontMessage } from './fronts/messages.ts'
import { passOnLines } from './fronts/pass-on-lines.ts'
import { createHangWatch } from './fronts/who-hangs.ts'

/**
 * Door: several fronts on one address, in one command. This process takes in the connections and hands them round; each front
 * is a process like any other, and one that ends is replaced. SIGTERM ends them all in order, SIGHUP opens their log anew.
 */
const { count, opsPort, trustProxy, log } = await startOrExplain(async () => {
  const environment = readEnvironment(process.env)
  const { fronts, opsPort, trustProxy, logLevel, logFile } = environment
  const socket = frontSocketOf(environment)
  if (socket !== null) await removeLeft(socket.path)
  return { count: fronts, opsPort, trustProxy, log: createLog({ level: logLevel, file: logFile }) }
})
cluster.setupPrimary({ exec: fileURLToPath(new URL('./server.ts', import.meta.url)), silent: true })
// There are two addresses, and as much again is left for fronts that are started.
const handing = handRoundInTurns({
  trustProxy,
  waitingMax: Math.min(policy.http.newcomersMax, Math.floor(descriptorsOfProcess() / 4)),
})

const listening = new Map<number, Worker>()
const children = new Map<number, Worker>()
/** One of them tells it in its metrics: counted by each it would be many times as much. */
const telling = createRepeat({ everyMs: policy.ops.reportEveryMs, onFault: () => {} }, () => {
  const [front] = listening.values()
  if (log.lost() > 0 && front?.isConnected()) front.send({ lost: log.lost() }, () => {})
})
void telling.start()
/** One that hangs holds its connections, and does not hear SIGTERM. */
const hanging = createHangWatch<Worker>({
  unheardMax: policy.fronts.unheardMax,
  unheardAtFirstMax: policy.fronts.unheardAtFirstMax,
  onHang(child) {
    log.error({ pid: child.process.pid }, 'a front hangs, and is ended')
    child.process.kill('SIGKILL')
  },
})
const looking = createRepeat({ everyMs: policy.fronts.livesEveryMs, onFault: () => {} }, hanging.look)
void looking.start()
const fronts = keepRunning({
  count,
  start: startFront,
  policy: policy.fronts,
  onReady(place, { pid }, address) {
    log.info({ front: place, pid }, 'a front listens')
    const child = children.get(place)
    if (child !== undefined) listening.set(place, child)
    if (listening.size < count) return
    log.info(`${count} fronts listen at ${address}`)
    process.send?.({ listens: address })
  },
  onEnded(place, { pid }, again) {
    listening.delete(place)
    log.error({ front: place, pid, ...again }, 'a front ended')
  },
})

const endsWithTerminal = hasTerminal()
process.on('SIGHUP', () => (endsWithTerminal ? fronts.end({ areTold: false }) : log.reopen()))
// Told again, by whoever else hands it on, they are ending already. In a terminal everybody in it gets SIGINT; elsewhere it may be this one alone.
process.on('SIGTERM', () => fronts.end({ areTold: false }))
process.on('SIGINT', () => fronts.end({ areTold: endsWithTerminal }))
let isFault = false
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.once(event, (error: unknown) => {
    log.fatal({ err: error }, 'the process ends by an error nobody caught')
    isFault = true
    fronts.end({ areTold: false })
  })
}
const isWell = await fronts.ended
await looking.close()
await telling.close()
await log.flushed()
process.exit(isWell && !isFault ? 0 : 1)

/** @param place from 1; the operators' side of each front is at a port of its own */
function startFront(place: number): Running {
  const ready = Promise.withResolvers<string>()
  const ended = Promise.withResolvers<number | null>()
  const endedUnstarted = (error: unknown) => {
    log.error({ front: place, err: error }, 'a front could not be started')
    ended.resolve(null)
  }
  let child: Worker
  try {
    child = cluster.fork({
      OPS_PORT: String(opsPort === 0 ? 0 : opsPort + place - 1),
      // This process alone writes the log, with the lines of all.
      LOG_FILE: '',
      LOG_FILE_FILE: '',
      // One that waits for its stores would take its share of the connections from those that answer without them.
      FRONTS_LISTEN: listening.size > 0 ? 'ja' : '',
    })
  } catch (error) {
    // Of what the system may say Node tells some later, as below, and throws the rest: that there is no memory for it is of these.
    endedUnstarted(error)
    return { pid: 0, ready: ready.promise, ended: ended.promise, signal: () => {} }
  }
  children.set(place, child)
  const running = {
    pid: child.process.pid ?? 0,
    ready: ready.promise,
    ended: ended.promise,
    signal: (name: 'SIGTERM' | 'SIGKILL') => void child.process.kill(name),
  }
  // The system had no room for it: it has neither output nor a way to be spoken with, and is never told to have ended.
  if (child.process.pid === undefined) {
    child.on('error', endedUnstarted)
    return running
  }
  hanging.started(child)
  endWhatIsHandedOver(child.process, handing)
  const { stdout, stderr } = child.process
  if (stdout !== null) passOnLines(stdout, log.lines)
  if (stderr !== null) passOnLines(stderr, log.complaints)
  child.on('message', (message: unknown) => {
    const told = readFrontMessage(message)
    if (told === null) return
    if ('listens' in told) ready.resolve(told.listens)
    if ('lives' in told) hanging.heard(child)
  })
  // The process, and not its place in the cluster, which is told of late or not at all when it could not be started.
  // One that SIGTERM or SIGINT ends could not hear it yet, and had opened nothing: that is an end in order.
  child.process.once('exit', (code, signal) => {
    hanging.forget(child)
    ended.resolve(isToEnd(signal) ? 0 : code)
  })
  child.on('error', () => {})
  return running
}

function isToEnd(signal: NodeJS.Signals | null): boolean {
  return signal === 'SIGTERM' || signal === 'SIGINT'
}

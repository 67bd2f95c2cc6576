import type { TLSSocket } from 'node:tls'
import { type buildConnector, errors } from 'undici'

export type DoubtBounds = {
  /** For the connection, its handshake included. */
  readonly connectTimeoutMs: number
  readonly restFirstMs: number
  readonly restLastMs: number
  /** Connections to a peer of which it is not known yet who answers. */
  readonly atOnceMax: number
}

/**
 * Certificates are reckoned with in one turn of the event loop, and before anybody knows whose they are: a hundred on slow curves take
 * half a second. Whoever stands where a peer should be, and answers each connection so, would have the process for themselves, whether
 * they come to an end of it or not. So of a peer that showed certificates and not who it is one connection is tried at a time, each after a
 * rest twice as long as the one before. All others fail as that did, those that were under way among them, until one has shown it. A few
 * are under way at a time: of as many as there may be each would be reckoned with before the first of them is late. Who shows none costs
 * nothing, and is connected to as often as before.
 *
 * @param connect as undici makes one, by TLS and without a deadline of its own
 */
export function doubtful(
  connect: buildConnector.connector,
  { connectTimeoutMs, restFirstMs, restLastMs, atOnceMax }: DoubtBounds,
): buildConnector.connector {
  return function begin(options, callback) {
    const peer = peerAt(options.host ?? options.hostname)
    const { doubt } = peer
    if (doubt !== null && (doubt.isTried || performance.now() < doubt.untilMs)) {
      queueMicrotask(() => callback(doubt.error, null))
      return
    }
    if (peer.underWay.size >= atOnceMax) {
      peer.waiting.push(() => begin(options, callback))
      return
    }
    if (doubt !== null) doubt.isTried = true
    let hasShownSome = false
    const deadline = setTimeout(() => {
      hasShownSome = Object.keys(begun.getPeerCertificate() ?? {}).length > 0
      begun.destroy(new errors.ConnectTimeoutError())
    }, connectTimeoutMs)
    // It hands back the connection it begins, though its types do not say so.
    const begun = connect(options, (...connected) => {
      clearTimeout(deadline)
      peer.underWay.delete(begun)
      const [error] = connected
      if (error === null) peer.doubt = null
      else if (hasShownSome || isNotBelieved(begun)) {
        const restMs = peer.doubt === null ? restFirstMs : Math.min(2 * peer.doubt.restMs, restLastMs)
        peer.doubt = { error, restMs, untilMs: performance.now() + restMs, isTried: false }
        for (const other of peer.underWay) other.destroy(error)
      } else if (doubt !== null) doubt.isTried = false
      callback(...connected)
      // All of them where they fail at once.
      const next = peer.waiting.splice(0, peer.doubt === null ? 1 : peer.waiting.length)
      for (const goOn of next) goOn()
    }) as unknown as TLSSocket
    peer.underWay.add(begun)
  }
}

type Doubt = { error: Error; restMs: number; untilMs: number; isTried: boolean }
type Peer = { doubt: Doubt | null; readonly underWay: Set<TLSSocket>; readonly waiting: (() => void)[] }

/** By name and port, whoever asks there: our own settings name them. */
const peers = new Map<string, Peer>()

function peerAt(host: string): Peer {
  const peer = peers.get(host) ?? { doubt: null, underWay: new Set(), waiting: [] }
  peers.set(host, peer)
  return peer
}

/** It is set when the handshake is over. */
function isNotBelieved({ authorizationError }: TLSSocket): boolean {
  return Boolean(authorizationError)
}

import type { TLSSocket } from 'node:tls'
import { type buildConnector, errors } from 'undici'
import { createDoubt, type Doubt, type DoubtRests } from '#src/core/doubt.ts'

export type DoubtBounds = DoubtRests & {
  /** For the connection, its handshake included. */
  readonly connectTimeoutMs: number
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
  { connectTimeoutMs, atOnceMax, ...rests }: DoubtBounds,
): buildConnector.connector {
  return function begin(options, callback) {
    const peer = peerAt(options.host ?? options.hostname, rests)
    const trial = peer.doubt.begin()
    if (trial === null) {
      queueMicrotask(() => callback(peer.error, null))
      return
    }
    if (peer.underWay.size >= atOnceMax) {
      trial.unknown()
      peer.waiting.push(() => begin(options, callback))
      return
    }
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
      const isDoubted = error !== null && (hasShownSome || isNotBelieved(begun))
      if (isDoubted) {
        trial.doubted()
        peer.error = error
        for (const other of peer.underWay) other.destroy(error)
      } else if (error === null) trial.believed()
      else trial.unknown()
      callback(...connected)
      // All of them where they fail at once.
      for (const goOn of peer.waiting.splice(0, isDoubted ? peer.waiting.length : 1)) goOn()
    }) as unknown as TLSSocket
    peer.underWay.add(begun)
  }
}

/** `error`: what the last of those that were doubted failed with. */
type Peer = {
  readonly doubt: Doubt
  error: Error
  readonly underWay: Set<TLSSocket>
  readonly waiting: (() => void)[]
}

/** By name and port, whoever asks there: our own settings name them. */
const peers = new Map<string, Peer>()

function peerAt(host: string, rests: DoubtRests): Peer {
  const peer = peers.get(host) ?? {
    doubt: createDoubt(rests),
    error: new Error('not asked yet'),
    underWay: new Set(),
    waiting: [],
  }
  peers.set(host, peer)
  return peer
}

/** It is set when the handshake is over. */
function isNotBelieved({ authorizationError }: TLSSocket): boolean {
  return Boolean(authorizationError)
}

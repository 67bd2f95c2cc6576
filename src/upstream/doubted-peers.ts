import type { TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'

/**
 * Certificates are reckoned with in one turn of the event loop, and before anybody knows whose they are: a hundred on slow curves take
 * half a second. Whoever stands where a peer should be, and answers each connection so, would have the process for themselves. So
 * of a peer whose certificates were not believed one connection is tried in so long. All others fail as that did, those that were under
 * way among them, until one has shown it.
 *
 * @param connect as undici makes one
 */
export function doubtful(
  connect: buildConnector.connector,
  { restMs }: { restMs: number },
): buildConnector.connector {
  return (options, callback) => {
    const { protocol, host, hostname } = options
    if (protocol !== 'https:') return connect(options, callback)
    const peer = peerAt(host ?? hostname)
    const { doubt } = peer
    const nowMs = performance.now()
    if (doubt !== null && nowMs < doubt.untilMs) {
      queueMicrotask(() => callback(doubt.error, null))
      return
    }
    // Until it is known what comes of this one.
    if (doubt !== null) doubt.untilMs = nowMs + restMs
    // It hands back the connection it begins, though its types do not say so.
    const begun = connect(options, (...connected) => {
      peer.underWay.delete(begun)
      const [error] = connected
      if (error === null) peer.doubt = null
      else if (isNotBelieved(begun)) {
        peer.doubt = { error, untilMs: performance.now() + restMs }
        for (const other of peer.underWay) other.destroy(error)
      }
      callback(...connected)
    }) as unknown as TLSSocket
    peer.underWay.add(begun)
  }
}

type Peer = { doubt: { error: Error; untilMs: number } | null; readonly underWay: Set<TLSSocket> }

/** By name and port, whoever asks there: our own settings name them. */
const peers = new Map<string, Peer>()

function peerAt(host: string): Peer {
  const peer = peers.get(host) ?? { doubt: null, underWay: new Set() }
  peers.set(host, peer)
  return peer
}

/** It is set when the handshake is over. */
function isNotBelieved({ authorizationError }: TLSSocket): boolean {
  return Boolean(authorizationError)
}

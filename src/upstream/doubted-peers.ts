import type { TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'

export type DoubtBounds = { readonly restFirstMs: number; readonly restLastMs: number }

/**
 * Certificates are reckoned with in one turn of the event loop, and before anybody knows whose they are: a hundred on slow curves take
 * half a second. Whoever stands where a peer should be, and answers each connection so, would have the process for themselves, whether
 * they come to an end of it or not. So of a peer that could not show who it is one connection is tried at a time, each after a rest twice
 * as long as the one before. All others fail as that did, those that were under way among them, until one has shown it.
 *
 * @param connect as undici makes one
 */
export function doubtful(
  connect: buildConnector.connector,
  { restFirstMs, restLastMs }: DoubtBounds,
): buildConnector.connector {
  return (options, callback) => {
    const { protocol, host, hostname } = options
    if (protocol !== 'https:') return connect(options, callback)
    const peer = peerAt(host ?? hostname)
    const { doubt } = peer
    if (doubt !== null && (doubt.isTried || performance.now() < doubt.untilMs)) {
      queueMicrotask(() => callback(doubt.error, null))
      return
    }
    if (doubt !== null) doubt.isTried = true
    let isReached = false
    // It hands back the connection it begins, though its types do not say so.
    const begun = connect(options, (...connected) => {
      peer.underWay.delete(begun)
      const [error] = connected
      if (error === null) peer.doubt = null
      else if (isReached && (isNotBelieved(begun) || isLate(error))) {
        const restMs = peer.doubt === null ? restFirstMs : Math.min(2 * peer.doubt.restMs, restLastMs)
        peer.doubt = { error, restMs, untilMs: performance.now() + restMs, isTried: false }
        for (const other of peer.underWay) other.destroy(error)
      } else if (doubt !== null) doubt.isTried = false
      callback(...connected)
    }) as unknown as TLSSocket
    begun.once('connect', () => {
      isReached = true
    })
    peer.underWay.add(begun)
  }
}

type Doubt = { error: Error; restMs: number; untilMs: number; isTried: boolean }
type Peer = { doubt: Doubt | null; readonly underWay: Set<TLSSocket> }

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

function isLate(error: Error & { code?: unknown }): boolean {
  return error.code === 'UND_ERR_CONNECT_TIMEOUT'
}

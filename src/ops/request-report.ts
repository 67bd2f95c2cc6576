import { channel } from 'node:diagnostics_channel'

/**
 * Where an answer about a company came from:
 * - `svar`: the whole answer was at hand in memory
 * - `minne`, `redis`: all its parts were, the farthest of them there
 * - `register`: at least one source was asked, by this reader or by another who was waited for
 * - `ved_feil`: at least one source was asked and failed, and a copy covers it
 */
export const fetchedFrom = ['svar', 'minne', 'redis', 'register', 'ved_feil'] as const
export type FetchedFrom = (typeof fetchedFrom)[number]

export type RequestLine = {
  foresporselId: string
  metode: string
  /** The route's pattern, never its address. */
  rute: string | null
  status: number
  /**
   * Until there was an answer to send, or until it was sent where it is made meanwhile. How its client reads, and what the client has
   * asked for before it on the same connection, is no part of it.
   */
  ms: number
  /** Null for what is no company. */
  hentet: FetchedFrom | null
  nokkelId: string | null
  /** Made with a test key: about invented companies, and counted apart. */
  prove?: true
  /** It was refused for what its sender had under way, or shows as the same key, besides. */
  avMange?: true
  /** Of `ms`, so many were waited behind what its sender had under way besides. */
  egenKoMs?: number
}

/** Every request, for whoever counts: answered, or left by its client (499). */
export const REQUEST_CHANNEL = 'bedriftsoppslag:request'

const requests = channel(REQUEST_CHANNEL)

export function publishRequest(line: RequestLine): void {
  if (requests.hasSubscribers) requests.publish(line)
}

import { channel } from 'node:diagnostics_channel'

export type RequestLine = {
  foresporselId: string
  metode: string
  /** The route's pattern, never its address. */
  rute: string | null
  status: number
  ms: number
  nokkelId: string | null
}

/** Every answered request, for whoever counts. */
export const REQUEST_CHANNEL = 'bedriftsoppslag:request'

const requests = channel(REQUEST_CHANNEL)

export function publishRequest(line: RequestLine): void {
  if (requests.hasSubscribers) requests.publish(line)
}

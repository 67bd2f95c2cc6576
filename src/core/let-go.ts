import { channel } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/** Why a connection is ended by us, though its client would have kept it, for what that one takes of others. */
export const letGoFor = [
  /** it sends more than anybody means */
  'flom',
  /** there is no room for more: of its network, or of all that is taken */
  'trangt',
  /** it does not read what it asked for */
  'ulest',
  /** it leaves half a request, and does not come to its end */
  'halvt',
] as const
export type LetGoFor = (typeof letGoFor)[number]

/** Listeners get a `LetGoFor`, synchronously. */
export const LET_GO_CHANNEL = 'bedriftsoppslag:let-go'

const told = channel(LET_GO_CHANNEL)
const counted = new WeakSet<Socket>()

export function letGoOf(socket: Socket, why: LetGoFor): void {
  tellLetGoOf(socket, why)
  socket.destroy()
}

/** Of one that ends with an answer; told again of the same it is told once. */
export function tellLetGoOf(socket: Socket, why: LetGoFor): void {
  if (socket.destroyed || counted.has(socket)) return
  counted.add(socket)
  if (told.hasSubscribers) told.publish(why)
}

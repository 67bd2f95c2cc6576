import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

export type PieceBounds = {
  readonly pieceBytes: number
  readonly piecesMax: number
  readonly unwantedBytesMax: number
}

/**
 * Node's own request, whose body reaches its reader in pieces as large as they were read. A client may send it in pieces of a byte
 * (RFC 9112, 7.1), each of which Node hands on as a buffer of its own: half a kilobyte for six bytes sent, and half a hundred
 * milliseconds for what is read in one go. Small ones are put together until all that was read has been looked at (what is for the
 * next tick is done between two pieces); with more of
 * them than any client means the connection is ended where it stands.
 *
 * What is still to come of a body when its request has been answered is for nobody. Node reads it to its end, for as long as it
 * comes, to hear what is asked next: here it may be as long as a body that is wanted.
 *
 * @param onFlood told of a connection that was ended for it
 */
export function gatheredRequests(
  { pieceBytes, piecesMax, unwantedBytesMax }: PieceBounds,
  { onFlood }: { onFlood: (socket: Socket) => void },
): typeof IncomingMessage {
  return class GatheredRequest extends IncomingMessage {
    gathered: Gathered | null = null
    unwanted: { pieces: number; bytes: number } | null = null

    /** What Node does with an answered request that nobody has begun to read, in every Node there is; its types leave it out. */
    _dump(): void {
      if (this.complete) dump.call(this)
      if (this.complete || this.unwanted !== null) return
      this.unwanted = { pieces: 0, bytes: 0 }
      this.removeAllListeners('data')
      this.resume()
    }

    override push(piece: Buffer | null): boolean {
      if (piece !== null && this.unwanted !== null) return this.leaveOut(piece, this.unwanted)
      if (piece === null || piece.length >= pieceBytes) {
        if (this.gathered !== null) this.handOn(this.gathered)
        // Of what nobody has begun to read one such piece is enough: Node would fetch another, and put both into one that is new.
        return super.push(piece) && this.readableLength === 0
      }
      this.gathered ??= { count: 0, bytes: 0, held: null }
      return this.gather(piece, this.gathered)
    }

    leaveOut(piece: Buffer, unwanted: { pieces: number; bytes: number }): boolean {
      unwanted.pieces += 1
      unwanted.bytes += piece.length
      return (unwanted.pieces <= piecesMax && unwanted.bytes <= unwantedBytesMax) || this.endFlood()
    }

    endFlood(): false {
      if (this.socket.destroyed) return false
      onFlood(this.socket)
      this.socket.destroy()
      return false
    }

    gather(piece: Buffer, gathered: Gathered): boolean {
      if (this.socket.destroyed) return false
      gathered.count += 1
      if (gathered.count > piecesMax) return this.endFlood()
      if (gathered.held === null) setImmediate(() => this.handOn(gathered))
      gathered.held = withRoom(gathered, piece.length)
      gathered.bytes += piece.copy(gathered.held, gathered.bytes)
      return this.readableLength + gathered.bytes < this.readableHighWaterMark
    }

    handOn(gathered: Gathered): void {
      const { held, bytes } = gathered
      gathered.held = null
      gathered.bytes = 0
      if (held !== null && !this.destroyed) super.push(held.subarray(0, bytes))
    }
  }
}

const { _dump: dump } = IncomingMessage.prototype as unknown as { _dump(): void }

/** `count`: of all small pieces so far. `held`: what was put together, in so many of its bytes. */
type Gathered = { count: number; bytes: number; held: Buffer | null }

function withRoom({ held, bytes }: Gathered, more: number): Buffer {
  if (held !== null && bytes + more <= held.length) return held
  const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * (bytes + more)))
  held?.copy(larger, 0, 0, bytes)
  return larger
}

const FIRST_BYTES = 1024

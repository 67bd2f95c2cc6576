import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

export type PieceBounds = {
  readonly pieceBytes: number
  readonly piecesMax: number
}

/**
 * Node's own request, whose body reaches its reader in pieces as large as they were read. A client may send it in pieces of a byte
 * (RFC 9112, 7.1), each of which Node hands on as a buffer of its own: half a kilobyte for six bytes sent, and half a hundred
 * milliseconds for what is read in one go. Small ones are put together until all that was read has been looked at (what is for the
 * next tick is done between two pieces); with more of
 * them than any client means the connection is ended where it stands.
 *
 * @param onFlood told of a connection that was ended for it
 */
export function gatheredRequests(
  { pieceBytes, piecesMax }: PieceBounds,
  { onFlood }: { onFlood: (socket: Socket) => void },
): typeof IncomingMessage {
  return class GatheredRequest extends IncomingMessage {
    gathered: Gathered | null = null

    override push(piece: Buffer | null): boolean {
      if (piece === null || piece.length >= pieceBytes) {
        if (this.gathered !== null) this.handOn(this.gathered)
        // Of what nobody has begun to read one such piece is enough: Node would fetch another, and put both into one that is new.
        return super.push(piece) && this.readableLength === 0
      }
      this.gathered ??= { count: 0, bytes: 0, held: null }
      return this.gather(piece, this.gathered)
    }

    gather(piece: Buffer, gathered: Gathered): boolean {
      if (this.socket.destroyed) return false
      gathered.count += 1
      if (gathered.count > piecesMax) {
        onFlood(this.socket)
        this.socket.destroy()
        return false
      }
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

/** `count`: of all small pieces so far. `held`: what was put together, in so many of its bytes. */
type Gathered = { count: number; bytes: number; held: Buffer | null }

function withRoom({ held, bytes }: Gathered, more: number): Buffer {
  if (held !== null && bytes + more <= held.length) return held
  const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * (bytes + more)))
  held?.copy(larger, 0, 0, bytes)
  return larger
}

const FIRST_BYTES = 1024

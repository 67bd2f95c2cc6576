import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { letGoOf } from '#src/core/let-go.ts'

export type PieceBounds = {
  readonly pieceBytes: number
  readonly piecesFreeMax: number
  readonly piecesMax: number
  readonly piecesATurnMax: number
  readonly piecesCounted: number
  readonly unwantedBytesMax: number
}

/** What becomes of a request is told to those who look after the server. */
type Told = {
  /** So many bytes more of what is sent along with it are held. */
  come(request: IncomingMessage, bytes: number): void
  /** They are held no more, or by somebody who counts them. */
  over(request: IncomingMessage): void
  /** @returns when the connection of a request that sent so many small pieces in one go is to be read again */
  turnOf(request: IncomingMessage, pieces: number): Promise<void>
  /** This request has sent so many more, not in a turn of its own (`piecesCounted`). @returns whether its network has sent too many */
  addMore(request: IncomingMessage): boolean
  /** This connection sent more of them in one go than there was room for, or had to be ended for what it sent. */
  onFlood(socket: Socket): void
}

/** A request to a server of ours. */
export type CountedRequest = {
  /** What is sent along with it counts among what nobody has read (`unfinished.ts`): from now on somebody else counts it. */
  countNoMore(): void
  /** It has been answered: what is still to come of it is for nobody. */
  leaveRest(): void
}

/**
 * Node's own request, whose body reaches its reader in pieces as large as they were read. A client may send it in pieces of a byte
 * (RFC 9112, 7.1), each of which Node hands on as a buffer of its own: half a kilobyte for six bytes sent, and half a hundred
 * milliseconds for what is read in one go. Small ones are put together until all that was read has been looked at (what is for the
 * next tick is done between two pieces), and whoever sends many in one go is read again in a turn of theirs. A body of however many
 * pieces comes whole, and the process is there for others meanwhile: where many connections send so at the same moment, those are
 * ended that it has no room for in that turn of the event loop, and where one after another does, those of a network that has sent too
 * many in a while.
 *
 * What is still to come of a body when its request has been answered is for nobody. Node reads it to its end, for as long as it
 * comes, to hear what is asked next; or not at all, where somebody had begun to: the connection then stands still. Here it may be
 * as long as a body that is wanted, in fewer pieces, whoever had begun.
 */
export function gatheredRequests(
  { pieceBytes, piecesFreeMax, piecesMax, piecesATurnMax, piecesCounted, unwantedBytesMax }: PieceBounds,
  { come, over, turnOf, addMore, onFlood }: Told,
): typeof IncomingMessage {
  /** Small pieces that all connections together have sent in this turn of the event loop. */
  let piecesOfTurn = 0
  const endTurn = () => {
    piecesOfTurn = 0
  }

  /** Counts one more. @returns whether so many of one are too many beside those of others, or after those that came before */
  function isTooMany(ofOne: number, request: IncomingMessage, isInTurn: boolean): boolean {
    if (piecesOfTurn === 0) setImmediate(endTurn)
    piecesOfTurn += 1
    // The more have come before in this turn, the fewer there is room for.
    const crowding = piecesOfTurn / piecesATurnMax
    if (crowding > 1 && ofOne * crowding > piecesMax) return true
    return !isInTurn && ofOne % piecesCounted === 0 && addMore(request)
  }

  return class GatheredRequest extends IncomingMessage implements CountedRequest {
    crumbs: Crumbs | null = null
    unwanted: { pieces: number; bytes: number } | null = null

    countNoMore(): void {
      over(this)
    }

    /** What Node does with an answered request that nobody has begun to read, in every Node there is; its types leave it out. */
    _dump(): void {
      // Nothing was sent along with it, or all of it was read.
      if (this.readableEnded && this.complete) return
      over(this)
      if (this.complete) dump.call(this)
      this.leaveRest()
    }

    leaveRest(): void {
      if (this.complete || this.unwanted !== null) return
      over(this)
      this.unwanted = { pieces: 0, bytes: 0 }
      this.crumbs = null
      this.removeAllListeners('data').removeAllListeners('readable')
      this.resume()
    }

    /** More of it is wanted: with Node's own the connection is read again, whoever had it stopped. */
    override _read(size: number): void {
      if (this.crumbs === null || (this.crumbs.inOneGo <= piecesFreeMax && !this.crumbs.isWaiting))
        super._read(size)
      else this.crumbs.isWanted = true
    }

    override push(piece: Buffer | null): boolean {
      if (piece !== null && this.socket.destroyed) {
        leaveOutRestOfGo(this.socket)
        return false
      }
      if (piece !== null && this.unwanted !== null) return this.leaveOut(piece, this.unwanted)
      if (piece !== null && piece.length < pieceBytes) return this.gather(piece)
      this.handOn()
      if (piece !== null) come(this, piece.length)
      // Of what nobody has begun to read one such piece is enough: Node would fetch another, and put both into one that is new.
      return super.push(piece) && this.readableLength === 0
    }

    leaveOut(piece: Buffer, unwanted: { pieces: number; bytes: number }): boolean {
      unwanted.bytes += piece.length
      if (piece.length < pieceBytes) unwanted.pieces += 1
      const isFlood = piece.length < pieceBytes && isTooMany(unwanted.pieces, this, false)
      if (!isFlood && unwanted.pieces <= piecesATurnMax && unwanted.bytes <= unwantedBytesMax) return true
      this.letGo()
      return false
    }

    letGo(): void {
      onFlood(this.socket)
      letGoOf(this.socket, 'flom')
    }

    gather(piece: Buffer): boolean {
      this.crumbs ??= { inOneGo: 0, bytes: 0, held: null, isWaiting: false, isInTurn: false, isWanted: false }
      const { crumbs } = this
      if (crumbs.inOneGo === 0) setImmediate(() => this.endGo(crumbs))
      crumbs.inOneGo += 1
      if (isTooMany(crumbs.inOneGo, this, crumbs.isInTurn)) {
        this.letGo()
        return false
      }
      crumbs.held = withRoom(crumbs, piece.length)
      crumbs.bytes += piece.copy(crumbs.held, crumbs.bytes)
      const isRoom = this.readableLength + crumbs.bytes < this.readableHighWaterMark
      return isRoom && crumbs.inOneGo <= piecesFreeMax
    }

    /** All that was read in one go has been looked at. */
    endGo(crumbs: Crumbs): void {
      const pieces = crumbs.inOneGo
      crumbs.inOneGo = 0
      crumbs.isInTurn = false
      // Node has gone on to the next request of a connection whose request is whole.
      if (pieces > piecesFreeMax && !this.complete && !crumbs.isWaiting) {
        crumbs.isWaiting = true
        turnOf(this, pieces).then(() => {
          crumbs.isWaiting = false
          crumbs.isInTurn = true
          // What comes later comes in no turn.
          setImmediate(() =>
            setImmediate(() => {
              crumbs.isInTurn = false
            }),
          )
          if (crumbs.isWanted) super._read(0)
          crumbs.isWanted = false
        })
      }
      this.handOn()
    }

    handOn(): void {
      const { held = null, bytes = 0 } = this.crumbs ?? {}
      if (this.crumbs === null || held === null) return
      this.crumbs.held = null
      this.crumbs.bytes = 0
      if (this.destroyed || this.unwanted !== null) return
      come(this, bytes)
      super.push(held.subarray(0, bytes))
    }
  }
}

const { _dump: dump } = IncomingMessage.prototype as unknown as { _dump(): void }

/**
 * Node goes on with what it has read of a connection that was ended. Where nobody is to be told of a piece of a body (its own books:
 * `kOnBody` of its parsers, which others are given later) the rest takes it a tenth of the time. All of it has been looked at before
 * what is for the next immediate is done.
 */
function leaveOutRestOfGo({ parser }: Socket & { parser?: Record<number, unknown> | null }): void {
  const told = parser?.[ON_BODY]
  if (parser == null || typeof told !== 'function') return
  parser[ON_BODY] = null
  setImmediate(() => {
    parser[ON_BODY] = told
  })
}

const ON_BODY = 3

/** Small pieces: how many of them came in one go, and what was put together, in so many bytes of `held`. */
type Crumbs = {
  inOneGo: number
  bytes: number
  held: Buffer | null
  /** For its turn to be read again, which it has; and somebody wants more of it then. */
  isWaiting: boolean
  isInTurn: boolean
  isWanted: boolean
}

function withRoom({ held, bytes }: Crumbs, more: number): Buffer {
  if (held !== null && bytes + more <= held.length) return held
  const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * (bytes + more)))
  held?.copy(larger, 0, 0, bytes)
  return larger
}

const FIRST_BYTES = 1024

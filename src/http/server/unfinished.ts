import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { letGoOf } from '#src/core/let-go.ts'
import { networkBehind } from './network-behind.ts'

export type UnfinishedBounds = {
  readonly unfinishedBytesMax: number
  readonly unfinishedEachBytes: number
  readonly unfinishedLeftMs: number
  readonly unfinishedLeftBytes: number
  readonly headerBytesMax: number
}

/** What one connection holds, in bytes. */
type Account = {
  readonly socket: Socket
  of: string
  bytes: number
  /** When it began to hold what it holds. */
  since: number
  /** Proxies keep connections ready, and are the ones to end them: of theirs it is what comes through them that counts. */
  readonly isOfProxy: boolean
  /** It has asked nothing yet. */
  isNew: boolean
  /** For the head of its next request, when it was looked at last, and for itself with it. */
  restBytes: number
  /** Of each request that is not whole, or not read yet; a client may send some along. null: it never had one. */
  bodies: Map<IncomingMessage, number> | null
}

/** The accounts of a network that hold anything, longest first. */
type Crowd = { bytes: number; accounts: Set<Account> }

/**
 * What clients send is held until it is whole and somebody has read it, for as long as a slow one may take, and a connection that asks
 * nothing for as long as it may: little of each, and of all together no more than `unfinishedBytesMax`. Beyond it the network that
 * holds the most gives up what it has held for longest, connection and all: who sends what they have, and is answered, holds nothing.
 * For that they are left a moment, in which it is the newcomers of such a network that give way, before anything is made of them; and
 * whoever is the only one of a network gives way to nobody in it.
 * What has a place (`received.ts`) is bounded by the places.
 *
 * @param isProxy whether an address is a proxy's in front: who is behind it has a network of their own
 * @param isAnswered whether a request of this connection is being answered
 */
export function createUnfinished(
  {
    unfinishedBytesMax,
    unfinishedEachBytes,
    unfinishedLeftMs,
    unfinishedLeftBytes,
    headerBytesMax,
  }: UnfinishedBounds,
  { isProxy, isAnswered }: { isProxy: (ip: string) => boolean; isAnswered: (socket: Socket) => boolean },
) {
  const accounts = new Map<Socket, Account>()
  const crowds = new Map<string, Crowd>()
  let sum = 0
  let isResting = false

  function add(account: Account, bytes: number): void {
    const crowd = crowds.get(account.of) ?? { bytes: 0, accounts: new Set() }
    account.bytes += bytes
    crowd.bytes += bytes
    sum += bytes
    // Who is there already keeps its place.
    if (account.bytes === bytes) account.since = performance.now()
    if (account.bytes > 0) crowd.accounts.add(account)
    else crowd.accounts.delete(account)
    if (crowd.accounts.size > 0) crowds.set(account.of, crowd)
    else crowds.delete(account.of)
  }

  /** One connection that has just begun: of a crowd of a thousand networks none has as much as who sends a form. */
  function isOfOne({ bytes, accounts }: Crowd, now: number): boolean {
    const [only] = accounts
    return accounts.size === 1 && bytes <= unfinishedLeftBytes && now - (only?.since ?? 0) < unfinishedLeftMs
  }

  function largestOf(now: number): Crowd | null {
    let largest: Crowd | null = null
    let largestOfOne: Crowd | null = null
    for (const crowd of crowds.values()) {
      if (isOfOne(crowd, now)) {
        if (crowd.bytes > (largestOfOne?.bytes ?? 0)) largestOfOne = crowd
      } else if (crowd.bytes > (largest?.bytes ?? 0)) largest = crowd
    }
    return largest ?? largestOfOne
  }

  function makeRoom(): void {
    const now = performance.now()
    while (sum > unfinishedBytesMax) {
      const largest = largestOf(now)
      const [longest] = largest?.accounts ?? []
      if (largest === null || longest === undefined) return
      const isLeft = now - longest.since < unfinishedLeftMs
      const given = isLeft ? ([...largest.accounts].at(-1) ?? longest) : longest
      // It has asked since it was looked at.
      if (given.bytes === given.restBytes && isAnswered(given.socket)) rest(given, 0)
      else {
        forget(given)
        letGoOf(given.socket, 'halvt')
      }
    }
  }

  function forget(account: Account): void {
    account.bodies?.clear()
    account.isNew = false
    account.restBytes = 0
    add(account, -account.bytes)
  }

  function rest(account: Account, bytes: number): void {
    if (bytes === account.restBytes) return
    add(account, bytes - account.restBytes)
    account.restBytes = bytes
  }

  function moveTo(of: string, account: Account): void {
    const { bytes } = account
    add(account, -bytes)
    account.of = of
    add(account, bytes)
  }

  function over(request: IncomingMessage): void {
    const account = accounts.get(request.socket)
    const bytes = account?.bodies?.get(request)
    if (account === undefined || bytes === undefined) return
    account.bodies?.delete(request)
    add(account, -bytes)
  }

  return {
    /** @param network null: a proxy's */
    connected(socket: Socket, network: string | null): void {
      const isOfProxy = network === null
      const account: Account = {
        socket,
        of: network ?? '',
        isOfProxy,
        isNew: !isOfProxy,
        bytes: 0,
        since: 0,
        restBytes: 0,
        bodies: null,
      }
      accounts.set(socket, account)
      if (isOfProxy) return
      add(account, unfinishedEachBytes)
      makeRoom()
    },

    /** It has closed. */
    closed(socket: Socket): void {
      const account = accounts.get(socket)
      if (account !== undefined) forget(account)
      accounts.delete(socket)
    },

    /** The first request of this connection has begun. */
    hasAsked(socket: Socket): void {
      const account = accounts.get(socket)
      if (account?.isNew !== true) return
      account.isNew = false
      add(account, -unfinishedEachBytes)
    },

    /**
     * What Node tells nobody of: connections that have begun with the head of a request. To be called now and again; while there are
     * few connections none of it amounts to anything.
     *
     * @param begun connections with a request that has begun and is not whole, as Node has them
     */
    look(begun: () => Iterable<Socket>): void {
      const isCrowded = accounts.size * (unfinishedEachBytes + headerBytesMax) > unfinishedBytesMax
      if (!isCrowded && !isResting) return
      isResting = isCrowded
      const heads = new Set(isCrowded ? begun() : [])
      for (const [socket, account] of accounts) {
        const head = heads.has(socket) && socket.bytesRead > 0 ? headerBytesMax : 0
        const isAtWork = account.isOfProxy || isSending(account) || isAnswered(socket)
        if (!isCrowded || isAtWork || head === 0) rest(account, 0)
        else rest(account, account.isNew ? head : unfinishedEachBytes + head)
      }
      makeRoom()
    },

    /** Something is sent along with this request. */
    begin(request: IncomingMessage): void {
      const account = accounts.get(request.socket)
      if (account === undefined || request.socket.destroyed) return
      if (account.isOfProxy && !isSending(account)) moveTo(networkBehind(request, isProxy), account)
      account.bodies ??= new Map()
      account.bodies.set(request, unfinishedEachBytes)
      request.once('end', () => over(request))
      add(account, unfinishedEachBytes)
      makeRoom()
    },

    /** So much of it more has come. */
    come(request: IncomingMessage, bytes: number): void {
      const account = accounts.get(request.socket)
      const before = account?.bodies?.get(request)
      if (account === undefined || before === undefined) return
      account.bodies?.set(request, before + bytes)
      add(account, bytes)
      makeRoom()
    },

    /** It is whole and read, or is held by somebody who counts it: here it is counted no more. */
    over,
  }
}

function isSending({ bodies }: Account): boolean {
  return bodies !== null && bodies.size > 0
}

import { OppslagError } from './errors.ts'

/**
 * Whose turn it is. `of`: what has one name shares the turns of one; who nobody knows is ''. `rank`: a lower one goes first,
 * however many wait behind it.
 */
export type Turn = { readonly of: string; readonly rank: number }

/** As many wait as may, and nobody has more waiting than whoever is told so. */
export class NoTurnError extends OppslagError {
  constructor(waitingMax: number) {
    super('ingen_plass', `${waitingMax} are waiting for their turn already`)
  }
}

export type Turns = ReturnType<typeof createTurns>

type Waiter = { readonly turn: Turn; begin(): void; refuse(error: NoTurnError): void }
type Lines = Map<string, Waiter[]>

/**
 * Places that are given by turns: all who wait have equal turns, whatever many of them one has waiting, so that whoever asks
 * for one thing waits for one turn of each of the others at most. What one name has waiting goes in the order it came.
 *
 * The line is bounded. When it is full, whoever has the most waiting, in the last rank there is, gives up their newest.
 *
 * @param atOnceForOne places of one name, so that another that comes finds one free
 * @param waitMs asked when there is a place: 0 takes it, otherwise so long until it is asked again
 */
export function createTurns({
  atOnce,
  atOnceForOne = atOnce,
  waitingMax,
  waitMs = () => 0,
}: {
  atOnce: number
  atOnceForOne?: number
  waitingMax: number
  waitMs?: () => number
}) {
  /** By rank; the name whose turn is next stands first. */
  const ranks = new Map<number, Lines>()
  const placesOf = new Map<string, number>()
  let places = 0
  let waiting = 0
  let later: NodeJS.Timeout | undefined

  function join(waiter: Waiter): void {
    const { of, rank } = waiter.turn
    const lines = ranks.get(rank) ?? new Map<string, Waiter[]>()
    const line = lines.get(of)
    if (line === undefined) lines.set(of, [waiter])
    else line.push(waiter)
    ranks.set(rank, lines)
    waiting += 1
  }

  /** @returns false when it was not waiting any more */
  function leave(waiter: Waiter): boolean {
    const { of, rank } = waiter.turn
    const lines = ranks.get(rank)
    const line = lines?.get(of)
    const place = line?.indexOf(waiter) ?? -1
    if (lines === undefined || line === undefined || place === -1) return false
    line.splice(place, 1)
    if (line.length === 0) lines.delete(of)
    if (lines.size === 0) ranks.delete(rank)
    waiting -= 1
    return true
  }

  /** First in the first rank of those who may have another place. */
  function next(): Waiter | null {
    for (const rank of [...ranks.keys()].sort((a, b) => a - b)) {
      const lines = ranks.get(rank) ?? new Map<string, Waiter[]>()
      for (const [of, [waiter]] of lines)
        if (waiter !== undefined && (placesOf.get(of) ?? 0) < atOnceForOne) return waiter
    }
    return null
  }

  function comeOn(): void {
    while (places < atOnce && waiting > 0 && later === undefined) {
      const waiter = next()
      if (waiter === null) return
      const ms = waitMs()
      if (ms > 0) {
        later = setTimeout(() => {
          later = undefined
          comeOn()
        }, ms)
        return
      }
      leave(waiter)
      lastInTurn(waiter.turn)
      placesOf.set(waiter.turn.of, (placesOf.get(waiter.turn.of) ?? 0) + 1)
      places += 1
      waiter.begin()
    }
  }

  function lastInTurn({ of, rank }: Turn): void {
    const lines = ranks.get(rank)
    const line = lines?.get(of)
    if (lines === undefined || line === undefined) return
    lines.delete(of)
    lines.set(of, line)
  }

  function giveBack(of: string): void {
    places -= 1
    const left = (placesOf.get(of) ?? 1) - 1
    if (left === 0) placesOf.delete(of)
    else placesOf.set(of, left)
    comeOn()
  }

  /** With the newcomer in it the line is too long. Of lines of one length it is the newcomer's that is cut. */
  function cut({ of, rank }: Turn): void {
    const last = Math.max(...ranks.keys())
    const lines = ranks.get(last) ?? new Map<string, Waiter[]>()
    let longest = (last === rank ? lines.get(of) : undefined) ?? []
    for (const line of lines.values()) if (line.length > longest.length) longest = line
    const newest = longest.at(-1)
    if (newest !== undefined && leave(newest)) newest.refuse(new NoTurnError(waitingMax))
  }

  /** @returns gives the place back */
  function place(turn: Turn, signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        if (leave(waiter)) reject(signal?.reason)
      }
      const isOver = () => signal?.removeEventListener('abort', giveUp)
      const waiter: Waiter = {
        turn,
        begin() {
          isOver()
          resolve(() => giveBack(turn.of))
        },
        refuse(error) {
          isOver()
          reject(error)
        },
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      join(waiter)
      comeOn()
      if (waiting > waitingMax) cut(turn)
    })
  }

  return {
    /**
     * Does the work when its turn has come.
     *
     * @param signal ends the wait, and is nothing to the work
     * @throws NoTurnError, or `signal`'s reason, when it was not begun; otherwise whatever `work` throws
     */
    async run<T>(turn: Turn, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      signal?.throwIfAborted()
      const end = await place(turn, signal)
      try {
        return await work()
      } finally {
        end()
      }
    },

    /** How many wait. */
    waiting: (): number => waiting,
  }
}

import { isStrangerAsking, waitsBehindOwn } from './asker.ts'
import { OppslagError } from './errors.ts'
import { abortAfterReading } from './wait.ts'

/**
 * Whose turn it is. `of`: what has one name shares the turns of one; who nobody knows is ''. `rank`: a lower one goes first,
 * however many wait behind it. `leads`: before what else waits of the same name and rank, and of nobody else, as far as that has not
 * let a crowd pass already.
 */
export type Turn = { readonly of: string; readonly rank: number; readonly leads?: boolean }

/** Whoever forces a refresh has a copy to go on with, and comes after those who have nothing. Who asks for many comes last. */
export const RANK = { single: 0, forced: 1, many: 2 } as const

/** As many wait as may, and nobody has more waiting than whoever is told so. */
export class NoTurnError extends OppslagError {
  constructor(waitingMax: number) {
    super('ingen_plass', `${waitingMax} are waiting for their turn already`)
  }
}

/** What was done in its turn, or why that did not come in time; `isOwn`: for what the same name has besides. */
export type Turned<T> =
  | { readonly hadTurn: true; readonly value: T }
  | { readonly hadTurn: false; readonly cause: unknown; readonly isOwn: boolean }

/** Whoever has shown a key, and whoever is known by nothing but their network. */
type Kind = 'known' | 'strangers'
type Waiter = {
  readonly turn: Turn
  readonly kind: Kind
  /** So many that lead have gone before it. */
  passed: number
  begin(): void
  refuse(error: NoTurnError): void
}
/** By name, in turn. `fresh`: have had no turn in this round. `old`: have had one; an empty line is of one who may come back. */
type Round = Record<'fresh' | 'old', Map<string, Waiter[]>> & { readonly waiting: Record<Kind, number> }

/**
 * Places that are given by turns: all who wait have equal turns, whatever many of them one has waiting, so that whoever asks
 * for one thing comes before the next of whoever asks for many. What one name has waiting goes in the order it came, behind
 * what leads. A name goes first once a round (as in fq_codel, RFC 8290, 4.1): whoever asks for one thing after the other has
 * no more turns than whoever asks for them at once.
 *
 * Strangers, who may come from however many networks, have every other turn together where others wait as well.
 *
 * The line is bounded. When it is full, whoever has the most waiting, in the last rank there is, gives up their newest: of strangers
 * and others those who are more.
 *
 * @param atOnceForOne places of one name, so that another that comes finds one free
 * @param keptForFirst places that only who is of the first rank, 0, may take
 * @param waitingMax a function is asked each time
 * @param waitMs asked when there is a place, for whose turn it is: 0 takes it, otherwise so long until it is asked again, or
 *   until somebody of a lower rank comes
 */
export function createTurns({
  atOnce,
  atOnceForOne = atOnce,
  keptForFirst = 0,
  waitingMax,
  waitMs = () => 0,
}: {
  atOnce: number
  atOnceForOne?: number
  keptForFirst?: number
  waitingMax: number | (() => number)
  waitMs?: (turn: Turn) => number
}) {
  const rounds = new Map<number, Round>()
  const placesOf = new Map<string, number>()
  const bound = () => (typeof waitingMax === 'number' ? waitingMax : waitingMax())
  let places = 0
  let waiting = 0
  let hadLast: Kind = 'strangers'
  let later: { timer: NodeJS.Timeout; rank: number } | undefined

  function join(waiter: Waiter): void {
    const { of, rank } = waiter.turn
    const round = rounds.get(rank) ?? newRound()
    rounds.set(rank, round)
    const line = round.fresh.get(of) ?? round.old.get(of)
    if (line === undefined) round.fresh.set(of, [waiter])
    else putIn(line, waiter)
    round.waiting[waiter.kind] += 1
    waiting += 1
  }

  /** @returns false when it was not waiting any more */
  function leave(waiter: Waiter): boolean {
    const { of, rank } = waiter.turn
    const round = rounds.get(rank) ?? NOBODY
    const line = round.fresh.get(of) ?? round.old.get(of) ?? []
    const place = line.indexOf(waiter)
    if (place === -1) return false
    line.splice(place, 1)
    if (line.length === 0) round.fresh.delete(of)
    round.waiting[waiter.kind] -= 1
    waiting -= 1
    if (waiting === 0) rounds.clear()
    return true
  }

  /** First in the first rank of those who may have another place, were this many taken. */
  function next(taken = places): Waiter | null {
    for (const rank of [...rounds.keys()].sort((a, b) => a - b)) {
      if (rank > 0 && taken >= atOnce - keptForFirst) return null
      const { fresh, old, waiting: those } = rounds.get(rank) ?? NOBODY
      const kind = kindOfTurn(those)
      let other: Waiter | null = null
      for (const lines of [fresh, old]) {
        for (const [of, [waiter]] of lines) {
          if (waiter === undefined) lines.delete(of)
          else if ((placesOf.get(of) ?? 0) < atOnceForOne) {
            if (waiter.kind === kind) return waiter
            other ??= waiter
          }
        }
      }
      if (other !== null) return other
    }
    return null
  }

  function kindOfTurn(those: Round['waiting']): Kind {
    const next = hadLast === 'known' ? 'strangers' : 'known'
    return those[next] > 0 ? next : hadLast
  }

  function comeOn(): void {
    while (places < atOnce && waiting > 0 && later === undefined) {
      const waiter = next()
      if (waiter === null) return
      const ms = waitMs(waiter.turn)
      if (ms > 0) {
        const timer = setTimeout(() => {
          later = undefined
          comeOn()
        }, ms)
        later = { timer, rank: waiter.turn.rank }
        return
      }
      hadTurn(waiter)
      placesOf.set(waiter.turn.of, (placesOf.get(waiter.turn.of) ?? 0) + 1)
      places += 1
      waiter.begin()
    }
  }

  function hadTurn(waiter: Waiter): void {
    const { of, rank } = waiter.turn
    const round = rounds.get(rank) ?? NOBODY
    const line = round.fresh.get(of) ?? round.old.get(of) ?? []
    leave(waiter)
    hadLast = waiter.kind
    round.fresh.delete(of)
    round.old.delete(of)
    round.old.set(of, line)
  }

  function giveBack(of: string): void {
    places -= 1
    const left = (placesOf.get(of) ?? 1) - 1
    if (left === 0) placesOf.delete(of)
    else placesOf.set(of, left)
    comeOn()
  }

  /** With the newcomer in it the line is too long. Of lines of one length it is the newcomer's that is cut. */
  function cut(newcomer: Turn): void {
    for (const rank of [...rounds.keys()].sort((a, b) => b - a)) {
      const { fresh, old, waiting: those } = rounds.get(rank) ?? NOBODY
      const own = rank === newcomer.rank ? (fresh.get(newcomer.of) ?? old.get(newcomer.of)) : undefined
      const kind = those.strangers > those.known ? 'strangers' : 'known'
      let newest: Waiter | undefined
      let most = 0
      for (const line of [...fresh.values(), ...old.values(), own ?? []]) {
        if (line.length < most) continue
        const last = line.findLast((each) => each.kind === kind)
        if (last === undefined) continue
        newest = last
        most = line.length
      }
      if (newest === undefined) continue
      leave(newest)
      newest.refuse(new NoTurnError(bound()))
      return
    }
  }

  /** Where nobody waits there is no line to stand in. Null: there is one, or no place. @returns gives the place back */
  function placeAtOnce({ of, rank }: Turn): (() => void) | null {
    const isFree = waiting === 0 && later === undefined && places < atOnce - (rank > 0 ? keptForFirst : 0)
    const own = placesOf.get(of) ?? 0
    if (!isFree || own >= atOnceForOne || waitMs({ of, rank }) > 0) return null
    placesOf.set(of, own + 1)
    places += 1
    return () => giveBack(of)
  }

  /** @returns gives the place back */
  function place(turn: Turn, signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        if (!leave(waiter)) return
        isOver()
        reject(signal?.reason)
      }
      const waited = isBehindOwn(turn.of) ? waitsBehindOwn() : null
      const isOver = () => {
        waited?.()
        signal?.removeEventListener('abort', giveUp)
      }
      const waiter: Waiter = {
        turn,
        kind: isStrangerAsking() ? 'strangers' : 'known',
        passed: 0,
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
      if (later !== undefined && turn.rank < later.rank) {
        clearTimeout(later.timer)
        later = undefined
      }
      comeOn()
      if (waiting > bound()) cut(turn)
    })
  }

  /** How many of this name have a place or wait for one. */
  function count(of: string): number {
    let sum = placesOf.get(of) ?? 0
    for (const { fresh, old } of rounds.values()) sum += (fresh.get(of) ?? old.get(of) ?? []).length
    return sum
  }

  /** Whether this name has as much at its places, and in the line, as all others together. */
  function isMostOf(of: string): boolean {
    const own = count(of)
    return own > 0 && 2 * own >= places + waiting
  }

  /** Whether what comes of this name now waits for what the name has already, and more for that than for all others'. */
  function isBehindOwn(of: string): boolean {
    const own = placesOf.get(of) ?? 0
    return (own >= atOnceForOne || count(of) > own) && isMostOf(of)
  }

  function isForOwn(of: string, error: unknown): boolean {
    return error instanceof NoTurnError ? isMostOf(of) : (placesOf.get(of) ?? 0) >= atOnceForOne
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
      const end = placeAtOnce(turn) ?? (await place(turn, signal))
      try {
        return await work()
      } finally {
        end()
      }
    },

    /**
     * The same for whoever waits so long for it and no longer, and is told whether it came.
     *
     * @param patience of who may end the wait sooner
     */
    async runWithin<T>(
      waitMs: number,
      turn: Turn,
      work: () => Promise<T>,
      patience = new AbortController(),
    ): Promise<Turned<T>> {
      let end = placeAtOnce(turn)
      if (end === null) {
        const waited = abortAfterReading(waitMs, patience)
        try {
          end = await place(turn, patience.signal)
        } catch (cause) {
          return { hadTurn: false, cause, isOwn: isForOwn(turn.of, cause) }
        } finally {
          waited()
        }
      }
      try {
        return { hadTurn: true, value: await work() }
      } finally {
        end()
      }
    },

    /** Whether a place of this name, were it given back, would be somebody's who waits: of that name, or of any when all are taken. */
    isWanted(of: string): boolean {
      if (waiting === 0) return false
      const isOfSame = [...rounds.values()].some(
        ({ fresh, old }) => (fresh.get(of) ?? old.get(of) ?? []).length > 0,
      )
      return isOfSame || next(places - 1) !== null
    },

    /** How many wait. */
    waiting: (): number => waiting,

    count,

    /**
     * Whether a turn of this name did not come for what the name has besides: the places it may have, all of them, or most of what
     * there is no room for. Where many have as much, each waits for the others.
     *
     * @param error what `run` ended with
     */
    isForOwn,
  }
}

function putIn(line: Waiter[], waiter: Waiter): void {
  const at = waiter.turn.leads ? line.findIndex(({ turn, passed }) => !turn.leads && passed < PASSED_MAX) : -1
  const behind = at === -1 ? [] : line.splice(at)
  // Those that lead are before the first that lets them pass.
  for (const each of behind) each.passed += 1
  line.push(waiter, ...behind)
}

/**
 * As many as a reader has under way at once, and some: of a crowd all that leads goes first. Of those who come without end no more do,
 * since others, of other names, may wait for the very same thing.
 */
const PASSED_MAX = 50

function newRound(): Round {
  return { fresh: new Map(), old: new Map(), waiting: { known: 0, strangers: 0 } }
}

const NOBODY = newRound()

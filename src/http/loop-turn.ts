import type { FastifyReply } from 'fastify'
import { policy } from '#config/policy.ts'
import { whoAsks } from '#src/core/asker.ts'
import { createLoopTurns } from '#src/core/loop-turns.ts'
import { afterAllThatFollows } from '#src/core/wait.ts'
import { whenOver } from './when-over.ts'

const turns = createLoopTurns(policy.http.loopTurnMs)

/**
 * To be waited for before what takes the process a millisecond. What hundreds of connections ask for at once would otherwise be done
 * in one turn of the event loop, in which nobody is heard who asks for what is held: so long they may have of it together, and the rest is
 * done in the turns of who asks (P61). For who is gone meanwhile it never comes back: nobody has more waiting
 * than they have connections for. Null, as nearly always: there is time now.
 *
 * Of those who ask before what follows from the first is done, as all do whose sessions were read in one go, the first alone goes on:
 * none of them has taken any time yet.
 */
export function turnOfLoop(reply: Pick<FastifyReply, 'raw'>): Promise<void> | null {
  const isFirst = goingOn === null || goingOn === reply.raw
  if (isFirst && !turns.isOver()) {
    goingOn = reply.raw
    afterAllThatFollows(isDone)
    return null
  }
  let goesOn = () => {}
  const turn = turns.next(whoAsks(), (leave) => {
    goesOn = whenOver(reply, leave)
  })
  return turn.then(goesOn)
}

/** For hooks: goes on at once where there is time. */
export function goOnInTurn(reply: Pick<FastifyReply, 'raw'>, goOn: () => void): void {
  const turn = turnOfLoop(reply)
  if (turn === null) goOn()
  // A framework takes what it is told for what went wrong.
  else turn.then(() => goOn())
}

let goingOn: FastifyReply['raw'] | null = null

function isDone(): void {
  goingOn = null
}

/** What is made of each of many, some at a time: all at once, hundreds take as long as several turns. */
export async function madeInTurns<T, Made>(
  reply: Pick<FastifyReply, 'raw'>,
  many: readonly T[],
  make: (one: T) => Made,
): Promise<Made[]> {
  const made: Made[] = []
  for (const [at, one] of many.entries()) {
    if (at % SOME === 0) await turnOfLoop(reply)
    made.push(make(one))
  }
  return made
}

/**
 * Each of many as text, made so; without those that may be told no more when all are made, as of whom was removed meanwhile.
 *
 * @param tellable those of them that may be told by then
 */
export async function toldInTurns<T>(
  reply: Pick<FastifyReply, 'raw'>,
  many: readonly T[],
  tellable: (all: readonly T[]) => T[],
  write: (one: T) => string,
): Promise<string[]> {
  const texts = await madeInTurns(reply, many, write)
  const told = new Set(tellable(many))
  return texts.filter((_, at) => told.has(many[at] as T))
}

/** Changes as text, which are the longest, take half a millisecond. */
const SOME = 25

import { tellsOfErased } from '#src/changes/change.ts'
import type { Clock } from '#src/core/clock.ts'
import { tellDelivery } from '#src/core/delivery-told.ts'
import type { Log } from '#src/core/log.ts'
import { createLru } from '#src/core/lru.ts'
import type { Database } from '#src/storage/database.ts'
import {
  dueDeliveries,
  type EndpointLine,
  type Hold,
  holdEndpoint,
  holdOn,
  leaveForNow,
  letGo,
  type Message,
  noteFailed,
  noteSlow,
  noteTaken,
  readMessage,
} from '#src/storage/push/sending.ts'
import { writeMessage } from './message.ts'
import { afterFailure, type RetryPolicy } from './retry.ts'
import { endpointSecret } from './secrets.ts'
import type { Attempt, Send } from './send.ts'
import { signatureHeaders } from './signature.ts'

export type DeliverPolicy = RetryPolicy & {
  /** Messages under way to one endpoint at once, each of another company. */
  placesPerEndpoint: number
  /** An endpoint's turn: others that wait for a place come after it. It is over after so long, or so many messages. */
  turnMs: number
  turnMessages: number
  /** Turns of one owner's endpoints at once in each line. */
  turnsOfOwner: Record<EndpointLine, number>
  /** Whoever holds an endpoint and is silent for so long is followed by another. Much longer than an attempt. */
  holdMs: number
  deadlineMs: number
  bodyBytesMax: number
  /** Whoever takes longer to answer waits in another line for a while. */
  slowMs: number
  slowForMs: number
  /** An endpoint where nothing was taken for so long is switched off. */
  offAfterMs: number
  /** So many attempts of which PostgreSQL could not be told what came are remembered. */
  unnotedMax: number
  /** So many owners of an endpoint that was slow are remembered. */
  slowOwnersMax: number
}

/**
 * Sends what waits for an endpoint. PostgreSQL holds all there is to know, so any number of processes do this side by side: one at a
 * time has an endpoint, which it holds on to for longer than an attempt takes before each of them. One that dies leaves its
 * deliveries as they were, and they are sent again under the same ids.
 *
 * A PostgreSQL that can be read and not written, as with a full disk, is told later what came of an attempt: without that, each look
 * would send the same again.
 *
 * In order for each company: of those that wait the oldest is sent, and the next when that one was taken or given up. What one
 * company's message is refused for holds up no other company's.
 */
export function createDeliver({
  db,
  isErased,
  send,
  installationSecret,
  publicUrl,
  clock,
  log,
  policy,
  random,
}: {
  db: Database
  isErased: (orgnr: string) => boolean
  send: Send
  installationSecret: () => Promise<Uint8Array>
  publicUrl: () => string
  clock: Clock
  log: Log
  policy: DeliverPolicy
  random?: () => number
}) {
  /** By owner and line. An endpoint that is deleted, and made anew, leaves its turn under way. */
  const turnsOf = new Map<string, number>()
  /** By delivery. What was changed about it since is none of its own any more. */
  const unnoted = createLru<string, { version: string; came: Attempt }>(policy.unnotedMax)
  /** Until when, by this process's own count. That an endpoint was slow is forgotten with it; that its owner had one is not. */
  const slowUntilMs = createLru<string, number>(policy.slowOwnersMax)

  /** @returns gives it back; null: this owner has as many as may be */
  function beginTurn({ eier }: Hold, line: EndpointLine | null): (() => void) | null {
    if (line === null) return () => {}
    const name = `${line} ${eier}`
    const count = turnsOf.get(name) ?? 0
    if (count >= policy.turnsOfOwner[line]) return null
    turnsOf.set(name, count + 1)
    return () => {
      const left = (turnsOf.get(name) ?? 1) - 1
      if (left === 0) turnsOf.delete(name)
      else turnsOf.set(name, left)
    }
  }

  /** One that hangs, deleted and made anew, would have a place among the quick again for as long as an attempt takes. */
  function isMadeAnew({ eier, alderMs }: Hold): boolean {
    return alderMs < policy.slowForMs && (slowUntilMs.get(eier) ?? 0) > performance.now()
  }

  /** One attempt, or what came of one before that is not noted yet. @returns false when the endpoint is to be left alone now */
  async function attempt(
    hold: Hold & { line: EndpointLine | null },
    id: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const message = await readMessage(db, hold, id)
    if (message === null) return true
    const { endring, version } = message
    // It is taken away when they are buried, which PostgreSQL may not take just now.
    if (endring !== null && tellsOfErased(endring, isErased)) {
      await leaveForNow(db, id)
      return true
    }
    const before = unnoted.get(id)
    const came = before?.version === version ? before.came : await sendOne(hold, id, message, signal)
    unnoted.set(id, { version, came })
    const goesOn = await note(hold, id, came)
    unnoted.delete(id)
    return goesOn
  }

  async function sendOne(
    hold: Hold & { line: EndpointLine | null },
    id: string,
    message: Message,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const whole = `${publicUrl()}/api/endepunkter/${hold.id}/leveringer/${id}`
    const { id: name, body } = writeMessage(message, { delivery: id, whole, bytesMax: policy.bodyBytesMax })
    const installation = await installationSecret()
    const secrets = [message.salt, ...(message.forrige === null ? [] : [message.forrige])].map((salt) =>
      endpointSecret(installation, salt),
    )
    const headers = signatureHeaders({ id: name, at: message.now, body, secrets })
    // Test keys, which anybody may have, are one together.
    const of = hold.line === 'prove' ? hold.line : hold.eier
    const came = await send({ of, address: message.adresse, headers, body }, signal)
    tellDelivery({ outcome: came.failure ?? 'levert', tookMs: came.tookMs })
    return came
  }

  /** @returns false when the endpoint is to be left alone now */
  async function note(hold: Hold, id: string, came: Attempt): Promise<boolean> {
    const noted = { ms: came.tookMs, status: came.status, arsak: came.failure }
    const isSlow = came.tookMs > policy.slowMs
    if (isSlow) {
      slowUntilMs.set(hold.eier, performance.now() + policy.slowForMs)
      await noteSlow(db, hold.id, { forMs: policy.slowForMs })
    }
    if (came.failure === null) {
      await noteTaken(db, hold.id, id, noted)
      return !isSlow
    }
    let isLeftAlone = false
    const off = await noteFailed(
      db,
      hold,
      id,
      { ...noted, isGone: came.failure === 'borte' },
      (attempts, failuresInARow) => {
        const after = afterFailure(came, { attempts, failuresInARow }, policy, random)
        isLeftAlone = after.pauseMs > 0
        return after
      },
      { offAfterMs: policy.offAfterMs, at: clock.now() },
    )
    if (off !== null) log.info({ endepunkt: hold.id, grunn: off }, 'an endpoint was switched off')
    return off === null && !isLeftAlone && !isSlow
  }

  /** Held for longer than an attempt takes, by this process's own count, which no clock moves. */
  function holding(hold: Hold, sinceMs: number) {
    let heldUntilMs = sinceMs + policy.holdMs
    let renewing: Promise<boolean> | null = null
    const renew = async () => {
      const asked = performance.now()
      const isHeld = await holdOn(db, hold, { forMs: policy.holdMs })
      heldUntilMs = isHeld ? asked + policy.holdMs : 0
      return isHeld
    }
    return async (): Promise<boolean> => {
      const isLongEnough = () => heldUntilMs - performance.now() > policy.deadlineMs + MARGIN_MS
      if (isLongEnough()) return true
      renewing ??= renew().finally(() => {
        renewing = null
      })
      return (await renewing) && isLongEnough()
    }
  }

  return {
    /**
     * An endpoint's turn. Safe to run twice, also at once, and to lose: what is not sent waits, and is found.
     *
     * @param line whose place the turn takes; null: nobody's
     * @returns whether there may be more to send now, and in the same line
     */
    async turn(
      endpoint: string,
      { signal, line = null }: { signal: AbortSignal; line?: EndpointLine | null },
    ): Promise<boolean> {
      const begunMs = performance.now()
      const hold = await holdEndpoint(db, endpoint, { forMs: policy.holdMs, line })
      if (hold === null) return false
      const isInOtherLine = line === 'rask' && isMadeAnew(hold)
      if (isInOtherLine) await noteSlow(db, hold.id, { forMs: policy.slowForMs - hold.alderMs })
      const endTurn = isInOtherLine ? null : beginTurn(hold, line)
      if (endTurn === null) {
        // Found again by whoever looks next.
        await letGo(db, hold)
        return false
      }
      const isHeld = holding(hold, begunMs)
      let goesOn = true
      let messagesLeft = policy.turnMessages
      let failed: unknown = null
      const isOver = () => !goesOn || signal.aborted || performance.now() - begunMs > policy.turnMs
      try {
        while (messagesLeft > 0 && !isOver()) {
          const due = await dueDeliveries(db, endpoint, messagesLeft)
          if (due.length === 0) return false
          messagesLeft -= due.length
          const hands = Array.from({ length: policy.placesPerEndpoint }, async () => {
            for (let id = due.shift(); id !== undefined && !isOver(); id = due.shift()) {
              if (!(await isHeld())) goesOn = false
              else if (!isOver() && !(await attempt({ ...hold, line }, id, signal))) goesOn = false
            }
          })
          for (const hand of await Promise.allSettled(hands))
            if (hand.status === 'rejected') {
              failed ??= hand.reason
              goesOn = false
            }
        }
      } finally {
        endTurn()
        // Told to end, it is another's at once. A database that is away lets go by itself.
        await letGo(db, hold).catch(() => {})
      }
      if (failed !== null && !signal.aborted) throw failed
      return goesOn
    },
  }
}

/** From the last look at the hold to the first byte. */
const MARGIN_MS = 5000

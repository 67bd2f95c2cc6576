import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  PaymentRefusedError,
  PaymentUnavailableError,
  SaleClosedError,
  TooManyOrdersError,
  TooManyWishesError,
} from '#src/sales/errors.ts'
import { NoSearchTurnError } from '#src/search/in-turn.ts'
import { SourceError } from '#src/sources/source.ts'
import { isNotToBeHad, NoStorageTurnError } from '#src/storage/database.ts'
import { KeyOverError } from '#src/storage/key-chain.ts'
import { believedSeconds } from '../http/plugins/problem-answers.ts'
import { Problem } from '../http/problem.ts'
import { problems } from '../http/problems.ts'
import { type FailureKind, failurePage, failureStatus } from './failure-page.ts'
import type { SendPage } from './send-page.ts'
import { visitorOf } from './visitor.ts'

/** A page could not be shown, or a form not be taken, for a reason a person can be told. */
export class PageFailure extends Error {
  readonly kind: FailureKind
  readonly retryAfterSeconds: number | null
  /** As a Problem's. */
  readonly isOwn: boolean

  constructor(kind: FailureKind, facts: { retryAfterSeconds?: number; isOwn?: boolean } = {}) {
    super(kind)
    this.name = 'PageFailure'
    this.kind = kind
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null
    this.isOwn = facts.isOwn ?? false
  }
}

/** Turns whatever went wrong into a page. What was typed is never repeated, and a fault of ours is logged with its cause. */
export function createAnswerFailure(send: SendPage) {
  return (
    error: Error & { statusCode?: number },
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply => {
    const { kind, retryAfterSeconds, isOwn } = asFailure(error)
    if (isOwn) request.isOfMany = true
    if (kind === 'feil') request.log.error({ err: error }, 'fault while answering with a page')
    if (kind === 'betaling') request.log.warn({ err: error }, 'an order could not be paid for now')
    if (kind === 'lager') request.log.warn({ err: error }, 'PostgreSQL could not be used for a page')
    const visitor = visitorOf(request, '/')
    return send.own(reply, failurePage(kind, request.id, visitor), visitor, {
      status: refusedWith(error) ?? failureStatus[kind],
      headers: {
        ...(retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) }),
      },
    })
  }
}

const RETRY_SECONDS = 30

function asFailure(error: Error & { statusCode?: number; code?: string }): PageFailure {
  if (error instanceof PageFailure) return error
  // Its session is over, and the next page says why.
  if (error instanceof KeyOverError) return new PageFailure('skjema')
  if (error instanceof SaleClosedError) return new PageFailure('stengt')
  if (error instanceof TooManyOrdersError || error instanceof TooManyWishesError)
    return new PageFailure('for_mange', { retryAfterSeconds: 10 * RETRY_SECONDS })
  if (error instanceof PaymentUnavailableError || error instanceof PaymentRefusedError)
    return new PageFailure('betaling', { retryAfterSeconds: RETRY_SECONDS })
  if (isNotToBeHad(error))
    return new PageFailure('lager', {
      retryAfterSeconds: RETRY_SECONDS,
      isOwn: error instanceof NoStorageTurnError && error.isOwn,
    })
  if (error instanceof NoSearchTurnError)
    return new PageFailure('trangt', { retryAfterSeconds: RETRY_SECONDS, isOwn: error.isOwn })
  if (error instanceof SourceError)
    return new PageFailure('register', {
      retryAfterSeconds: believedSeconds(error.retryAfterSeconds ?? RETRY_SECONDS),
    })
  return new PageFailure(refusedWith(error) === null ? 'feil' : 'skjema')
}

/** What was refused before a page had it, by the framework or by what stands in front of every route: the caller's, and no fault. */
function refusedWith(error: Error & { statusCode?: number }): number | null {
  const status = error instanceof Problem ? problems[error.kode].status : error.statusCode
  return status !== undefined && status >= 400 && status < 500 ? status : null
}

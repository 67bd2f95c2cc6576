import type { components } from './types.ts'

type Body = components['schemas']['Problem']

/** A problem the service answered with (RFC 9457). `kode` is what a program decides by; the words are for people. */
export class OppslagProblem extends Error {
  readonly kode: string
  readonly status: number
  readonly detail: string
  /** What to name when asking for help. */
  readonly foresporselId: string
  readonly retryAfterSeconds: number | null
  /** All of it, with the members some problems have besides: `parameter`, `utloper`, `slettedato`. */
  readonly body: Readonly<Body & Record<string, unknown>>

  constructor(body: Body, retryAfterSeconds: number | null = null) {
    super(`${body.status} ${body.kode}: ${body.detail}`)
    this.name = 'OppslagProblem'
    this.kode = body.kode
    this.status = body.status
    this.detail = body.detail
    this.foresporselId = body.foresporselId
    this.retryAfterSeconds = retryAfterSeconds
    this.body = body as Body & Record<string, unknown>
  }
}

/** An answer that is no problem of the service's and nothing else it promises: something stands between. */
export class UventetSvar extends Error {
  readonly status: number

  constructor(status: number, found: string) {
    super(`${status}: expected JSON of the service, found ${found}`)
    this.name = 'UventetSvar'
    this.status = status
  }
}

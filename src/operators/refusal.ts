import type { FastifyReply, FastifyRequest } from 'fastify'
import { InputError, OppslagError } from '#src/core/errors.ts'
import { isOfWhatItKeeps } from '#src/storage/database.ts'
import { prefersPage } from '../http/negotiation.ts'
import { refusalPage } from './pages/refusal.ts'

/** Why the operators' side does not do what was asked, before anything was done. */
export const operatorRefusals = {
  logg_inn: { status: 401, text: 'Logg inn først.' },
  ukjent_operator: { status: 401, text: 'Dette er ikke et gyldig operatørtoken.' },
  for_mange_forsok: {
    status: 429,
    text: 'For mange mislykkede forsøk. Et riktig token slipper inn likevel.',
  },
  ikke_ett_navn: { status: 400, text: 'Forespørselen har ikke én Host.' },
  // RFC 9110, 15.5.20.
  fremmed_navn: {
    status: 421,
    text: 'Navnet i Host er ikke et driftssiden nås ved. Sett OPS_NAMES, eller bruk adressen.',
  },
  fremmed_opphav: { status: 403, text: 'Forespørselen kom fra en annen side.' },
  bare_lese: { status: 403, text: 'Rollen din kan bare lese.' },
  bare_se: { status: 405, text: 'Her kan jobbene bare ses.' },
  ikke_her: {
    status: 405,
    text: 'Her kan felt stoppes og startes, og jobber prøves igjen og fjernes. Farten settes under levetider.',
  },
  ingen_side: { status: 400, text: 'Det finnes ingen slik side med jobber.' },
  annen_tilstand: {
    status: 409,
    text: 'Jobben er ikke lenger der den ble sett. Last siden på nytt.',
  },
  ukjent_adresse: { status: 404, text: 'Det finnes ingenting her.' },
  ukjent_ordre: { status: 404, text: 'Det finnes ingen ordre med dette nummeret.' },
  ukjent_epost: { status: 404, text: 'Det finnes ingen e-post med dette nummeret, eller den er slettet.' },
  for_mange_folger: { status: 503, text: 'For mange følger med samtidig.' },
} as const

export class OpsRefusal extends OppslagError {
  readonly status: number

  constructor(code: keyof typeof operatorRefusals) {
    super(code, operatorRefusals[code].text)
    this.status = operatorRefusals[code].status
  }
}

/** A person gets a page, and the login where that is what is wanted; a program gets the code. */
export function answerRefusal(request: FastifyRequest, reply: FastifyReply, error: Error): FastifyReply {
  if (isPerson(request) && refusalCodeOf(error) === 'logg_inn') return reply.redirect('/inn', 303)
  reply.code(refusalStatusOf(error))
  return isPerson(request)
    ? reply.type('text/html; charset=utf-8').send(refusalPage(refusalTextOf(error)))
    : reply.send({ kode: refusalCodeOf(error), tekst: refusalTextOf(error) })
}

/** Where the queues' board would answer in its own way: a person is answered here, its script is left to it. @throws OpsRefusal */
export function refuse(request: FastifyRequest, reply: FastifyReply, refusal: OpsRefusal): FastifyReply {
  if (isPerson(request)) return answerRefusal(request, reply, refusal)
  throw refusal
}

function isPerson({ headers }: FastifyRequest): boolean {
  return prefersPage(headers.accept)
}

export function refusalStatusOf(error: Error & { statusCode?: number }): number {
  if (error instanceof OpsRefusal) return error.status
  if (error instanceof InputError) return 400
  if (error instanceof OppslagError) return STATUS_BY_CODE[error.code] ?? 503
  if (isOfWhatItKeeps(error)) return 503
  return error.statusCode !== undefined && error.statusCode < 500 ? error.statusCode : 500
}

const STATUS_BY_CODE: Record<string, number> = {
  versjonskonflikt: 409,
  ukjent_nokkel: 404,
  for_mange: 429,
  ingen_nokkel_igjen: 409,
  ingen_kvittering: 409,
  ukjent_ordre: 404,
  uten_alarm: 409,
  underveis: 409,
}

/** Whether it is a fault that the log is to tell of: ours, or of what PostgreSQL keeps, of which nobody else tells. */
export function isToBeLogged(error: Error): boolean {
  return refusalStatusOf(error) === 500 || isOfWhatItKeeps(error)
}

export function refusalCodeOf(error: Error): string {
  if (error instanceof OppslagError) return error.code
  return isOfWhatItKeeps(error) ? 'lager_uleselig' : 'feil'
}

/** Only our own words are shown. */
export function refusalTextOf(error: Error): string {
  if (error instanceof OpsRefusal) return operatorRefusals[error.code as keyof typeof operatorRefusals].text
  if (error instanceof InputError) return error.norsk
  if (error instanceof OppslagError) return error.message
  if (isOfWhatItKeeps(error))
    return 'PostgreSQL kommer ikke til noe av det den lagrer; årsaken står i loggen.'
  // What is the caller's own doing stands in no log.
  return refusalStatusOf(error) < 500
    ? 'Forespørselen kan ikke leses.'
    : 'Noe gikk galt; årsaken står i loggen.'
}

/** What to tell somebody on the page they acted from; faults of ours are not among it. @throws the error otherwise */
export function faultOf(error: unknown): { status: number; text: string } {
  if (error instanceof OppslagError && !(error instanceof OpsRefusal))
    return { status: refusalStatusOf(error), text: refusalTextOf(error) }
  throw error
}

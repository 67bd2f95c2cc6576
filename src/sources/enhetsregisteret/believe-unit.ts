import { type Believed, createBelief, isRecord } from '../believe.ts'
import { SourceError, type SourceName } from '../source.ts'
import { Enhet, SlettetEnhet, Underenhet } from './schema.ts'

/**
 * Reads one main unit, or what is left of a deleted one; `respons_klasse` is always set and tells which.
 *
 * @throws SourceError `ugyldig_svar` when the body is neither
 */
export function believeEnhet(source: SourceName, body: unknown): Believed<Enhet | SlettetEnhet> {
  const classed = classify(body, 'Enhet')
  if (classed.respons_klasse === 'SlettetEnhet') return believe.slettet(source, classed)
  const believed = believe.enhet(source, classed)
  refuseUnreadProceedings(source, believed.avvik)
  return withHonestEmployees(believed)
}

/** The same for a sub-unit; a deleted one also says `SlettetEnhet`. */
export function believeUnderenhet(source: SourceName, body: unknown): Believed<Underenhet | SlettetEnhet> {
  const classed = classify(body, 'Underenhet')
  if (classed.respons_klasse === 'SlettetEnhet') return believe.slettet(source, classed)
  return withHonestEmployees(believe.underenhet(source, classed))
}

const believe = {
  enhet: createBelief(Enhet),
  underenhet: createBelief(Underenhet),
  slettet: createBelief(SlettetEnhet),
}

/** Answers from before 2024 have no `respons_klasse`: then the path asked decides, but a deletion date says deleted. */
function classify(body: unknown, asked: 'Enhet' | 'Underenhet'): Record<string, unknown> {
  if (!isRecord(body)) return {}
  const isDeleted = body.slettedato !== undefined && body.slettedato !== null
  return { ...body, respons_klasse: isDeleted ? 'SlettetEnhet' : (body.respons_klasse ?? asked) }
}

/**
 * Two proceedings have a date and no flag, so in a believed answer the date's absence is the register's no. A date that
 * could not be read must not become that no.
 */
function refuseUnreadProceedings(source: SourceName, avvik: string[]): void {
  const unread = avvik.find((path) => DATES_WITHOUT_FLAG.has(path))
  if (unread === undefined) return
  throw new SourceError(source, 'ugyldig_svar', `${unread} has an unknown shape and no flag beside it`)
}

const DATES_WITHOUT_FLAG = new Set([
  '/underRekonstruksjonsforhandlingDato',
  '/underUtenlandskInsolvensbehandlingDato',
])

/** `harRegistrertAntallAnsatte` without a number means one to four (P4); with a number that could not be read it does not. */
function withHonestEmployees<U extends Enhet | Underenhet>(believed: Believed<U>): Believed<U> {
  if (!believed.avvik.includes('/antallAnsatte')) return believed
  const { harRegistrertAntallAnsatte: _, ...value } = believed.value
  return { value: value as U, avvik: [...believed.avvik, '/harRegistrertAntallAnsatte'] }
}

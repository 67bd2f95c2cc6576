import { isJsonObject } from '#src/core/json-object.ts'
import { type Believed, createBelief } from '../believe.ts'
import { numberInLink } from '../response.ts'
import { SourceError } from '../source.ts'
import { Enhet, RegisterUnderenhet, SlettetEnhet } from './schema.ts'

/**
 * Reads one main unit, or what is left of a deleted one; `respons_klasse` is always set and tells which.
 *
 * @throws SourceError `ugyldig_svar` when it can not be told whom the body is about: without a number, or with neither a name
 *   nor a form
 */
export function believeEnhet(source: string, body: unknown): Believed<Enhet | SlettetEnhet> {
  return believeUnit(source, body, 'Enhet', believe.enhet)
}

/** The same for a sub-unit. */
export function believeUnderenhet(
  source: string,
  body: unknown,
): Believed<RegisterUnderenhet | SlettetEnhet> {
  return believeUnit(source, body, 'Underenhet', believe.underenhet)
}

const believe = {
  enhet: createBelief(Enhet),
  underenhet: createBelief(RegisterUnderenhet),
  slettet: createBelief(SlettetEnhet),
}

function believeUnit<U extends Enhet | RegisterUnderenhet>(
  source: string,
  body: unknown,
  asked: 'Enhet' | 'Underenhet',
  believeLive: (source: string, body: unknown) => Believed<U>,
): Believed<U | SlettetEnhet> {
  const { unit, avvik } = identified(classified(body, asked))
  const believed =
    isJsonObject(unit) && unit.respons_klasse === 'SlettetEnhet'
      ? believe.slettet(source, unit)
      : believeLive(source, unit)
  const { navn, organisasjonsform } = believed.value
  if (navn === null && organisasjonsform === null) {
    throw new SourceError(source, 'ugyldig_svar', 'the answer tells neither name nor form', {
      field: '/navn',
    })
  }
  return { value: believed.value, avvik: [...avvik, ...believed.avvik] }
}

type Doubtful = { unit: unknown; avvik: string[] }

/**
 * Answers from before 2024 have no class: then the path asked decides. A deletion date says deleted whatever the class, also
 * one that can not be read, and so does any class that begins so: a deleted sub-unit's is not the one documented. Under
 * another name than these the unit may be anything: it is read for what it says, and named.
 */
function classified(body: unknown, asked: 'Enhet' | 'Underenhet'): Doubtful {
  if (!isJsonObject(body)) return { unit: body, avvik: [] }
  const { klasseUlest: _, ...unit } = body
  const said = unit.respons_klasse ?? asked
  const isDeleted = (unit.slettedato ?? null) !== null || (typeof said === 'string' && /^slettet/i.test(said))
  if (isDeleted) return { unit: { ...unit, respons_klasse: 'SlettetEnhet' }, avvik: [] }
  if (said === asked) return { unit: { ...unit, respons_klasse: asked }, avvik: [] }
  return { unit: { ...unit, respons_klasse: asked, klasseUlest: true }, avvik: ['/respons_klasse'] }
}

/** Where the number itself can not be read, the register's own link to the unit tells it. */
function identified({ unit, avvik }: Doubtful): Doubtful {
  if (!isJsonObject(unit) || isNumber(unit.organisasjonsnummer)) return { unit, avvik }
  const links = isJsonObject(unit._links) ? unit._links : {}
  const href = isJsonObject(links.self) ? links.self.href : undefined
  const linked = typeof href === 'string' ? numberInLink(href) : null
  if (linked === null) return { unit, avvik }
  return { unit: { ...unit, organisasjonsnummer: linked }, avvik: [...avvik, '/organisasjonsnummer'] }
}

function isNumber(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9]{9}$/.test(value)
}

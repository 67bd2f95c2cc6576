import { LINK_BASE, organisasjonsform } from './enhet.ts'
import { rolle } from './roller.ts'

/** The whole answer of `/roller/enheter/{orgnr}/juridiskeroller`: company by company, each with the roles held in it. */
export function rollerHosAndre(orgnr: string, ...enheter: ReturnType<typeof hos>[]) {
  const self = { href: `${LINK_BASE}/roller/enheter/${orgnr}/juridiskeroller` }
  return { organisasjonsnummer: orgnr, erSlettet: false, enheter, _links: { self } }
}

/** One company. Its name is a text here. */
export function hos(orgnr: string, navn: string, form: string, ...roles: (string | object)[]) {
  return {
    organisasjonsnummer: orgnr,
    navn,
    organisasjonsform: organisasjonsform(form),
    erSlettet: false,
    roller: roles.map((each, rekkefolge) => ({
      rekkefolge,
      ...(typeof each === 'string' ? rolle(each, {}) : each),
    })),
  }
}

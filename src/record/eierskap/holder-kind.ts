import { foldName } from '#src/core/person-name.ts'
import type { Holder } from './share-book.ts'

export const holderKinds = ['person', 'foretak', 'offentlig', 'forvalter', 'utenlandsk', 'ukjent'] as const
export type HolderKind = (typeof holderKinds)[number]

/**
 * What a holder is, as far as the register lets one tell: a year of birth is a person, an organisation number a company, and
 * without either the country decides between foreign and unknown (a foreign holder may be a person). Public owners and
 * nominees are known by name alone, so the names are read narrowly: a company taken for the state would lose its owners.
 */
export function holderKind({ navn, fodselsaar, orgnr, land, skjult }: Holder): HolderKind {
  // Whoever is hidden is a person: only persons can be.
  if (fodselsaar !== undefined || skjult === true) return 'person'
  if (isPublicOwner(navn)) return 'offentlig'
  if (isNominee(navn)) return 'forvalter'
  if (orgnr !== undefined) return 'foretak'
  return land === undefined || land === 'NO' ? 'ukjent' : 'utenlandsk'
}

/**
 * The state, its ministries, municipalities and counties. A group ends below them: nobody means all that the state owns by
 * "the same group". Not their companies ("OSLO KOMMUNE HOLDING AS") and not their pension funds, which hold for others.
 */
export function isPublicOwner(navn: string | null): boolean {
  if (navn === null) return false
  const name = foldName(navn)
  if (hasCompanyForm(name) || holdsForOthers.test(name)) return false
  return publicNames.some((pattern) => pattern.test(name))
}

/** Holds shares in its own name for others. `FORVALTNING` is no sign of one: most so named manage property they own. */
export function isNominee(navn: string | null): boolean {
  return navn !== null && nominees.test(foldName(navn))
}

const publicNames = [
  /^(DEN NORSKE STAT|STATEN|KONGERIKET NORGE)$/,
  /^(DEN NORSKE STAT|STATEN)( |,)*(V\/|V\.|VED )/,
  /(^|[ /])[A-ZÆØÅ, -]*DEPARTEMENT(ET)?$/,
  // Up to four words of name: NORE OG UVDAL KOMMUNE. The Sami and Kven names stand before or after.
  /^([^ ]+ ){1,4}KOMMUNE$/,
  /^([^ ]+ ){1,3}KOMMUNE ([-/(]|BYRÅDSAVDELING)/,
  /^([^ ]+ ){0,4}FYLKESKOMMUNE( [-/(].*)?$/,
  /^(FOLKETRYGDFONDET|NORGES BANK)$/,
]

const holdsForOthers = /PENSJON|FORBUND|FORENING|STIFTELSE|LEGAT|KLUBB|LAGET?\b|ANSATTE/

function hasCompanyForm(name: string): boolean {
  return / (AS|ASA|A\/S|ANS|DA|SA|BA|KS|IKS|KF|NUF|ENK|AB|LTD)$/.test(name)
}

const nominees = new RegExp(
  [
    '\\bNOMINEES?\\b',
    '\\bNOM(INEE)? (AB|LTD|LIMITED|ACCOUNT)\\b',
    '\\bCUSTOD(Y|IAN)\\b',
    '\\bDEPOSITARY\\b',
    '\\bOMNIBUS\\b',
    '\\bSECURITIES OSLO\\b',
    '^VERDIPAPIRSENTRALEN\\b',
    '^CLEARSTREAM BANKING\\b',
    '^EUROCLEAR\\b',
    '^STATE STREET BANK\\b',
    '^THE NORTHERN TRUST COMP',
    '^(THE )?BANK OF NEW YORK MELLON\\b',
    '^BROWN BROTHERS HARRIMAN\\b',
    '^J\\.?P\\.? ?MORGAN (CHASE BANK|SE\\b|BANK)',
    '^CITIBANK\\b',
    '^CACEIS BANK\\b',
    '^(NORDNET|AVANZA) BANK AB\\b',
  ].join('|'),
)

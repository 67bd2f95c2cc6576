import { findOrganisasjonsnummer, type Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { readName, type SearchName } from './name.ts'

/** What was typed, as what it can be. A number is never matched by likeness: whatever is one is nothing else. */
export type TypedQuestion =
  | { kind: 'number'; orgnr: Organisasjonsnummer }
  /** Nine digits that no company can have: nothing is found by them. */
  | { kind: 'no_number' }
  | { kind: 'phone'; phone: string }
  /** `name`: a site may be a name as well, `APOTERA.NO`. */
  | { kind: 'site'; host: string; name: SearchName }
  | { kind: 'name'; text: string; name: SearchName }

export function readQuestion(text: string): TypedQuestion {
  const trimmed = text.trim()
  const bare = trimmed.replace(LABEL, '')
  const orgnr = findOrganisasjonsnummer(bare) ?? numberWithin(bare)
  if (orgnr !== null) return { kind: 'number', orgnr }
  const digits = bare.replace(DRESS, '')
  if (/^[0-9]{9}$/.test(digits) || (/^[0-9]+$/.test(digits) && bare !== trimmed)) return { kind: 'no_number' }
  const phone = phoneOf(bare)
  if (phone !== null) return { kind: 'phone', phone }
  const host = hostOf(trimmed)
  const name = readName(trimmed)
  return host === null ? { kind: 'name', text: trimmed, name } : { kind: 'site', host, name }
}

/** Norwegian numbers only, eight digits: `+47 22 99 00 00`, `tlf. 22990000`. */
export function phoneOf(text: string): string | null {
  const bare = text.replace(/^\s*(?:tlf|tel|telefon|mobil|mob)\b[.:\s]*/i, '')
  if (!/^[+0-9][0-9\s().\u00a0-]*$/.test(bare)) return null
  const digits = bare.replace(/[^0-9+]/g, '').replace(/^(?:\+|00)?47(?=[0-9]{8}$)/, '')
  return /^[0-9]{8}$/.test(digits) ? digits : null
}

/** The host of a site, an address in it, or an e-mail address: lower case, without `www.`. null of what is none. */
export function hostOf(text: string): string | null {
  const bare = text
    .trim()
    .toLowerCase()
    .replace(/^[a-z]{2,10}:\/\//, '')
  if (bare.length > 255 || /\s/.test(bare)) return null
  const host = bare
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:[0-9]*$/, '')
    .replace(/^www[0-9]?\./, '')
    .replace(/\.$/, '')
  return HOST.test(host) ? host : null
}

/** What a host is called by those who have it: `clemenskraft` of `post.clemenskraft.no`. */
export function labelOf(host: string): string {
  return host.split('.').at(-2) ?? host
}

/** One number of a company among other words: `EQUINOR ASA (923 609 016)`. Two are no answer to which. */
function numberWithin(text: string): Organisasjonsnummer | null {
  const found = [...text.matchAll(/(?<![0-9])[0-9]{3}[ .\u00a0]?[0-9]{3}[ .\u00a0]?[0-9]{3}(?![0-9])/g)]
    .map(([digits]) => findOrganisasjonsnummer(digits))
    .filter((each) => each !== null)
  return new Set(found).size === 1 ? (found[0] ?? null) : null
}

const LABEL =
  /^(?:org(?:anisasjons)?\.?\s*-?\s*(?:nr|nummer|no)\.?|foretaksnummer|mva\.?(?:nr|-nr)?\.?)\s*[:.]?\s*/i
const DRESS = /^NO(?=[\s.\u00a0]*[0-9])|MVA$|[\s.\u00a0-]/gi
const HOST = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}]{2,24}$/u

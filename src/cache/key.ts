/**
 * What one entry is about. `company` is nine digits, or `sok-` and a hash for the answer to a search; `section` names the
 * register answer ("enhet", "roller", …). Both become parts of names in Redis, so their characters are few.
 */
export type Key = { readonly company: string; readonly section: string }

/** Some sections of a company, or all that are held. */
export type Sections = readonly string[] | 'all'

/** One company, or all whose names begin so: '' is every company, 'sok-' the searches. */
export type Subject = { readonly company: string } | { readonly prefix: string }

/** @throws TypeError when a part could be taken for something else in Redis: the caller has a bug, not the reader */
export function assertKey({ company, section }: Key): void {
  assertCompany(company)
  if (!SECTION.test(section)) throw new TypeError('A section is a word of letters, the first of them small')
}

/** @throws TypeError like `assertKey` */
export function assertCompany(company: string): void {
  if (!COMPANY.test(company)) throw new TypeError('A company is nine digits, a search is sok- and a hash')
}

/** @throws TypeError like `assertKey` */
export function assertPrefix(prefix: string): void {
  if (!PREFIX.test(prefix)) throw new TypeError('A prefix is digits or sok- and part of a hash')
}

const COMPANY = /^(?:[0-9]{9}|sok-[0-9A-Za-z_-]{1,64})$/
const PREFIX = /^(?:[0-9]{0,9}|sok-[0-9A-Za-z_-]{0,64})$/
/** Control fields in Redis begin with "!", which no section does. */
const SECTION = /^[a-z][a-zA-Z0-9-]{0,31}$/

/**
 * Every answer that is kept, by the name the record's `kilder`, the cache, the queues and the operators' commands use. A new
 * source is added here; what has to be told of it besides does not compile until it is.
 */

/** Asked of a register about a company: one call to one register each. */
export const companySources = [
  'enhet',
  'underenhet',
  'roller',
  'signatur',
  'prokura',
  'regnskap',
  'kunngjoringer',
] as const
export type CompanySource = (typeof companySources)[number]

/** Kept by the service itself, in PostgreSQL, from files that are imported. */
export const archiveSources = ['aksjonaerer', 'eierskap'] as const
export type ArchiveSource = (typeof archiveSources)[number]

/** Asked of a register, about a company or by a search. */
export const registerSources = [...companySources, 'sok'] as const
export type RegisterSource = (typeof registerSources)[number]

/** All that the cache keeps. */
export const keptSources = [...companySources, ...archiveSources, 'sok'] as const
export type KeptSource = (typeof keptSources)[number]

import { aksjonaerer, eierskap } from './aksjonaerregisteret/archive.ts'
import type { AskedDescriptor, KeptDescriptor, Source, ValueOf } from './descriptor.ts'
import { konsern } from './enhetsregisteret/konsern.ts'
import { rollerIAndreForetak } from './enhetsregisteret/legal-roles.ts'
import { roller } from './enhetsregisteret/roles.ts'
import { sok } from './enhetsregisteret/search.ts'
import { underenheter } from './enhetsregisteret/sub-units.ts'
import { enhet, underenhet } from './enhetsregisteret/unit.ts'
import { prokura, signatur } from './fullmakt/authority.ts'
import { kunngjoringer } from './kunngjoringer/announcements.ts'
import { regnskap } from './regnskap/accounts.ts'
import { regnskapskopier } from './regnskap/copies.ts'

/*
 * Every source there is. A new one is a file beside its register's others and a word here; what is told of sources elsewhere
 * is read from these lists, and does not compile where something more has to be said.
 */

/** Asked of a register about a company: one call to one register each. */
const aboutCompanies = [
  enhet,
  underenhet,
  roller,
  signatur,
  prokura,
  regnskap,
  kunngjoringer,
  konsern,
  underenheter,
  rollerIAndreForetak,
  regnskapskopier,
] as const
/** Kept by the service itself, in PostgreSQL, from files that are imported. */
const archived = [aksjonaerer, eierskap] as const
const searched = [sok] as const
/** Of these no changes are told. What is computed of the share books says nothing that a new year of them does not. */
const untold = [sok, eierskap] as const

type Company = (typeof aboutCompanies)[number]
export type CompanySource = Company['name']
export type ArchiveSource = (typeof archived)[number]['name']
/** Asked of a register, about a company or by a search. */
export type RegisterSource = CompanySource | (typeof searched)[number]['name']
/** All that the cache keeps. */
export type KeptSource = RegisterSource | ArchiveSource

/** Of these changes are told. */
export type ToldSource = Exclude<KeptSource, (typeof untold)[number]['name']>

/** What each source says of a company when it has something. */
export type SourceValues = { [Each in Company as Each['name']]: ValueOf<Each> }

export const companySources = namesOf(aboutCompanies)
export const archiveSources = namesOf(archived)
const archives: ReadonlySet<string> = new Set(archiveSources)
export const registerSources = namesOf<RegisterSource>([...aboutCompanies, ...searched])
export const keptSources = namesOf<KeptSource>([...aboutCompanies, ...archived, ...searched])

const kept = byName<KeptSource, KeptDescriptor>([...aboutCompanies, ...archived, ...searched])
const asked = byName<RegisterSource, AskedDescriptor>([...aboutCompanies, ...searched])
const companies = byName<CompanySource, Source>(aboutCompanies)

export const keptOf = (name: KeptSource): KeptDescriptor => kept[name]
export const askedOf = (name: RegisterSource): AskedDescriptor => asked[name]
export const sourceOf = (name: CompanySource): Source => companies[name]

/** Those of which readers' calls have a budget. */
export const sparingSources: readonly CompanySource[] = companySources.filter(
  (name) => companies[name].sparing !== null,
)

/** Another release may keep what this one does not know. */
export function isKept(source: string): source is KeptSource {
  return Object.hasOwn(kept, source)
}

export function isArchive(source: string): source is ArchiveSource {
  return archives.has(source)
}

export function isRegisterSource(source: string): source is RegisterSource {
  return Object.hasOwn(asked, source)
}

export function isAboutCompanies(source: string): source is CompanySource {
  return Object.hasOwn(companies, source)
}

/** One of each, made of what its source is; of each name exactly one. */
export function forEach<Name extends KeptSource, Made>(
  names: readonly Name[],
  make: (name: Name) => Made,
): Record<Name, Made> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Made>
}

function namesOf<Name extends string>(list: readonly KeptDescriptor<Name>[]): readonly Name[] {
  return list.map(({ name }) => name)
}

function byName<Name extends string, Each extends KeptDescriptor>(
  list: readonly (Each & { name: Name })[],
): Record<Name, Each> {
  return Object.fromEntries(list.map((each) => [each.name, each])) as unknown as Record<Name, Each>
}

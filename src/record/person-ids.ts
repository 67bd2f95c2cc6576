import { createHmac, createSecretKey } from 'node:crypto'
import { foldName } from '#src/core/person-name.ts'

/**
 * Ids for people, stable within this service: the same person has the same one in every company and every answer, so that a
 * client can tell two answers speak of one. They are keyed with a secret of the installation, so that nobody outside can
 * compute one from a name and a date and look for it in somebody's copy.
 *
 * A role holder is known by name and date of birth, a shareholder by name and year: two people of one name and year are one
 * shareholder here, so the two kinds of ids are never the same and never compared. null: too little is known, or the secret
 * is not known yet.
 */
export type PersonIds = {
  rolleinnehaver(navn: string | null, fodselsdato: string | null): string | null
  aksjonaer(navn: string | null, fodselsaar: number | null): string | null
}

export function createPersonIds(secret: Uint8Array): PersonIds {
  // Given as bytes, it is made a key of for every person: that costs several times what the id does.
  const key = createSecretKey(secret)
  function idOf(kind: 'rolleinnehaver' | 'aksjonaer', navn: string | null, born: unknown): string | null {
    if (navn === null || born === null) return null
    const about = JSON.stringify([kind, foldName(navn), born])
    return `${PREFIXES[kind]}_${createHmac('sha256', key).update(about).digest('base64url').slice(0, 22)}`
  }
  return {
    rolleinnehaver: (navn, fodselsdato) => idOf('rolleinnehaver', navn, fodselsdato),
    aksjonaer: (navn, fodselsaar) => idOf('aksjonaer', navn, fodselsaar),
  }
}

const PREFIXES = { rolleinnehaver: 'ri', aksjonaer: 'ai' }

/** While the secret is not known. */
export const NO_PERSON_IDS: PersonIds = { rolleinnehaver: () => null, aksjonaer: () => null }

type RoleHolder = { personId: string | null; navn: string | null; fodselsdato: string | null }
type Holder = { aksjonaerId: string | null; navn: string | null; fodselsaar: number | null; skjult: boolean }

/** Gives everybody who holds a role, or may sign, in a section that was just made an id: the cache keeps none. */
export function identifyPersons<T>(section: T, ids: PersonIds): T {
  const idOf = once(ids.rolleinnehaver)
  for (const person of personsIn(section)) person.personId = idOf(person.navn, person.fodselsdato)
  return section
}

/** The same for shareholders, wherever they stand. Whoever is hidden has no name left, and no id. */
export function identifyHolders<T>(section: T, ids: PersonIds): T {
  const idOf = once(ids.aksjonaer)
  for (const holder of holdersIn(section)) {
    holder.aksjonaerId = holder.skjult ? null : idOf(holder.navn, holder.fodselsaar)
  }
  return section
}

/** Most stand in a section for every year they held something. */
function once<Born>(idOf: (navn: string | null, born: Born) => string | null): typeof idOf {
  const ids = new Map<string, string | null>()
  return (navn, born) => {
    if (navn === null) return null
    const person = `${born} ${navn}`
    const known = ids.get(person)
    if (known !== undefined) return known
    const id = idOf(navn, born)
    ids.set(person, id)
    return id
  }
}

/** Everybody below a value, each time they stand there. */
export const personsIn = (value: unknown) => having<RoleHolder>('personId', value)
export const holdersIn = (value: unknown) => having<Holder>('aksjonaerId', value)
/** Every company that is named there, by its number or as one that is not known. */
export const companiesIn = (value: unknown) =>
  having<{ organisasjonsnummer: string | null }>('organisasjonsnummer', value)

/** The numbers of those that have one. */
export const companyNumbersIn = (value: unknown): string[] =>
  companiesIn(value).flatMap(({ organisasjonsnummer }) => organisasjonsnummer ?? [])

function having<T>(field: string, value: unknown): T[] {
  const found: T[] = []
  gather(field, value, found)
  return found
}

/** Every value of a record is walked through: no generator, and no list made of an object's parts. */
function gather<T>(field: string, value: unknown, found: T[]): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) gather(field, item, found)
    return
  }
  if (Object.hasOwn(value, field)) found.push(value as T)
  for (const name in value) gather(field, value[name as keyof typeof value], found)
}

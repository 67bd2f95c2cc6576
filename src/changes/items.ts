import { type Fact, type Facts, isFacts } from './fact.ts'

/**
 * The lists whose items are somebody or something that stays the same while it changes, or comes and goes, by their address in
 * the record, each with what an item is known by. Its place in the list says nothing. A list that is not here is one value.
 */
const known: Readonly<Record<string, (item: Record<string, Fact>) => unknown>> = {
  '/historiskeNavn': ({ navn, fraDato }) => [navn, fraDato],
  '/status/data/tvangsavviklingEllerTvangsopplosning/grunner': ({ grunn }) => grunn,
  '/status/data/paategninger': (item) => item,
  '/naering/data/naeringskoder': ({ rangering }) => rangering,
  ...Object.fromEntries(
    [
      'dagligLeder',
      ...['leder', 'nestleder', 'medlemmer', 'varamedlemmer', 'observatorer', 'andre'].map(
        (seat) => `styre/${seat}`,
      ),
      'revisor',
      'regnskapsforer',
      'innehaver',
      'deltakere',
      'bostyrer',
      'kontaktperson',
      'ovrige',
    ].map((list) => [`/roller/data/${list}`, holderOf]),
  ),
  ...Object.fromEntries(
    ['signatur', 'prokura'].flatMap((section) => [
      ...['kombinasjoner', 'lovensUtgangspunkt', 'kombinasjonerUtenKjentRegel'].map((list) => [
        `/${section}/data/${list}`,
        ({ kombinasjonsId, ...rest }: Record<string, Fact>) => kombinasjonsId ?? rest,
      ]),
      ...['personer', 'muligeRolleinnehavere'].map((list) => [
        `/${section}/data/${list}`,
        ({ navn, fodselsdato, rolle }: Record<string, Fact>) => [navn, fodselsdato, codeOf(rolle)],
      ]),
    ]),
  ),
  '/regnskap/data/aar': ({ periode }) => periode,
  '/kunngjoringer/data/kunngjoringer': ({ lenke }) => lenke,
  '/konsern/data/over': ({ organisasjonsnummer, navn }) => organisasjonsnummer ?? navn,
  '/konsern/data/under': ({ organisasjonsnummer, navn }) => organisasjonsnummer ?? navn,
  '/underenheter/data/alle': ({ organisasjonsnummer }) => organisasjonsnummer,
  '/rollerIAndreForetak/data/alle': ({ organisasjonsnummer }) => organisasjonsnummer,
  '/regnskapskopier/data/kopier': ({ aar }) => aar,
}

/** A role in a group, and who holds it: a person by name and day of birth, a company by its number. */
function holderOf({ rolle, gruppe, rolleinnehaver }: Record<string, Fact>): unknown {
  const { type, navn, fodselsdato, organisasjonsnummer } = (rolleinnehaver ?? {}) as Record<string, Fact>
  const who = type === 'enhet' ? (organisasjonsnummer ?? navn) : [navn, fodselsdato ?? null]
  return [codeOf(gruppe), codeOf(rolle), type, who]
}

function codeOf(code: Fact | undefined): Fact {
  return isFacts(code) ? (code.kode ?? null) : null
}

/** What an item of this list is known by; null: the list is one value. */
export function identityIn(list: string): ((item: Fact) => string) | null {
  if (!Object.hasOwn(known, list)) return null
  const by = known[list]
  return by === undefined ? null : (item) => JSON.stringify(isFacts(item) ? by(item) : item)
}

const places = Object.keys(known)

/** There are such lists somewhere below this address. */
export function hasListsBelow(address: string): boolean {
  return places.some((place) => place.startsWith(`${address}/`))
}

/** The same facts with their items in an order of their own: where an item stood does not count. */
export function sortedLists(facts: Facts, address = ''): Facts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [name, sorted(fact, `${address}/${name}`)]),
  )
}

function sorted(fact: Fact, address: string): Fact {
  if (isFacts(fact)) return sortedLists(fact, address)
  const identity = identityIn(address)
  if (identity === null || !Array.isArray(fact)) return fact
  const keyed = fact.map((item) => ({ item, key: `${identity(item)} ${JSON.stringify(item)}` }))
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ item }) => item)
}

import { nineDigits } from '#src/core/organisation-number.ts'
import { foldName } from '#src/core/person-name.ts'
import type { Part } from './eierskap.ts'
import type { HolderKind } from './holder-kind.ts'
import type { Holding } from './open-book.ts'

/** One owner of the subject, put together from all the share books it stands in. */
export type Party = {
  orgnr: number | null
  kind: HolderKind
  /** Of the subject, by what can be told; null while nothing can. */
  effective: number | null
  direct: number | null
  /** Steps from the subject, on the shortest way. */
  ledd: number
  /** As it is shown. Made when it is asked for: a giant's books hold thousands of owners who never are. */
  shown(): Part
}

export type Parties = ReturnType<typeof createParties>

/**
 * Who is who across share books: organisations by their number, persons by name and year of birth. Names alone, places, and
 * whoever is hidden make nobody the same as anybody: such a holder is its own party in every book.
 *
 * `nameOf` knows a company's name from its own share book, which is better than what its holdings call it.
 */
export function createParties(nameOf: (orgnr: number) => string | null) {
  const known = new Map<string, Party>()
  const all: Party[] = []
  let others = 0
  return {
    all: all as readonly Party[],
    /** Once for every holding: whoever has no key is a new party each time. */
    of(holding: Holding): Party {
      const key = keyOf(holding)
      const before = key === null ? undefined : known.get(key)
      if (before !== undefined) return before
      if (holding.orgnr === undefined) others += 1
      const party = createParty(holding, `p${others}`, nameOf)
      all.push(party)
      if (key !== null) known.set(key, party)
      return party
    },
  }
}

function createParty(holding: Holding, id: string, nameOf: (orgnr: number) => string | null): Party {
  const { orgnr, kind } = holding
  const isHidden = holding.skjult === true
  let part: Part | null = null
  return {
    orgnr: orgnr ?? null,
    kind,
    effective: null,
    direct: null,
    ledd: Number.POSITIVE_INFINITY,
    shown() {
      part ??= {
        id: orgnr === undefined ? id : nineDigits(orgnr),
        type: kind,
        navn: isHidden ? null : ((orgnr === undefined ? null : nameOf(orgnr)) ?? holding.navn),
        organisasjonsnummer: orgnr === undefined ? null : nineDigits(orgnr),
        fodselsaar: isHidden ? null : (holding.fodselsaar ?? null),
        landkode: isHidden ? null : (holding.land ?? null),
        skjult: isHidden,
        aksjonaerId: null,
      }
      return part
    },
  }
}

function keyOf({ orgnr, navn, fodselsaar, skjult }: Holding): string | null {
  if (skjult === true) return null
  if (orgnr !== undefined) return `${orgnr}`
  if (navn === null || fodselsaar === undefined) return null
  return `${foldName(navn)} ${fodselsaar}`
}

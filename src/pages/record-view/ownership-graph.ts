import type { Eierskap, Part } from '#src/record/eierskap/eierskap.ts'

/** Who owns whom, as it is drawn: the company in the middle is `0`, owners are above it, what it owns is below. */
export type Graph = {
  nodes: readonly OwnershipNode[]
  edges: readonly { owner: string; owned: string; percent: number | null }[]
}

export type OwnershipNode = {
  id: string
  name: string | null
  kind: Part['type'] | 'self' | 'others'
  organisationNumber: string | null
  birthYear: number | null
  /** All it holds of the company, through others as well; null where it can not be told, or is below. */
  effectivePercent: number | null
  /** Rows from the company: 1 and up are owners, -1 is what it owns. */
  row: number
}

const SELF = 'self'
const OTHERS = 'others'
/** A picture of more is no picture: the table behind it has all of them. */
const OWNERS_MAX = 12
const HOLDINGS_MAX = 5

export function graphOf(ownership: Eierskap): Graph {
  const up = ownership.oppover
  const relations = (up?.ledd ?? []).flatMap(({ forhold }) => forhold)
  const effective = new Map<string, number | null>([
    ...(up?.eiere ?? []).map((each) => [each.eier.id, each.effektivProsent] as const),
    ...(up?.mellomledd ?? []).map((each) => [each.foretak.id, each.effektivProsent] as const),
  ])
  const parts = new Map(relations.map(({ eier }) => [eier.id, eier]))
  const byNumber = new Map(
    [...parts.values()].flatMap((part) =>
      part.organisasjonsnummer === null ? [] : [[part.organisasjonsnummer, part.id] as const],
    ),
  )
  const edges = relations.flatMap(({ eier, eid, prosent }) => {
    const owned =
      eid.organisasjonsnummer === ownership.organisasjonsnummer ? SELF : byNumber.get(eid.organisasjonsnummer)
    return owned === undefined || owned === eier.id ? [] : [{ owner: eier.id, owned, percent: prosent }]
  })
  const rows = rowsOf(edges)
  const owners = [...parts.values()].filter(({ id }) => rows.has(id)).slice(0, OWNERS_MAX)
  const shown = new Set([SELF, ...owners.map(({ id }) => id)])
  const others = up !== null && up.ovrige.antall > 0 ? up.ovrige : null
  const holdings = [...(ownership.nedover?.datterselskap ?? []), ...(ownership.nedover?.tilknyttede ?? [])]
    .filter(({ eier }) => eier === ownership.organisasjonsnummer)
    .slice(0, HOLDINGS_MAX)
  return {
    nodes: [
      {
        ...nobody,
        id: SELF,
        name: ownership.navn,
        kind: 'self',
        organisationNumber: ownership.organisasjonsnummer,
      },
      ...owners.map((part) => ({
        id: part.id,
        name: part.navn,
        kind: part.type,
        organisationNumber: part.organisasjonsnummer,
        birthYear: part.fodselsaar,
        effectivePercent: effective.get(part.id) ?? null,
        row: rows.get(part.id) ?? 1,
      })),
      ...(others === null
        ? []
        : [
            {
              ...nobody,
              id: OTHERS,
              name: null,
              kind: 'others' as const,
              effectivePercent: others.prosent,
              row: 1,
            },
          ]),
      ...holdings.map((each) => ({
        ...nobody,
        id: `under-${each.organisasjonsnummer}`,
        name: each.navn,
        kind: 'foretak' as const,
        organisationNumber: each.organisasjonsnummer,
        row: -1,
      })),
    ],
    edges: [
      ...edges.filter(({ owner, owned }) => shown.has(owner) && shown.has(owned)),
      ...(others === null ? [] : [{ owner: OTHERS, owned: SELF, percent: others.prosent }]),
      ...holdings.map(({ organisasjonsnummer, prosent }) => ({
        owner: SELF,
        owned: `under-${organisasjonsnummer}`,
        percent: prosent,
      })),
    ],
  }
}

const nobody = { organisationNumber: null, birthYear: null, effectivePercent: null, row: 0 }

/**
 * The longest way down to the company, so that every line leads downwards. Companies that own each other have no longest
 * way: after as many rounds as there are lines they stay where they are.
 */
function rowsOf(edges: readonly { owner: string; owned: string }[]): Map<string, number> {
  const rows = new Map<string, number>([[SELF, 0]])
  for (let round = 0; round < Math.min(edges.length, ROWS_MAX); round += 1) {
    for (const { owner, owned } of edges) {
      const below = rows.get(owned)
      if (below === undefined || owner === SELF) continue
      if (below + 1 > (rows.get(owner) ?? 0)) rows.set(owner, Math.min(below + 1, ROWS_MAX))
    }
  }
  return rows
}

const ROWS_MAX = 6

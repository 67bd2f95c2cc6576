import type { Edge, Holder, OwnershipPorts, ShareBook } from '#src/record/eierskap/read-ownership.ts'

/** A company's holders: a number is a company's, a text a person's name; the value is shares, or a whole holder. */
export type Company = {
  total?: number | null
  holders: [number | string, number | Partial<Holder>, number?][]
  navn?: string
}

/** A register in memory, with the bounds of the real one: 200 holders to a book, own shares in the book alone. */
export function inventedRegister(companies: ReadonlyMap<number, Company> | Record<number, Company>) {
  const all = new Map(companies instanceof Map ? companies : numbered(companies as Record<number, Company>))
  const books = new Map([...all].map(([orgnr, company]) => [orgnr, bookOf(orgnr, company)]))
  const edges = new Map<number, Edge[]>()
  for (const [eid, company] of all) {
    const book = books.get(eid)
    if (book === undefined) continue
    for (const { orgnr: eier, aksjer } of holdersOf(company)) {
      if (eier === undefined || eier === eid) continue
      const { aksjerTotalt, aksjerSum, navn } = book
      const edge = { eier, eid, aksjer, navn, aksjerTotalt, aksjerSum }
      edges.set(eier, [...(edges.get(eier) ?? []), edge])
    }
  }
  const calls = { books: [] as number[][], owns: [] as number[][] }
  const ports: OwnershipPorts = {
    async books(orgnrs) {
      calls.books.push([...orgnrs])
      return orgnrs.flatMap((orgnr) => books.get(orgnr) ?? []).reverse()
    },
    async owns(orgnrs) {
      calls.owns.push([...orgnrs])
      return orgnrs.flatMap((orgnr) => edges.get(orgnr) ?? []).reverse()
    },
  }
  return { ports, calls }
}

function numbered(companies: Record<number, Company>): [number, Company][] {
  return Object.entries(companies).map(([orgnr, company]) => [Number(orgnr), company])
}

function bookOf(orgnr: number, company: Company): ShareBook {
  const holders = holdersOf(company).sort((a, b) => b.aksjer - a.aksjer)
  const aksjerSum = holders.reduce((sum, { aksjer }) => sum + aksjer, 0)
  return {
    orgnr,
    navn: company.navn ?? `SELSKAP ${orgnr} AS`,
    aksjerTotalt: company.total === undefined ? aksjerSum : company.total,
    aksjerSum,
    innehavere: holders.length,
    storste: holders.slice(0, 200),
  }
}

function holdersOf({ holders }: Company): Holder[] {
  return holders.map(([who, what, shares]) => {
    if (typeof what === 'object') {
      const known = typeof who === 'number' ? { orgnr: who, navn: `SELSKAP ${who} AS` } : { navn: who }
      return { ...known, ...what, aksjer: shares ?? 0 }
    }
    return typeof who === 'number'
      ? { navn: `SELSKAP ${who} AS`, orgnr: who, aksjer: what }
      : { navn: who, fodselsaar: 1970, aksjer: what }
  })
}

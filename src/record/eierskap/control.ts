import type { Oppover } from './eierskap.ts'
import type { Holding, OpenBook } from './open-book.ts'

/** `row` is the holding's place in the book of `eid`. */
type ControlLink = { eid: number; row: number; holding: Holding; isCircle: boolean }

/** From the subject to the one holder of more than half, and on from there; ends before a company it has passed. */
export function chainOfControl(subject: number, books: ReadonlyMap<number, OpenBook>): ControlLink[] {
  const chain: ControlLink[] = []
  const seen = new Set([subject])
  for (let eid: number | undefined = subject; eid !== undefined; ) {
    const opened: OpenBook | undefined = books.get(eid)
    const whole = opened?.whole ?? null
    if (opened === undefined || whole === null) break
    const row = opened.holdings.findIndex(({ aksjer }) => aksjer / whole > 0.5)
    const holding = opened.holdings[row]
    if (holding === undefined) break
    const isCircle = holding.orgnr !== undefined && seen.has(holding.orgnr)
    chain.push({ eid, row, holding, isCircle })
    if (isCircle || holding.kind !== 'foretak') break
    eid = holding.orgnr
    if (eid !== undefined) seen.add(eid)
  }
  return chain
}

/** Why the chain ends where it does. */
export function controlEnd(
  subject: number,
  chain: readonly ControlLink[],
  { books, absent }: { books: ReadonlyMap<number, OpenBook>; absent: ReadonlySet<number> },
): Oppover['kontrollkjede']['ende'] {
  const last = chain.at(-1)
  if (last?.isCircle === true) return 'sirkel'
  const kind = last?.holding.kind ?? 'foretak'
  if (kind === 'offentlig' || kind === 'forvalter') return kind
  if (kind !== 'foretak') return 'endelig'
  const top = last?.holding.orgnr ?? subject
  if (absent.has(top)) return 'uten_aksjebok'
  const book = books.get(top)
  if (book === undefined) return 'avkortet'
  return book.whole === null ? 'andel_ukjent' : 'ingen_over_halvparten'
}

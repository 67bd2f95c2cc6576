import { createHash } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Fact, Facts, Look } from './fact.ts'
import { isFacts } from './fact.ts'

/** A look as it is remembered: its facts, and a hash that says whether another look saw the same. */
export function packLook(look: Look): Buffer {
  return zstdCompressSync(JSON.stringify(look))
}

/** null: it was packed by a release that did it otherwise, or is longer than anything that is packed. */
export function unpackLook(packed: Buffer, bytesMax: number): Look | null {
  try {
    const look: unknown = JSON.parse(zstdDecompressSync(packed, { maxOutputLength: 2 * bytesMax }).toString())
    const { facts, inDoubt } = look as Partial<Look>
    return isFacts(facts) && Array.isArray(inDoubt) ? { facts, inDoubt } : null
  } catch {
    return null
  }
}

export function printOf(look: Look): Buffer {
  return createHash('sha256').update(JSON.stringify(look)).digest().subarray(0, 16)
}

/** The numbers of all companies that are named in it, but for this one. */
export function namedIn(fact: unknown, orgnr: string): number[] {
  const named = new Set<number>()
  walk(fact, (number) => named.add(Number(number)))
  named.delete(Number(orgnr))
  return [...named].sort((a, b) => a - b)
}

function walk(fact: unknown, onNumber: (orgnr: string) => void): void {
  if (Array.isArray(fact)) for (const item of fact) walk(item, onNumber)
  else if (typeof fact === 'object' && fact !== null) {
    for (const [name, below] of Object.entries(fact)) {
      if (name === 'organisasjonsnummer' && typeof below === 'string' && /^[0-9]{9}$/.test(below))
        onNumber(below)
      else walk(below, onNumber)
    }
    // The address of the number itself, where a change is told.
    const { felt } = fact as { felt?: unknown }
    if (typeof felt === 'string' && felt.endsWith('/organisasjonsnummer'))
      for (const value of [(fact as { for?: unknown }).for, (fact as { etter?: unknown }).etter])
        if (typeof value === 'string' && /^[0-9]{9}$/.test(value)) onNumber(value)
  }
}

/** The same without who and what an erased company is, wherever it is named. */
export function withoutErased(facts: Facts, isErased: (orgnr: string) => boolean): Facts {
  return without(facts, isErased) as Facts
}

function without(fact: Fact, isErased: (orgnr: string) => boolean): Fact {
  if (Array.isArray(fact)) return fact.map((item) => without(item, isErased))
  if (!isFacts(fact)) return fact
  const { organisasjonsnummer } = fact
  const isGone = typeof organisasjonsnummer === 'string' && isErased(organisasjonsnummer)
  return Object.fromEntries(
    Object.entries(fact).map(([name, below]) => [
      name,
      isGone && NAMES.has(name) ? null : without(below, isErased),
    ]),
  )
}

const NAMES: ReadonlySet<string> = new Set(['organisasjonsnummer', 'navn'])

import type { Parts } from './parts.ts'

type Archived = [Parts['aksjonaerer'], Parts['eierskap']]

/**
 * The two sections of the shareholder register are held apart, and after an import one may be new while the other is not yet: a
 * record never shows some of each (P18). The older is asked for anew; what still differs then is not shown.
 */
export async function ofOneEdition(
  [aksjonaerer, eierskap]: Archived,
  anew: { aksjonaerer: () => Promise<Archived[0]>; eierskap: () => Promise<Archived[1]> },
): Promise<Archived> {
  const older = olderOf(aksjonaerer, eierskap)
  if (older === null) return [aksjonaerer, eierskap]
  const renewed: Archived =
    older === 'aksjonaerer' ? [await anew.aksjonaerer(), eierskap] : [aksjonaerer, await anew.eierskap()]
  const left = olderOf(...renewed)
  if (left === null) return renewed
  const withheld = { outcome: 'failed', failure: 'feilstatus' } as const
  return left === 'aksjonaerer' ? [withheld, renewed[1]] : [renewed[0], withheld]
}

/** Null when both are of one edition, or one says nothing. Answers of the archive are as of when its last file came in. */
function olderOf(...[aksjonaerer, eierskap]: Archived): 'aksjonaerer' | 'eierskap' | null {
  const [one, other] = [editionOf(aksjonaerer), editionOf(eierskap)]
  if (one === null || other === null || one === other) return null
  return one < other ? 'aksjonaerer' : 'eierskap'
}

function editionOf(part: Archived[number]): number | null {
  return part.outcome === 'found' || part.outcome === 'absent' ? part.fetchedAt.getTime() : null
}

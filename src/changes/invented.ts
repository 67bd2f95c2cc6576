import { policy } from '#config/policy.ts'
import type { Answer } from '#src/sources/source.ts'
import { writeLook } from '#src/storage/changes/known-answers.ts'
import type { Database } from '#src/storage/database.ts'
import type { Look } from './fact.ts'
import { lookAt } from './facts.ts'
import { lookOver } from './look-over.ts'
import { namedIn, packLook, printOf, unpackLook } from './packed-look.ts'

/**
 * What an invented company has come to be, written as what a real one has: by the same difference, in the same log, and apart from
 * it (P94). Of its unit alone, and of that only what it changes by itself: every date of the samples moves with the year they are
 * shown on. Safe to do twice, also at once.
 */
export async function lookAtInvented(
  database: Database,
  orgnr: string,
  unit: Answer<unknown>,
): Promise<void> {
  const look = lookAt('enhet', orgnr, unit)
  if (look === null) return
  const { navn = null, historiskeNavn = null, status = null } = look.facts
  const living: Look = { facts: { navn, historiskeNavn, status }, inDoubt: [] }
  const seen = { look: living, at: unit.fetchedAt }
  await writeLook(
    database,
    { orgnr, source: 'enhet' },
    { isInvented: true, event: null, keptUntil: unit.fetchedAt },
    (row) => {
      const before = row === null ? null : unpackLook(row.packed, policy.looks.factsBytesMax)
      const first = { at: seen.at, packed: packLook(living), print: printOf(living) }
      if (row === null || before === null)
        return { ...first, named: namedIn(living.facts, orgnr), changes: [] }
      // A process whose clock is behind tells of what is over.
      const aheadMs = row.at.getTime() - seen.at.getTime()
      if (aheadMs > 0 && aheadMs <= policy.looks.overlapMs) return null
      return lookOver({ look: before, at: row.at }, seen, orgnr)
    },
  )
}

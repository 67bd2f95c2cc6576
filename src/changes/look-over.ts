import type { LookResult } from '#src/storage/changes/known-answers.ts'
import { difference } from './difference.ts'
import type { Look } from './fact.ts'
import { kindsOf } from './kinds.ts'
import { namedIn, packLook, printOf } from './packed-look.ts'

/** What a look comes to against an earlier one: what is known now, and what changed. Pure. */
export function lookOver(
  before: { look: Look; at: Date },
  seen: { look: Look; at: Date },
  orgnr: string,
): LookResult {
  const { fields, known } = difference(before.look, seen.look)
  // What was in doubt then and could be read now is not in doubt any more, and what was known stays known.
  const inDoubt = seen.look.inDoubt.filter((part) => before.look.inDoubt.includes(part))
  return {
    at: seen.at,
    packed: packLook({ facts: known, inDoubt }),
    print: printOf(seen.look),
    named: namedIn(known, orgnr),
    changes: kindsOf(fields).map((kind) => ({
      ...kind,
      nevner: namedIn(kind.felt, orgnr),
      // A clock that was set back does not make it seen before it was as it was.
      forrige: new Date(Math.min(before.at.getTime(), seen.at.getTime())),
    })),
  }
}

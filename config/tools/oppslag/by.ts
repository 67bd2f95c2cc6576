import { userInfo } from 'node:os'
import type { Command } from 'commander'
import { systemClock } from '#src/core/clock.ts'
import type { By } from '#src/ops/steering.ts'
import type { Queryable } from '#src/storage/database.ts'
import { recordDeed } from '#src/storage/operator-trail.ts'

/** What every command that changes something wants: why. Who is the user of the machine, unless told otherwise. */
export function withReason(command: Command): Command {
  return command
    .requiredOption('--hvorfor <tekst>', 'begrunnelsen, som står i sporet')
    .option('--hvem <navn>', 'hvem som gjør det; ellers brukeren på maskinen')
    .option('--json', 'skriv JSON')
}

export type ReasonOptions = { hvorfor: string; hvem?: string; json?: true }

export function byOf({ hvorfor, hvem }: ReasonOptions): By {
  return { hvem: hvem ?? machineUser(), hvorfor }
}

/** For commands that ask for no reason: who and what stand in the trail all the same. */
export async function noteDeed(db: Queryable, handling: string, gjelder: string): Promise<void> {
  const hvem = machineUser()
  await recordDeed(db, {
    at: systemClock.now(),
    hvem,
    handling,
    gjelder,
    hvorfor: 'oppslag keys',
    utfall: 'gjort',
  })
}

function machineUser(): string {
  return `${userInfo().username} (kommando)`
}

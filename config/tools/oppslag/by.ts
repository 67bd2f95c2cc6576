import { userInfo } from 'node:os'
import type { Command } from 'commander'
import { InputError } from '#src/core/errors.ts'
import { namesPersonOrKey } from '#src/ops/deeds.ts'
import type { By } from '#src/ops/steering.ts'
import type { Deed } from '#src/storage/operator-trail.ts'

/** What a command that steers a running service wants: why. Who is the user of the machine, unless told otherwise. */
export function withReason(command: Command): Command {
  return withWho(command.requiredOption('--hvorfor <tekst>', REASON)).option('--json', 'skriv JSON')
}

/** For commands that can also be run without a reason: who and what stand in the trail all the same. */
export function withOptionalReason(command: Command): Command {
  return withWho(command.option('--hvorfor <tekst>', REASON)).option('--json', 'skriv JSON')
}

export type ReasonOptions = OptionalReasonOptions & { hvorfor: string }
export type OptionalReasonOptions = { hvorfor?: string; hvem?: string; json?: true }

/** @throws InputError for a name that can not stand in the trail */
export function byOf({ hvorfor = 'ikke oppgitt', hvem }: OptionalReasonOptions): By {
  return { hvem: hvem === undefined ? machineUser() : readWho(hvem), hvorfor }
}

/** One line of the trail, as the commands show it. */
export function asLine({ at, hvem, handling, utfall, hvorfor }: Deed): string {
  return `  ${at.toISOString()}  ${hvem}: ${handling}, ${utfall} (${hvorfor})`
}

const REASON = 'begrunnelsen, som står i sporet'

function withWho(command: Command): Command {
  return command.option('--hvem <navn>', 'hvem som gjør det; ellers brukeren på maskinen')
}

function machineUser(): string {
  return `${userInfo().username} (kommando)`
}

function readWho(typed: string): string {
  const who = typed.trim().replace(/\s+/g, ' ')
  if (who !== '' && who.length <= 80 && !/\p{Cc}/u.test(who) && !namesPersonOrKey(who)) return who
  throw new InputError('ugyldig_hvem', 'hvem', {
    norsk: '--hvem er et navn på høyst 80 tegn, ingen e-postadresse og ingen nøkkel.',
    english: '--hvem is a name of at most 80 characters, no e-mail address and no key.',
  })
}

import { userInfo } from 'node:os'
import type { Command } from 'commander'
import { InputError } from '#src/core/errors.ts'
import { namesPersonOrKey, readReason } from '#src/ops/deeds.ts'
import type { By } from '#src/ops/steering.ts'
import type { Deed } from '#src/storage/operator-trail.ts'

/** What a command that changes something wants, before anything is opened: why. A trial (`--prov`) changes nothing. Who is the user of the machine, unless told otherwise. */
export function withReason(command: Command): Command {
  return command
    .option('--hvorfor <tekst>', 'begrunnelsen, som står i sporet; må være med når noe endres')
    .option('--hvem <navn>', 'hvem som gjør det; ellers brukeren på maskinen')
    .option('--json', 'skriv JSON')
    .hook('preAction', (_command, action) => {
      const { hvorfor, prov } = action.opts<Partial<ReasonOptions> & { prov?: true }>()
      if (hvorfor === undefined && prov === undefined) throw withoutReason()
    })
}

export type ReasonOptions = { hvorfor: string; hvem?: string; json?: true }

/** @throws InputError for a name or a reason that can not stand in the trail */
export function byOf({ hvorfor, hvem }: ReasonOptions): By {
  return { hvem: hvem === undefined ? machineUser() : readWho(hvem), hvorfor: readReason(hvorfor) }
}

/** One line of the trail, as the commands show it. */
export function asLine({ at, hvem, handling, utfall, hvorfor }: Deed): string {
  return `  ${at.toISOString()}  ${hvem}: ${handling}, ${utfall} (${hvorfor})`
}

function withoutReason(): InputError {
  return new InputError('mangler_hvorfor', 'hvorfor', {
    norsk: 'Si hvorfor: --hvorfor <tekst>. Begrunnelsen står i sporet.',
    english: 'Say why: --hvorfor <text>. The reason stands in the trail.',
  })
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

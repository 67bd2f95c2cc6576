import { type Static, Type } from 'typebox'
import { exactly, orNull, Tekst } from '#src/record/shape.ts'
import type { Change } from '#src/storage/changes/change-log.ts'
import { Endringstid } from './change.ts'

export const Historikkperiode = exactly({
  felt: Type.String({
    description: 'Adressen i foretaket (JSON-peker, RFC 6901); for det som står i en liste, listens.',
  }),
  verdi: Type.Unknown({ description: 'Det som sto der: en verdi, eller alt om den ene i listen.' }),
  fra: orNull(Endringstid),
  til: orNull(Endringstid),
})
type Historikkperiode = Static<typeof Historikkperiode>

const Perioder = Type.Array(Historikkperiode)

/** What a company was, and when: never more exact than it was looked at, and only what was seen to change. */
export const Historikk = exactly({
  organisasjonsnummer: Tekst,
  navn: Perioder,
  organisasjonsform: Perioder,
  adresser: Perioder,
  status: Perioder,
  kapital: Perioder,
  naering: Perioder,
  roller: Perioder,
  avkortet: Type.Boolean({ description: 'true: det er mer i endringsloggen enn det som er med her.' }),
})
export type Historikk = Static<typeof Historikk>

type Part = Exclude<keyof Historikk, 'organisasjonsnummer' | 'avkortet'>

/** What of a change is told where. */
const parts: readonly [Part, RegExp][] = [
  ['navn', /^\/navn$/],
  ['organisasjonsform', /^\/organisasjonsform$/],
  ['adresser', /^\/adresser\//],
  ['status', /^\/(status\/|slettedato$|enhetstype$)/],
  ['kapital', /^\/kapital(\/|$)/],
  ['naering', /^\/naering\//],
  ['roller', /^\/(roller|signatur|prokura)\//],
]

/**
 * The periods in which each value stood, newest first. Pure. A value that stood when the company was first looked at has no
 * beginning, and one that stands has no end.
 *
 * @param changes the oldest first
 */
export function historyOf(
  organisasjonsnummer: string,
  changes: readonly Change[],
  avkortet: boolean,
): Historikk {
  const periods = changes.reduce(follow, [])
  const all = Object.fromEntries(
    parts.map(([part, of]) => [part, periods.filter(({ felt }) => of.test(felt)).reverse()]),
  ) as Record<Part, Historikkperiode[]>
  return { organisasjonsnummer, ...all, avkortet }
}

function follow(periods: Historikkperiode[], { felt: fields, forrige, sett }: Change): Historikkperiode[] {
  const time = { etter: forrige.toISOString(), innen: sett.toISOString() }
  for (const { felt, for: before, etter: now } of fields) {
    if (before !== null) {
      const value = JSON.stringify(before)
      const open = periods.findLast(
        (period) => period.felt === felt && period.til === null && JSON.stringify(period.verdi) === value,
      )
      if (open === undefined) periods.push({ felt, verdi: before, fra: null, til: time })
      else open.til = time
    }
    if (now !== null) periods.push({ felt, verdi: now, fra: time, til: null })
  }
  return periods
}

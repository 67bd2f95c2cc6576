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
 * The periods in which each value stood, newest first in each part. A value that stood when the company was first looked at has no
 * beginning, and one that stands has no end. Some at a time: two thousand changes take as long as several turns of the event loop.
 */
export function createHistory(organisasjonsnummer: string) {
  const periods: Historikkperiode[] = []
  /** Those without an end, by what stands where: to look through all for each that ends takes a second where a thousand came before one left. */
  const open = new Map<string, Historikkperiode[]>()

  return {
    /** The next change, the oldest first. */
    follow({ felt: fields, forrige, sett }: Change): void {
      const time = { etter: forrige.toISOString(), innen: sett.toISOString() }
      for (const { felt, for: before, etter: now } of fields) {
        if (before !== null) {
          const begun = open.get(nameOf(felt, before))?.pop()
          if (begun === undefined) periods.push({ felt, verdi: before, fra: null, til: time })
          else begun.til = time
        }
        if (now === null) continue
        const period: Historikkperiode = { felt, verdi: now, fra: time, til: null }
        periods.push(period)
        const name = nameOf(felt, now)
        const same = open.get(name)
        if (same === undefined) open.set(name, [period])
        else same.push(period)
      }
    },

    told(avkortet: boolean): Historikk {
      const all = Object.fromEntries(
        parts.map(([part, of]) => [part, periods.filter(({ felt }) => of.test(felt)).reverse()]),
      ) as Record<Part, Historikkperiode[]>
      return { organisasjonsnummer, ...all, avkortet }
    },
  }
}

/** A place and what stands there. No text as JSON has a line's end in it. */
function nameOf(felt: string, value: unknown): string {
  return `${JSON.stringify(value)}\n${felt}`
}

import { type Static, Type } from 'typebox'
import { exactly, orNull, Tekst, Tidspunkt } from '#src/record/shape.ts'
import type { Change } from '#src/storage/changes/change-log.ts'
import { cursorAfter, type LogCursor, writeLogCursor } from './log-cursor.ts'

export const Feltendring = exactly({
  felt: Type.String({ description: 'Feltets adresse i foretaket (JSON-peker, RFC 6901).' }),
  for: Type.Unknown({ description: 'Det som sto der. null: ikke oppgitt.' }),
  etter: Type.Unknown({ description: 'Det som står der. null: ikke oppgitt.' }),
})

export const Endringshendelse = exactly({
  id: Type.String({ description: 'Strømmen og nummeret i den.' }),
  tidspunkt: Tidspunkt,
})

/** Never more exact than known. */
export const Endringstid = exactly({ etter: Tidspunkt, innen: Tidspunkt })

/** A change as every reader is told of it, whichever way it comes. */
export const Endring = exactly({
  id: Type.String({ description: 'Endringens navn, det samme hver gang og på hver vei den kommer.' }),
  type: Type.String({ description: 'Hva slags endring, fra det vide til det nøyaktige. Nye kan komme.' }),
  organisasjonsnummer: Tekst,
  navn: orNull(Type.String({ description: 'Det du kaller foretaket i overvåkingen.' })),
  seksjon: Type.String({ description: 'Delen av foretaket den står i.' }),
  felter: Type.Array(Feltendring, { description: 'Det som er endret, felt for felt.' }),
  hendelse: orNull(Endringshendelse),
  sett: Endringstid,
  peker: Type.String({ description: 'Stedet i endringsloggen etter denne endringen.' }),
})
export type Endring = Static<typeof Endring>

/**
 * What a change is called, the same each time and on each way it comes. Its number alone would not do: a log that was put back, or a
 * second server that had not heard of the last lines, gives numbers anew, and whoever knows what has come by its name would take the
 * new for the old.
 */
export function changeId(line: Pick<Change, 'nr' | 'sett'>): string {
  return idAt(cursorAfter(line))
}

function idAt({ nr, mark }: LogCursor): string {
  return `endring_${nr}_${mark.toString(36)}`
}

/** Whether it is of somebody who is gone from the register, or mentions one: then nobody is told of it. */
export function tellsOfErased(
  { orgnr, nevner }: Pick<Change, 'orgnr' | 'nevner'>,
  isErased: (orgnr: string) => boolean,
): boolean {
  return isErased(orgnr) || nevner.some(isErased)
}

/** @param change `navn`: what its reader calls the company */
export function endringOf(change: Change & { navn: string | null }): Endring {
  const { nr, orgnr, type, seksjon, navn, felt, hendelse, forrige, sett } = change
  const cursor = cursorAfter({ nr, sett })
  return {
    id: idAt(cursor),
    type,
    organisasjonsnummer: orgnr,
    navn,
    seksjon,
    felter: [...felt],
    hendelse: hendelse === null ? null : { id: hendelse.id, tidspunkt: hendelse.at.toISOString() },
    sett: { etter: forrige.toISOString(), innen: sett.toISOString() },
    peker: writeLogCursor(cursor),
  }
}

/** The same as an event of CloudEvents 1.0.2, in its JSON format. `peker` is an extension. */
export const Skyhendelse = exactly(
  {
    specversion: Type.Literal('1.0'),
    id: Endring.properties.id,
    source: Type.String({ format: 'uri' }),
    type: Endring.properties.type,
    subject: Type.String({ description: 'Organisasjonsnummeret.' }),
    time: Tidspunkt,
    datacontenttype: Type.Literal('application/json'),
    peker: Endring.properties.peker,
    data: Endring,
  },
  { description: 'En endring som en hendelse etter CloudEvents 1.0.2.' },
)

/** @param source the address of the log */
export function cloudEventOf(endring: Endring, source: string): Static<typeof Skyhendelse> {
  return {
    specversion: '1.0',
    id: endring.id,
    source,
    type: endring.type,
    subject: endring.organisasjonsnummer,
    time: endring.sett.innen,
    datacontenttype: 'application/json',
    peker: endring.peker,
    data: endring,
  }
}

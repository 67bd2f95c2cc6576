import { type Static, Type } from 'typebox'
import { readable } from '#src/sources/believe.ts'
import type { Enhet, SlettetEnhet } from '#src/sources/enhetsregisteret/schema.ts'
import { Dato, exactly, Kode, oneOf, orNull, Tekst } from '../shape.ts'

/** In order of precedence: a company may carry several at once while one proceeding turns into another. */
export const foretakstilstander = [
  'slettet',
  'konkurs',
  'tvangsopplosning',
  'tvangsavvikling',
  'tvangsavvikling_eller_tvangsopplosning',
  'under_avvikling',
  'rekonstruksjon',
  'utenlandsk_insolvens',
  'ukjent',
  'aktiv',
] as const
export const Foretakstilstand = oneOf(
  foretakstilstander,
  [
    'Utledet; ved flere samtidig gjelder den første i denne rekkefølgen.',
    'tvangsavvikling_eller_tvangsopplosning: registeret sier at det er en av dem, uten en grunn som skiller dem.',
    'ukjent: noe av det som avgjør det, manglet i svaret eller kunne ikke leses.',
  ].join(' '),
)
export type Foretakstilstand = Static<typeof Foretakstilstand>

const Forhold = exactly({ gjelder: orNull(Type.Boolean()), dato: orNull(Dato) })
type Forhold = Static<typeof Forhold>

const tvangsgrunner = [
  'manglende_regnskap',
  'manglende_revisor',
  'mangelfullt_styre',
  'manglende_daglig_leder',
  'manglende_sletting',
] as const

export const Status = exactly({
  foretakstilstand: Foretakstilstand,
  slettet: Forhold,
  konkurs: Forhold,
  tvangsavviklingEllerTvangsopplosning: exactly({
    gjelder: orNull(Type.Boolean()),
    grunner: orNull(
      Type.Array(exactly({ grunn: oneOf(tvangsgrunner), dato: Dato }), {
        description: 'De registeret oppgir; null når det ikke er kjent om det er noen.',
      }),
    ),
  }),
  underAvvikling: Forhold,
  rekonstruksjon: Forhold,
  utenlandskInsolvens: Forhold,
  paategninger: orNull(
    Type.Array(exactly({ infotype: orNull(Kode), tekst: orNull(Tekst), innfortDato: orNull(Dato) })),
  ),
})
export type Status = Static<typeof Status>

/**
 * Sub-units have no status of their own in the register and are not read here.
 * Source: the register's v2 answer; `oppbud` has no field and shows as konkurs.
 */
export function statusOf(unit: Enhet | SlettetEnhet): Status {
  const isDeleted = unit.respons_klasse === 'SlettetEnhet'
  // A live unit's answer has everything there is to say. A deleted one's has no proceedings, and one that calls itself
  // something new may leave out what it likes: there, what is absent is not known.
  const absent = isDeleted || unit.klasseUlest === true ? null : false
  const facts = {
    slettet: isDeleted ? { gjelder: true, dato: unit.slettedato ?? null } : { gjelder: absent, dato: null },
    konkurs: forhold(unit.konkurs, unit.konkursdato),
    tvangsavviklingEllerTvangsopplosning: tvang(unit),
    underAvvikling: forhold(unit.underAvvikling, unit.underAvviklingDato),
    // These two have a date and no flag.
    rekonstruksjon: byDate(unit.underRekonstruksjonsforhandlingDato, absent),
    utenlandskInsolvens: byDate(unit.underUtenlandskInsolvensbehandlingDato, absent),
    paategninger:
      readable(unit.paategninger)?.map(({ infotype, tekst, innfoertDato }) => ({
        // The register gives the code alone.
        infotype: infotype === undefined || infotype === null ? null : { kode: infotype, beskrivelse: null },
        tekst: tekst ?? null,
        innfortDato: innfoertDato ?? null,
      })) ?? null,
  }
  return { foretakstilstand: foretakstilstand(facts, unit), ...facts }
}

function foretakstilstand(
  facts: Omit<Status, 'foretakstilstand'>,
  unit: Enhet | SlettetEnhet,
): Foretakstilstand {
  if (facts.slettet.gjelder) return 'slettet'
  if (facts.konkurs.gjelder) return 'konkurs'
  if (facts.tvangsavviklingEllerTvangsopplosning.gjelder) return tvangsart(unit)
  if (facts.underAvvikling.gjelder) return 'under_avvikling'
  if (facts.rekonstruksjon.gjelder) return 'rekonstruksjon'
  if (facts.utenlandskInsolvens.gjelder) return 'utenlandsk_insolvens'
  const { paategninger: _, ...each } = facts
  return Object.values(each).some(({ gjelder }) => gjelder === null) ? 'ukjent' : 'aktiv'
}

type Tvang = Status['tvangsavviklingEllerTvangsopplosning']

function tvang(unit: Enhet | SlettetEnhet): Tvang {
  const dates = tvangsdatoer(unit)
  const grunner = tvangsgrunner.flatMap((grunn) => {
    const dato = dates[grunn]
    return typeof dato === 'string' ? [{ grunn, dato }] : []
  })
  const gjelder = unit.underTvangsavviklingEllerTvangsopplosning ?? (grunner.length > 0 ? true : null)
  const areNone = gjelder === false && !Object.values(dates).includes(null)
  return { gjelder, grunner: grunner.length > 0 || areNone ? grunner : null }
}

/** Only the reason tells the two apart: without one that is known, it is one of them and no more is known. */
function tvangsart(unit: Enhet | SlettetEnhet): Foretakstilstand {
  const { manglende_sletting: sletting, ...others } = tvangsdatoer(unit)
  const dates = Object.values(others)
  if (dates.some((dato) => typeof dato === 'string')) return 'tvangsopplosning'
  const isKnown = typeof sletting === 'string' && !dates.includes(null)
  return isKnown ? 'tvangsavvikling' : 'tvangsavvikling_eller_tvangsopplosning'
}

/** Absent: not a reason. null: stated, and not to be read. */
function tvangsdatoer(unit: Enhet | SlettetEnhet) {
  return {
    manglende_regnskap: unit.tvangsopplostPgaManglendeRegnskapDato,
    manglende_revisor: unit.tvangsopplostPgaManglendeRevisorDato,
    mangelfullt_styre: unit.tvangsopplostPgaMangelfulltStyreDato,
    manglende_daglig_leder: unit.tvangsopplostPgaManglendeDagligLederDato,
    manglende_sletting: unit.tvangsavvikletPgaManglendeSlettingDato,
  } satisfies Record<(typeof tvangsgrunner)[number], string | null | undefined>
}

/** A date without its flag is still the register's yes. */
function forhold(gjelder: boolean | null | undefined, dato: string | null | undefined): Forhold {
  return { gjelder: gjelder ?? (typeof dato === 'string' ? true : null), dato: dato ?? null }
}

/** @param absent what it says that there is no date; a date that can not be read says neither yes nor no */
function byDate(dato: string | null | undefined, absent: false | null): Forhold {
  if (dato === undefined) return { gjelder: absent, dato: null }
  return { gjelder: dato === null ? null : true, dato }
}

import { type Static, Type } from 'typebox'
import type { Enhet, SlettetEnhet } from '#src/sources/enhetsregisteret/schema.ts'
import { Dato, exactly, Kode, oneOf, orNull, Tekst } from '../shape.ts'

/** In order of precedence: a company may carry several at once while one proceeding turns into another. */
const foretakstilstander = [
  'slettet',
  'konkurs',
  'tvangsopplosning',
  'tvangsavvikling',
  'under_avvikling',
  'rekonstruksjon',
  'utenlandsk_insolvens',
  'ukjent',
  'aktiv',
] as const
export const Foretakstilstand = oneOf(
  foretakstilstander,
  'Utledet; ved flere samtidig gjelder den første i denne rekkefølgen. ukjent: et av flaggene manglet i svaret.',
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
    grunner: Type.Array(exactly({ grunn: oneOf(tvangsgrunner), dato: Dato })),
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
export function status(unit: Enhet | SlettetEnhet): Status {
  if (unit.respons_klasse === 'SlettetEnhet') return deleted(unit.slettedato)
  const tvang = {
    gjelder: unit.underTvangsavviklingEllerTvangsopplosning ?? null,
    grunner: tvangsdatoer(unit),
  }
  const facts = {
    slettet: { gjelder: false, dato: null },
    konkurs: forhold(unit.konkurs, unit.konkursdato),
    tvangsavviklingEllerTvangsopplosning:
      tvang.grunner.length > 0 ? { ...tvang, gjelder: tvang.gjelder ?? true } : tvang,
    underAvvikling: forhold(unit.underAvvikling, unit.underAvviklingDato),
    // These two have a date and no flag: in a live unit's answer the date's absence is the register's no.
    rekonstruksjon: byDate(unit.underRekonstruksjonsforhandlingDato),
    utenlandskInsolvens: byDate(unit.underUtenlandskInsolvensbehandlingDato),
    paategninger:
      unit.paategninger?.map(({ infotype, tekst, innfoertDato }) => ({
        // The register gives the code alone.
        infotype: infotype === undefined ? null : { kode: infotype, beskrivelse: null },
        tekst: tekst ?? null,
        innfortDato: innfoertDato ?? null,
      })) ?? null,
  }
  return { foretakstilstand: foretakstilstand(facts), ...facts }
}

function foretakstilstand(facts: Omit<Status, 'foretakstilstand'>): Foretakstilstand {
  if (facts.konkurs.gjelder) return 'konkurs'
  const tvang = facts.tvangsavviklingEllerTvangsopplosning
  if (tvang.gjelder) {
    const onlyAvvikling =
      tvang.grunner.length > 0 && tvang.grunner.every(({ grunn }) => grunn === 'manglende_sletting')
    return onlyAvvikling ? 'tvangsavvikling' : 'tvangsopplosning'
  }
  if (facts.underAvvikling.gjelder) return 'under_avvikling'
  if (facts.rekonstruksjon.gjelder) return 'rekonstruksjon'
  if (facts.utenlandskInsolvens.gjelder) return 'utenlandsk_insolvens'
  const aFlagIsMissing = [facts.konkurs, tvang, facts.underAvvikling].some(({ gjelder }) => gjelder === null)
  return aFlagIsMissing ? 'ukjent' : 'aktiv'
}

function tvangsdatoer(unit: Enhet): { grunn: (typeof tvangsgrunner)[number]; dato: string }[] {
  const dates = {
    manglende_regnskap: unit.tvangsopplostPgaManglendeRegnskapDato,
    manglende_revisor: unit.tvangsopplostPgaManglendeRevisorDato,
    mangelfullt_styre: unit.tvangsopplostPgaMangelfulltStyreDato,
    manglende_daglig_leder: unit.tvangsopplostPgaManglendeDagligLederDato,
    manglende_sletting: unit.tvangsavvikletPgaManglendeSlettingDato,
  }
  return tvangsgrunner.flatMap((grunn) => {
    const dato = dates[grunn]
    return dato === undefined ? [] : [{ grunn, dato }]
  })
}

/** A date without its flag is still the register's yes. */
function forhold(gjelder: boolean | undefined, dato: string | undefined): Forhold {
  return { gjelder: gjelder ?? (dato === undefined ? null : true), dato: dato ?? null }
}

function byDate(dato: string | undefined): Forhold {
  return { gjelder: dato !== undefined, dato: dato ?? null }
}

/** A deleted unit's answer carries no proceedings at all: what led there is not known from it. */
function deleted(slettedato: string): Status {
  const unknown: Forhold = { gjelder: null, dato: null }
  return {
    foretakstilstand: 'slettet',
    slettet: { gjelder: true, dato: slettedato },
    konkurs: unknown,
    tvangsavviklingEllerTvangsopplosning: { gjelder: null, grunner: [] },
    underAvvikling: unknown,
    rekonstruksjon: unknown,
    utenlandskInsolvens: unknown,
    paategninger: null,
  }
}

import { type Static, Type } from 'typebox'
import type { FullmaktPerson, Fullmakt as RegisterFullmakt } from '#src/sources/fullmakt/schema.ts'
import { Dato, exactly, Kode, oneOf, orNull, Tekst } from '../shape.ts'

const Person = exactly({
  navn: orNull(Tekst),
  fodselsdato: orNull(Dato),
  rolle: orNull(Kode),
  fritekst: orNull(Tekst),
})

/** Signature (who binds the company) and prokura (who acts in its daily business) have the same shape. */
export const Fullmakt = exactly({
  registrert: orNull(Type.Boolean({ description: 'false: registeret svarte at ingen er registrert.' })),
  standardisert: orNull(
    Type.Boolean({
      description:
        'false: regelen finnes bare som fritekst; kombinasjonene er da bare lovens utgangspunkt (styret i fellesskap).',
    }),
  ),
  fritekst: orNull(Tekst),
  grunnlag: orNull(Kode),
  regel: orNull(Kode),
  regelIdent: orNull(Tekst),
  rutine: orNull(Kode),
  kombinasjonStatus: orNull(Kode),
  kombinasjoner: Type.Array(
    exactly({
      kombinasjon: orNull(Kode),
      kombinasjonsId: orNull(Tekst),
      maate: oneOf(['alene', 'i_fellesskap', 'ukjent']),
      personer: Type.Array(Person),
    }),
  ),
  personer: Type.Array(Person, { description: 'De som er registrert med rett, når registeret navngir dem.' }),
  muligeRolleinnehavere: Type.Array(Person, { description: 'Rolleinnehavere regelen kan gjelde.' }),
})
export type Fullmakt = Static<typeof Fullmakt>

/** Source: the Fullmakt service's field names; no recorded answer exists, so every part may be missing. */
export function fullmakt(from: RegisterFullmakt): Fullmakt {
  const basis = from.signeringsGrunnlag
  const rule = from.status?.regelStatus
  return {
    registrert: known(basis?.kode, { SF: true, SI: false }),
    standardisert: known(rule?.kode, { RF: true, RI: false }),
    fritekst: basis?.signaturProkuraRoller?.signaturProkuraFritekst ?? null,
    grunnlag: coded(basis),
    regel: coded(rule),
    regelIdent: rule?.regelIdent ?? null,
    rutine: coded(from.status?.rutineStatus),
    kombinasjonStatus: coded(from.status?.kombinasjonStatus),
    kombinasjoner: (from.signeringsKombinasjon?.kombinasjon ?? []).map((each) => {
      const persons = each.personRolleKombinasjon ?? []
      return {
        kombinasjon: coded(each),
        kombinasjonsId: each.kombinasjonsId ?? null,
        maate: persons.length === 0 ? 'ukjent' : persons.length === 1 ? 'alene' : 'i_fellesskap',
        personer: persons.map(person),
      }
    }),
    personer: (basis?.signaturProkuraRoller?.personRolleGrunnlag ?? []).map(person),
    muligeRolleinnehavere: (basis?.muligeSigneringsRoller?.personRolleGrunnlag ?? []).map(person),
  }
}

function person(from: FullmaktPerson): Static<typeof Person> {
  return {
    navn: from.navn ?? null,
    fodselsdato: isoDate(from.fodselsdato),
    rolle: coded(from.rolle),
    fritekst: from.rolleFritekst ?? null,
  }
}

function coded(from: { kode?: string; tekstforklaring?: string } | undefined): Static<typeof Kode> | null {
  return from?.kode === undefined ? null : { kode: from.kode, beskrivelse: from.tekstforklaring ?? null }
}

/** The code lists are open; a code that is not known decides nothing. */
function known(code: string | undefined, meaning: Record<string, boolean>): boolean | null {
  return (code !== undefined && Object.hasOwn(meaning, code) ? meaning[code] : null) ?? null
}

/** This service alone writes dd.MM.yyyy. */
function isoDate(text: string | undefined): string | null {
  const parts = /^(\d{2})\.(\d{2})\.(\d{4})$/.exec(text ?? '')
  return parts === null ? null : `${parts[3]}-${parts[2]}-${parts[1]}`
}

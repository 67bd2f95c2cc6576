import { type Static, Type } from 'typebox'
import { isMomentInNorway } from '#src/core/norwegian-time.ts'
import { readable } from '#src/sources/believe.ts'
import {
  type FullmaktKombinasjon,
  type FullmaktPerson,
  isoDate,
  type RegisterFullmakt,
} from '#src/sources/fullmakt/schema.ts'
import { Dato, exactly, Kode, orNull, PersonId, Tekst } from '../shape.ts'

const Person = exactly({
  personId: PersonId,
  navn: orNull(Tekst),
  fodselsdato: orNull(Dato),
  rolle: orNull(Kode),
  fritekst: orNull(Tekst),
})

const Kombinasjoner = (description: string) =>
  orNull(
    Type.Array(
      exactly({
        kombinasjon: orNull(exactly({ kode: orNull(Tekst), beskrivelse: orNull(Tekst) })),
        kombinasjonsId: orNull(Tekst),
        personer: orNull(Type.Array(Person)),
      }),
      { description },
    ),
  )

/** Signature (who binds the company) and prokura (who acts in its daily business) have the same shape. */
export const Fullmakt = exactly({
  registrert: orNull(Type.Boolean({ description: 'false: registeret svarte at ingen er registrert.' })),
  standardisert: orNull(
    Type.Boolean({
      description:
        'false: det er en regel, men bare som fritekst. null: ingen er registrert, eller svaret sier det ikke.',
    }),
  ),
  fritekst: orNull(Tekst),
  grunnlag: orNull(Kode),
  regel: orNull(Kode),
  regelIdent: orNull(Tekst),
  rutine: orNull(Kode),
  kombinasjonStatus: orNull(Kode),
  kombinasjoner: Kombinasjoner(
    'De som etter foretakets egen, standardiserte regel kan opptre sammen eller alene.',
  ),
  lovensUtgangspunkt: Kombinasjoner(
    'De som etter loven kan det når ingen standardisert regel er registrert. Ikke foretakets regel: fritekst går foran.',
  ),
  kombinasjonerUtenKjentRegel: Kombinasjoner(
    'Svaret sier ikke med en kjent kode om de følger av foretakets regel eller av loven.',
  ),
  personer: orNull(
    Type.Array(Person, { description: 'De som er registrert med rett, når registeret navngir dem.' }),
  ),
  muligeRolleinnehavere: orNull(Type.Array(Person, { description: 'Rolleinnehavere regelen kan gjelde.' })),
})
export type Fullmakt = Static<typeof Fullmakt>

/**
 * Source: the Fullmakt service's field names; no recorded answer exists, so every part may be missing. How those of a
 * combination act is in its words and is not counted out of them: one person named may be one of two.
 */
export function fullmaktOf(from: RegisterFullmakt): Fullmakt {
  const basis = from.signeringsGrunnlag
  const rule = from.status.regelStatus
  const registrert = known(basis?.kode, { SF: true, SI: false })
  const given = kombinasjoner(from)
  return {
    registrert,
    standardisert: standardisert(rule?.kode, registrert),
    fritekst: basis?.signaturProkuraRoller?.signaturProkuraFritekst ?? null,
    grunnlag: coded(basis),
    regel: coded(rule),
    regelIdent: rule?.regelIdent ?? null,
    rutine: coded(from.status.rutineStatus),
    kombinasjonStatus: coded(from.status.kombinasjonStatus),
    kombinasjoner: rule?.kode === 'RF' ? given : null,
    lovensUtgangspunkt: rule?.kode === 'RI' ? given : null,
    kombinasjonerUtenKjentRegel: rule?.kode === 'RF' || rule?.kode === 'RI' ? null : given,
    personer: personer(basis?.signaturProkuraRoller?.personRolleGrunnlag),
    muligeRolleinnehavere: personer(basis?.muligeSigneringsRoller?.personRolleGrunnlag),
  }
}

/** RI says "not registered or not standardised": which of the two, the basis tells. */
function standardisert(rule: string | undefined, registrert: boolean | null): boolean | null {
  if (rule === 'RF') return true
  return rule === 'RI' && registrert === true ? false : null
}

function kombinasjoner({ signeringsKombinasjon }: RegisterFullmakt): Fullmakt['kombinasjoner'] {
  return (
    readable(signeringsKombinasjon?.kombinasjon)?.map((each) => ({
      kombinasjon: kombinasjon(each),
      kombinasjonsId: each.kombinasjonsId ?? null,
      personer: together(each.personRolleKombinasjon),
    })) ?? null
  )
}

/** The text holds also where there is no code to it. */
function kombinasjon({ kode = null, tekstforklaring: beskrivelse = null }: FullmaktKombinasjon) {
  return kode === null && beskrivelse === null ? null : { kode, beskrivelse }
}

/** Whole or not at all: those who are left of a combination could never do alone what it lets them do together. */
function together(from: FullmaktKombinasjon['personRolleKombinasjon']): Static<typeof Person>[] | null {
  return from?.includes(null) ? null : personer(from)
}

function personer(
  from: readonly (FullmaktPerson | null)[] | null | undefined,
): Static<typeof Person>[] | null {
  return readable(from)?.map(person) ?? null
}

function person(from: FullmaktPerson): Static<typeof Person> {
  return {
    personId: null,
    navn: from.navn ?? null,
    fodselsdato: isoDate(from.fodselsdato ?? ''),
    rolle: coded(from.rolle),
    fritekst: from.rolleFritekst ?? null,
  }
}

function coded(
  from: { kode: string; tekstforklaring?: string | null } | null | undefined,
): Static<typeof Kode> | null {
  return from ? { kode: from.kode, beskrivelse: from.tekstforklaring ?? null } : null
}

/** The code lists are open; a code that is not known decides nothing. */
function known(code: string | undefined, meaning: Record<string, boolean>): boolean | null {
  return (code !== undefined && Object.hasOwn(meaning, code) ? meaning[code] : null) ?? null
}

/** The service answers as of the look-up; its time has no zone and is Norwegian, so only the day is repeated, when it is one. */
export function lookedUpAt(value: RegisterFullmakt): string | null {
  const day = value.oppslagsData?.oppslagsTidspunkt?.slice(0, 10) ?? ''
  return isMomentInNorway(day) ? day : null
}

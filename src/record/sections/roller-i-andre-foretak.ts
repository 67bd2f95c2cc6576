import { type Static, Type } from 'typebox'
import { readable } from '#src/sources/believe.ts'
import type {
  RegisterRolleforetak as From,
  RollerHosAndre,
} from '#src/sources/enhetsregisteret/legal-roles.ts'
import { exactly, Kode, orNull, Tekst } from '../shape.ts'
import { kodeOf } from './foretak.ts'
import { ansvarsandelOf, gjeldende } from './roller.ts'

/** A company, and the roles held in it. */
export const Rolleforetak = exactly({
  organisasjonsnummer: Tekst,
  navn: orNull(Tekst),
  organisasjonsform: orNull(Kode),
  erSlettet: orNull(Type.Boolean()),
  roller: orNull(
    Type.Array(
      exactly({
        rolle: orNull(Kode),
        gjeldende: orNull(
          Type.Boolean({
            description: 'null: registeret sa verken at rollen er gjeldende eller at den er avsluttet.',
          }),
        ),
        ansvarsandel: orNull(exactly({ tekst: Tekst, prosent: orNull(Type.Number()) })),
      }),
    ),
  ),
})
type Rolleforetak = Static<typeof Rolleforetak>

export const FIRST = 20

export const RollerIAndreForetak = exactly({
  antallForetak: orNull(
    Type.Integer({ minimum: 0, description: 'null: ikke alle er lest. foretak og alle har de som er det.' }),
  ),
  avkortet: Type.Boolean(),
  roller: orNull(
    Type.Array(exactly({ rolle: Kode, antall: Type.Integer({ minimum: 1 }) }), {
      description: 'Så mange foretak det har hver rolle i nå; flest først. null: det er ikke kjent for alle.',
    }),
  ),
  foretak: Type.Array(Rolleforetak, {
    maxItems: FIRST,
    description: 'De 20 første etter nummer; de det har en rolle i nå, før de andre.',
  }),
  alle: orNull(
    Type.Array(Rolleforetak, {
      description:
        'Alle etter nummer, side for side på /api/bedrift/{orgnr}/rollerIAndreForetak. Ellers null.',
    }),
  ),
})
export type RollerIAndreForetak = Static<typeof RollerIAndreForetak>

export function rollerIAndreForetakOf(
  { foretak, erAlle, avkortet }: RollerHosAndre,
  isAlone: boolean,
): RollerIAndreForetak {
  const all = foretak.map(shown).sort((a, b) => (a.organisasjonsnummer < b.organisasjonsnummer ? -1 : 1))
  return {
    antallForetak: erAlle ? all.length : null,
    avkortet,
    roller: erAlle ? counted(all) : null,
    foretak: all.toSorted((a, b) => Number(isHeldIn(b)) - Number(isHeldIn(a))).slice(0, FIRST),
    alle: isAlone ? all : null,
  }
}

function shown({ roller, ...from }: From): Rolleforetak {
  return {
    organisasjonsnummer: from.organisasjonsnummer,
    navn: from.navn ?? null,
    organisasjonsform: kodeOf(from.organisasjonsform),
    erSlettet: from.erSlettet ?? null,
    roller:
      readable(roller)?.map((role) => ({
        rolle: kodeOf(role.type),
        gjeldende: gjeldende(role),
        ansvarsandel: ansvarsandelOf(role.ansvarsandel),
      })) ?? null,
  }
}

function isHeldIn({ roller }: Rolleforetak): boolean {
  return roller?.some(({ gjeldende }) => gjeldende === true) ?? false
}

/** In how many companies each role is held now; null where that is not known of one of them. */
function counted(all: readonly Rolleforetak[]): RollerIAndreForetak['roller'] {
  const counts = new Map<string, { rolle: Static<typeof Kode>; antall: number }>()
  for (const { roller } of all) {
    if (roller === null) return null
    const held = new Map<string, Static<typeof Kode>>()
    for (const { rolle, gjeldende } of roller) {
      if (rolle === null || gjeldende === null) return null
      if (gjeldende) held.set(rolle.kode, rolle)
    }
    for (const rolle of held.values()) {
      const antall = (counts.get(rolle.kode)?.antall ?? 0) + 1
      counts.set(rolle.kode, { rolle, antall })
    }
  }
  return [...counts.values()].sort((a, b) => b.antall - a.antall)
}

import { type Static, Type } from 'typebox'
import type { RegisterKonsernledd as Ledd } from '#src/sources/enhetsregisteret/konsern.ts'
import type { Eierskap } from '../eierskap/eierskap.ts'
import type { About, RecordAnswers } from '../parts.ts'
import { Dato, exactly, Kode, orNull, Tekst } from '../shape.ts'
import { answered, type Stated } from '../stated.ts'
import { kodeOf } from './foretak.ts'

const foretak = { organisasjonsnummer: orNull(Tekst), navn: orNull(Tekst), organisasjonsform: orNull(Kode) }

export const Konsernforetak = exactly(foretak)

/** A company, and what it is tied to the one above it by. */
export const Konsernledd = exactly({
  ...foretak,
  knytningsform: orNull(Kode),
  grunnlag: orNull(exactly({ tekst: Tekst, prosent: orNull(Type.Number({ minimum: 0, maximum: 100 })) })),
  dato: orNull(Dato),
})

const Numre = orNull(Type.Array(Tekst))

export const Konsern = exactly({
  konsernspiss: Konsernforetak,
  antallPlasser: Type.Integer({
    minimum: 1,
    description: 'Plasser i konsernet; et foretak kan stå flere steder.',
  }),
  sti: orNull(
    Type.Array(Konsernledd, {
      description:
        'Fra under konsernspissen til foretaket selv, korteste vei. Tom: foretaket er konsernspiss. null: plassen er ikke lest.',
    }),
  ),
  over: orNull(
    Type.Array(Konsernforetak, {
      description: 'Direkte over; flere når foretaket står flere steder.',
    }),
  ),
  under: orNull(Type.Array(Konsernledd, { description: 'Direkte under.' })),
  motEierskap: orNull(
    exactly(
      {
        aar: Type.Integer(),
        sammeKonsernspiss: orNull(
          Type.Boolean({ description: 'null: aksjene sier ikke hvem som er konsernspiss.' }),
        ),
        bareHer: Numre,
        bareIEierskap: Numre,
      },
      {
        description:
          'Der aksjene sier noe annet om konsernspiss og direkte datterselskap. null: ingenting å sammenligne med.',
      },
    ),
  ),
  tre: orNull(
    Type.Array(
      exactly({
        over: orNull(Type.Integer({ description: 'Leddet over, plass i listen. null: øverst.' })),
        ledd: Konsernledd,
      }),
      { description: 'Hele konsernet, når konsern er det eneste som spørres om. Ellers null.' },
    ),
  ),
})
export type Konsern = Static<typeof Konsern>
export type Konsernforetak = Static<typeof Konsernforetak>
export type Konsernledd = Static<typeof Konsernledd>

/** The group of one company; where what its shares say differs, that is said. */
export function konsernOf({
  konsern,
  eierskap,
  unit,
  alone,
}: About & Pick<RecordAnswers, 'konsern' | 'eierskap'>): Stated<Konsern> {
  const orgnr = unit.value.organisasjonsnummer
  const shares = eierskap.outcome === 'found' ? eierskap.value : null
  return answered(konsern, (ledd) => {
    const own = ledd.flatMap(({ organisasjonsnummer }, place) =>
      organisasjonsnummer === orgnr ? [place] : [],
    )
    const below = ledd.filter(({ over }) => over !== null && own.includes(over))
    const isUnread = own.length === 0 || own.some((place) => ledd[place]?.ukjentUnder)
    const under = isUnread && below.length === 0 ? null : below
    const [top] = ledd
    return {
      konsernspiss: company(top),
      antallPlasser: ledd.length,
      sti: own[0] === undefined ? null : pathTo(own[0], ledd).map(tied),
      over: own.length === 0 ? null : own.flatMap((place) => above(place, ledd)),
      under: under?.map(tied) ?? null,
      motEierskap: shares && compared(orgnr, { top, under: isUnread ? null : below }, shares),
      tre: alone === 'konsern' ? ledd.map((each) => ({ over: each.over, ledd: tied(each) })) : null,
    }
  })
}

function above(place: number, ledd: readonly Ledd[]) {
  const over = ledd[place]?.over ?? null
  return over === null ? [] : [company(ledd[over])]
}

/** The first place of a company is the highest: the list goes level by level. */
function pathTo(place: number, ledd: readonly Ledd[]): Ledd[] {
  const path: Ledd[] = []
  for (let at = ledd[place]; at !== undefined && at.over !== null; at = ledd[at.over]) path.unshift(at)
  return path
}

function company(from: Ledd | undefined): Static<typeof Konsernforetak> {
  return {
    organisasjonsnummer: from?.organisasjonsnummer ?? null,
    navn: from?.navn ?? null,
    organisasjonsform: kodeOf(from?.organisasjonsform),
  }
}

function tied(from: Ledd): Static<typeof Konsernledd> {
  const { grunnlag = null } = from
  return {
    ...company(from),
    knytningsform: kodeOf(from.knytningsform),
    grunnlag: grunnlag === null ? null : { tekst: grunnlag, prosent: percentOf(grunnlag) },
    dato: from.dato ?? null,
  }
}

/** Free text: "100%", "95,00%", "Indirekte mor". What is not plainly a percentage has no number. */
function percentOf(text: string): number | null {
  const [, digits] = /^\s*(\d{1,3}(?:[.,]\d{1,8})?)\s*%\s*$/.exec(text) ?? []
  const percent = Number(digits?.replace(',', '.'))
  return percent >= 0 && percent <= 100 ? percent : null
}

/** What could not be followed to its end is not compared: it would look as if it were not there. */
function compared(
  orgnr: string,
  { top, under }: { top: Ledd | undefined; under: readonly Ledd[] | null },
  { aar, oppover, nedover }: Eierskap,
): Konsern['motEierskap'] {
  const chain = oppover?.kontrollkjede
  const topByShares =
    chain === undefined || chain.ende === 'avkortet'
      ? null
      : (chain.konsernspiss?.organisasjonsnummer ?? orgnr)
  const here = (under ?? []).map(({ organisasjonsnummer }) => organisasjonsnummer)
  const byShares =
    nedover === null || nedover.avkortet || under === null || here.some((each) => typeof each !== 'string')
      ? null
      : nedover.datterselskap.filter(({ ledd }) => ledd === 1).map((each) => each.organisasjonsnummer)
  const known = here.filter((each) => typeof each === 'string')
  return {
    aar,
    sammeKonsernspiss:
      topByShares === null || typeof top?.organisasjonsnummer !== 'string'
        ? null
        : topByShares === top.organisasjonsnummer,
    bareHer: byShares === null ? null : known.filter((each) => !byShares.includes(each)),
    bareIEierskap: byShares?.filter((each) => !known.includes(each)) ?? null,
  }
}

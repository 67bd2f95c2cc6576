import { type Static, Type } from 'typebox'
import type { Regnskap as RegisterRegnskap } from '#src/sources/regnskap/schema.ts'
import { Dato, exactly, orNull, Tekst } from '../shape.ts'

const Belop = orNull(Type.Number({ description: 'I hele enheter av valutaen. null: ikke ført, aldri 0.' }))

export const Nokkeltall = exactly({
  sumDriftsinntekter: Belop,
  driftsresultat: Belop,
  ordinaertResultatFoerSkattekostnad: Belop,
  aarsresultat: Belop,
  sumEiendeler: Belop,
  sumOmloepsmidler: Belop,
  sumEgenkapital: Belop,
  sumGjeld: Belop,
  sumKortsiktigGjeld: Belop,
})

const Figurer = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Alle tall kilden ga, under kildens egne navn (også skrivefeilene).',
})

export const Aarsregnskap = exactly({
  id: orNull(Type.Number()),
  journalnr: orNull(Tekst),
  regnskapstype: orNull(Tekst),
  periode: exactly({ fraDato: Dato, tilDato: Dato }),
  valuta: Tekst,
  avviklingsregnskap: orNull(Type.Boolean()),
  oppstillingsplan: orNull(Tekst),
  regnskapsregler: orNull(Tekst),
  smaaForetak: orNull(Type.Boolean()),
  morselskap: orNull(Type.Boolean()),
  ikkeRevidertAarsregnskap: orNull(Type.Boolean()),
  fravalgRevisjon: orNull(Type.Boolean()),
  erstattetAv: orNull(
    Type.Number({
      description: 'id til et senere innsendt regnskap for samme type og periode; det gjelder i stedet.',
    }),
  ),
  nokkeltall: Nokkeltall,
  figurer: Figurer,
})
export type Aarsregnskap = Static<typeof Aarsregnskap>

export const Regnskap = exactly({
  nokkeltallFra: orNull(
    exactly(
      { regnskapstype: Tekst, tilDato: Dato, id: orNull(Type.Number()) },
      {
        description:
          'Regnskapet som er foretakets nøkkeltall: nyeste selskapsregnskap, ellers nyeste konsernregnskap.',
      },
    ),
  ),
  regnskap: Type.Array(Aarsregnskap, {
    description: 'Nyeste periode først; selskap og konsern står hver for seg.',
  }),
})
export type Regnskap = Static<typeof Regnskap>

/** The register's order and count are not relied on: before October 2026 one filing came, since then up to six (P5). */
export function regnskap(filings: RegisterRegnskap[]): Regnskap {
  const newestFirst = [...filings].sort(
    (a, b) =>
      b.regnskapsperiode.tilDato.localeCompare(a.regnskapsperiode.tilDato) ||
      (a.regnskapstype ?? '').localeCompare(b.regnskapstype ?? '') * -1 ||
      (b.id ?? -1) - (a.id ?? -1),
  )
  const all = newestFirst.map((filing) => aarsregnskap(filing, replacedBy(filing, filings)))
  const standing = all.filter(({ erstattetAv }) => erstattetAv === null)
  const chosen =
    standing.find(({ regnskapstype }) => regnskapstype === 'SELSKAP') ??
    standing.find(({ regnskapstype }) => regnskapstype === 'KONSERN')
  return {
    nokkeltallFra:
      chosen === undefined
        ? null
        : { regnskapstype: chosen.regnskapstype ?? '', tilDato: chosen.periode.tilDato, id: chosen.id },
    regnskap: all,
  }
}

/** A resubmission has a new id for the same type and period; the highest id stands. */
function replacedBy(filing: RegisterRegnskap, all: RegisterRegnskap[]): number | null {
  const ids = all
    .filter(
      (other) =>
        other.regnskapstype === filing.regnskapstype &&
        other.regnskapsperiode.fraDato === filing.regnskapsperiode.fraDato &&
        other.regnskapsperiode.tilDato === filing.regnskapsperiode.tilDato,
    )
    .map(({ id }) => id ?? -1)
  const newest = Math.max(...ids)
  return newest > (filing.id ?? -1) ? newest : null
}

function aarsregnskap(filing: RegisterRegnskap, erstattetAv: number | null): Aarsregnskap {
  const { resultatregnskapResultat: resultat, eiendeler, egenkapitalGjeld } = filing
  const drift = resultat?.driftsresultat
  const gjeld = egenkapitalGjeld?.gjeldOversikt
  return {
    id: filing.id ?? null,
    journalnr: filing.journalnr ?? null,
    regnskapstype: filing.regnskapstype ?? null,
    periode: { fraDato: filing.regnskapsperiode.fraDato, tilDato: filing.regnskapsperiode.tilDato },
    valuta: filing.valuta,
    avviklingsregnskap: filing.avviklingsregnskap ?? null,
    oppstillingsplan: filing.oppstillingsplan ?? null,
    regnskapsregler: filing.regnkapsprinsipper?.regnskapsregler ?? null,
    smaaForetak: filing.regnkapsprinsipper?.smaaForetak ?? null,
    morselskap: filing.virksomhet.morselskap ?? null,
    ikkeRevidertAarsregnskap: filing.revisjon?.ikkeRevidertAarsregnskap ?? null,
    fravalgRevisjon: filing.revisjon?.fravalgRevisjon ?? null,
    erstattetAv,
    nokkeltall: {
      sumDriftsinntekter: drift?.driftsinntekter?.sumDriftsinntekter ?? null,
      driftsresultat: drift?.driftsresultat ?? null,
      ordinaertResultatFoerSkattekostnad: resultat?.ordinaertResultatFoerSkattekostnad ?? null,
      aarsresultat: resultat?.aarsresultat ?? null,
      sumEiendeler: eiendeler?.sumEiendeler ?? null,
      sumOmloepsmidler: eiendeler?.omloepsmidler?.sumOmloepsmidler ?? null,
      sumEgenkapital: egenkapitalGjeld?.egenkapital?.sumEgenkapital ?? null,
      sumGjeld: gjeld?.sumGjeld ?? null,
      sumKortsiktigGjeld: gjeld?.kortsiktigGjeld?.sumKortsiktigGjeld ?? null,
    },
    figurer: {
      resultatregnskapResultat: resultat ?? {},
      eiendeler: eiendeler ?? {},
      egenkapitalGjeld: egenkapitalGjeld ?? {},
    },
  }
}

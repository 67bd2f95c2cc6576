import { type Static, Type } from 'typebox'
import { figuresOf } from '#src/sources/regnskap/figures.ts'
import type { RegisterRegnskap } from '#src/sources/regnskap/schema.ts'
import { Dato, exactly, oneOf, orNull, Tekst, Tidspunkt } from '../shape.ts'
import { Forholdstall, forholdstall, type RatioFigures } from './regnskap/forholdstall.ts'
import { type KnownAccounts, type RankedFiling, ranked } from './regnskap/known-accounts.ts'
import { AndreTall, andreTall, Nokkeltall, nokkeltall, nokkeltallNames } from './regnskap/nokkeltall.ts'

const Periode = exactly({ fraDato: Dato, tilDato: Dato })

const innsending = {
  id: orNull(Type.Number()),
  journalnr: orNull(Tekst),
  valuta: Tekst,
  arkiv: orNull(
    exactly(
      {
        kilde: oneOf(['regnskapsregisteret', 'import'], 'import: levert inn av den som driver tjenesten.'),
        hentet: Tidspunkt,
      },
      { description: 'Vist fra tjenestens arkiv. null: står i kildens eget svar.' },
    ),
  ),
  regnskapDokumenttype: orNull(Tekst),
  organisasjonsform: orNull(Type.String({ description: 'Formen foretaket hadde i dette regnskapet.' })),
  avviklingsregnskap: orNull(Type.Boolean()),
  oppstillingsplan: orNull(Tekst),
  regnskapsregler: orNull(Tekst),
  smaaForetak: orNull(Type.Boolean()),
  morselskap: orNull(Type.Boolean()),
  ikkeRevidertAarsregnskap: orNull(Type.Boolean()),
  fravalgRevisjon: orNull(Type.Boolean()),
  nokkeltall: Nokkeltall,
  andreTall: AndreTall,
}

export const Aarsregnskap = exactly({ ...innsending, forholdstall: Forholdstall })
export type Aarsregnskap = Static<typeof Aarsregnskap>

const Regnskapstype = oneOf(['SELSKAP', 'KONSERN'])
const Aar = exactly({
  periode: Periode,
  selskap: orNull(Aarsregnskap),
  konsern: orNull(Aarsregnskap),
})

export const Regnskap = exactly({
  nokkeltallFra: orNull(
    exactly(
      { regnskapstype: Regnskapstype, tilDato: Dato, id: orNull(Type.Number()) },
      {
        description:
          'Regnskapet som er foretakets nøkkeltall: nyeste selskapsregnskap, ellers nyeste konsernregnskap.',
      },
    ),
  ),
  aar: Type.Array(Aar, {
    description:
      'Hver periode det er kjent regnskap for, nyeste først; selskap og konsern står hver for seg.',
  }),
  erstattet: Type.Array(
    exactly({
      regnskapstype: Regnskapstype,
      periode: Periode,
      erstattetAv: Type.Number({ description: 'id til regnskapet som gjelder i stedet.' }),
      ...innsending,
    }),
    { description: 'Innsendinger som er erstattet av en senere for samme type og periode, nyeste først.' },
  ),
  arkivLest: Type.Boolean({
    description: 'false: tjenestens arkiv kunne ikke leses nå, så år kilden ikke lenger gir, kan mangle.',
  }),
})
export type Regnskap = Static<typeof Regnskap>

/**
 * Every year that is known. The register's order and count are not relied on: before October 2026 one filing came, since
 * then up to six, and what is older comes from the archive (P5).
 */
export function regnskapOf(known: KnownAccounts): Regnskap {
  const filings = ranked(known)
  const standing = filings.filter(({ replacedBy }) => replacedBy === null)
  // Each is looked at for its own year and for the one after it.
  const shown = new Map(standing.map((each) => [each, innsendingOf(each)]))
  const aar = new Map<string, Regnskap['aar'][number]>()
  for (const [each, innsending] of shown) {
    const type = typeOf(each)
    const periode = periodeOf(each)
    const year = aar.get(JSON.stringify(periode)) ?? { periode, selskap: null, konsern: null }
    if (type === null) {
      // Whose these are can not be read; that there are accounts for the period can. Another word of the register is neither's.
      if (typeof each.filing.regnskapstype !== 'string') aar.set(JSON.stringify(periode), year)
      continue
    }
    aar.set(JSON.stringify(periode), {
      ...year,
      [type === 'SELSKAP' ? 'selskap' : 'konsern']: {
        ...innsending,
        forholdstall: forholdstall(ratioFigures(each, innsending.nokkeltall), yearBefore(each, shown)),
      },
    })
  }
  return {
    nokkeltallFra: chosen(standing),
    aar: [...aar.values()],
    erstattet: filings.flatMap((each) => {
      const type = typeOf(each)
      // What was imported without an id beside the register's own is the same filing, not an earlier one.
      if (each.replacedBy === null || each.filing.id === undefined || type === null) return []
      const periode = periodeOf(each)
      return [{ regnskapstype: type, periode, erstattetAv: each.replacedBy, ...innsendingOf(each) }]
    }),
    arkivLest: known.isArchiveRead,
  }
}

/** The end of the newest period; null when nothing is known. */
export function newestPeriodEnd({ live, archived }: KnownAccounts): string | null {
  const ends = [...live, ...archived.map(({ regnskap: filing }) => filing)].map(
    ({ regnskapsperiode }) => regnskapsperiode.tilDato,
  )
  return ends.toSorted().at(-1) ?? null
}

function chosen(standing: readonly RankedFiling[]): Regnskap['nokkeltallFra'] {
  const filing =
    standing.find((each) => typeOf(each) === 'SELSKAP') ?? standing.find((each) => typeOf(each) === 'KONSERN')
  const regnskapstype = filing === undefined ? null : typeOf(filing)
  if (filing === undefined || regnskapstype === null) return null
  return { regnskapstype, tilDato: periodeOf(filing).tilDato, id: filing.filing.id ?? null }
}

/** Null: the register says neither, or another word, and where it belongs is not known. */
function typeOf({ filing: { regnskapstype } }: RankedFiling): 'SELSKAP' | 'KONSERN' | null {
  return regnskapstype === 'SELSKAP' || regnskapstype === 'KONSERN' ? regnskapstype : null
}

function periodeOf({ filing }: RankedFiling): Static<typeof Periode> {
  const { fraDato, tilDato } = filing.regnskapsperiode
  return { fraDato, tilDato }
}

/** Company and group are never mixed, nor two currencies, and a gap between the periods is no year before. */
function yearBefore(
  { filing }: RankedFiling,
  shown: ReadonlyMap<RankedFiling, Pick<Aarsregnskap, 'nokkeltall'>>,
): RatioFigures | null {
  const dayBefore = previousDay(filing.regnskapsperiode.fraDato)
  const found = shown
    .entries()
    .find(
      ([{ filing: other }]) =>
        other.regnskapstype === filing.regnskapstype &&
        other.valuta === filing.valuta &&
        other.regnskapsperiode.tilDato === dayBefore,
    )
  return found === undefined ? null : ratioFigures(found[0], found[1].nokkeltall)
}

function previousDay(date: string): string {
  const day = new Date(`${date}T00:00:00Z`)
  day.setUTCDate(day.getUTCDate() - 1)
  return day.toISOString().slice(0, 10)
}

function ratioFigures(known: RankedFiling, figures: Aarsregnskap['nokkeltall']): RatioFigures {
  const belop = Object.fromEntries(nokkeltallNames.map((name) => [name, figures[name].belop]))
  const extraordinary = figuresOf(known.filing).get('ekstraordinaerePoster')
  const ekstraordinaerePoster = extraordinary === null ? Number.NaN : (extraordinary ?? null)
  return { ...(belop as Omit<RatioFigures, 'ekstraordinaerePoster'>), ekstraordinaerePoster }
}

function innsendingOf(known: RankedFiling): Omit<Aarsregnskap, 'forholdstall'> {
  const { filing, archived } = known
  const { revisjon, regnkapsprinsipper: prinsipper }: RegisterRegnskap = filing
  return {
    id: filing.id ?? null,
    journalnr: filing.journalnr ?? null,
    valuta: filing.valuta,
    arkiv: archived === null ? null : { kilde: archived.kilde, hentet: archived.hentet },
    regnskapDokumenttype: filing.regnskapDokumenttype ?? null,
    organisasjonsform: filing.virksomhet.organisasjonsform ?? null,
    avviklingsregnskap: filing.avviklingsregnskap ?? null,
    oppstillingsplan: filing.oppstillingsplan ?? null,
    regnskapsregler: prinsipper?.regnskapsregler ?? null,
    smaaForetak: prinsipper?.smaaForetak ?? null,
    morselskap: filing.virksomhet.morselskap ?? null,
    ikkeRevidertAarsregnskap: revisjon?.ikkeRevidertAarsregnskap ?? null,
    fravalgRevisjon: revisjon?.fravalgRevisjon ?? null,
    nokkeltall: nokkeltall(known),
    andreTall: andreTall(known),
  }
}

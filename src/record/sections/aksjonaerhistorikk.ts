import { type Static, Type } from 'typebox'
import { exactly, oneOf, orNull, Tekst } from '../shape.ts'
import type { ShareHistory, YearsBook } from '../share-history.ts'
import { Aksjeboktall, Aksjonaer } from './aksjonaer.ts'
import { Endringer } from './aksjonaerendringer.ts'

/** The first year the service's archive may have. Skatteetaten delivers from 2003. */
const FIRST_YEAR = 2002

export const Leveranse = exactly(
  {
    kilde: Tekst,
    uttrekksdato: orNull(
      Type.String({ format: 'date', description: 'Når filen ble trukket ut, når det er oppgitt.' }),
    ),
  },
  { description: 'Hvilken fil året er fra.' },
)
export type Leveranse = Static<typeof Leveranse>

const { plass: _place, klasser: _classes, ...shownBefore } = Aksjonaer.properties

export const Aar = exactly({
  aar: Type.Integer(),
  arkivet: oneOf(
    ['importert', 'ikke_importert'],
    'ikke_importert: året er ikke levert inn i tjenesten. Det sier ingenting om foretaket.',
  ),
  leveranse: orNull(Leveranse),
  foretaket: orNull(
    oneOf(['funnet', 'ikke_funnet'], 'Om foretaket står i årets fil; null når året ikke er importert.'),
  ),
  aksjerTotalt: Aksjeboktall.aksjerTotalt,
  aksjerSum: orNull(Aksjeboktall.aksjerSum),
  innehavere: orNull(Aksjeboktall.innehavere),
  avvik: Aksjeboktall.avvik,
  storste: orNull(Type.Array(exactly(shownBefore), { maxItems: 5, description: 'De fem største.' })),
  endringer: orNull(Endringer),
})
export type Aar = Static<typeof Aar>

/** Every year from the first to the newest that is imported, newest first. */
export function historikkOf(history: ShareHistory, deliveryOf: (id: number) => Leveranse | null): Aar[] {
  const { aar: imported, id: ids } = history.leveranser
  const books = new Map(
    history.perioder.flatMap(({ aar: years, ...book }) => years.map((aar) => [aar, book])),
  )
  const changes = new Map(history.endringer.map(({ aar, ...since }) => [aar, since]))
  const newest = imported[0] ?? FIRST_YEAR
  const all: Aar[] = []
  for (let aar = newest; aar >= FIRST_YEAR; aar--) {
    const place = imported.indexOf(aar)
    const delivery = ids[place]
    const book = books.get(aar)
    if (delivery === undefined) all.push(notImported(aar))
    else if (book === undefined)
      all.push({ ...notImported(aar), ...importedAs(deliveryOf(delivery), 'ikke_funnet') })
    else {
      const before = imported[place + 1]
      const since =
        changes.get(aar) ?? unchanged(book, before === undefined ? undefined : books.get(before), before)
      all.push({
        aar,
        ...importedAs(deliveryOf(delivery), 'funnet'),
        aksjerTotalt: book.aksjerTotalt,
        aksjerSum: book.aksjerSum,
        innehavere: book.innehavere,
        avvik: book.avvik,
        storste: book.storste.map(({ plass: _place, klasser: _classes, ...holder }) => holder),
        endringer: since,
      })
    }
  }
  return all
}

function importedAs(leveranse: Leveranse | null, foretaket: 'funnet' | 'ikke_funnet') {
  return { arkivet: 'importert' as const, leveranse, foretaket }
}

function notImported(aar: number): Aar {
  return {
    aar,
    arkivet: 'ikke_importert',
    leveranse: null,
    foretaket: null,
    aksjerTotalt: null,
    aksjerSum: null,
    innehavere: null,
    avvik: [],
    storste: null,
    endringer: null,
  }
}

/** Nothing to compare with, or the same holders with the same shares as the year before. */
function unchanged(
  book: YearsBook,
  before: YearsBook | undefined,
  motAar: number | undefined,
): Endringer | null {
  if (before === undefined || motAar === undefined) return null
  const none = { antall: 0, navngitte: [] }
  const omfatter = book.erAlle && before.erAlle ? 'alle' : 'de_200_storste'
  return { motAar, omfatter, inn: none, ut: none, opp: none, ned: none }
}

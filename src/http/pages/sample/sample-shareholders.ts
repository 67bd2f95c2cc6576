import { forbehold } from '#src/record/sections/aksjonaer.ts'
import type { Aksjonaerer } from '#src/record/sections/aksjonaerer.ts'
import { FIRST_YEAR } from '#src/record/sections/aksjonaerhistorikk.ts'

type Historical = Aksjonaerer['historikk'][number]

const leveranse = { kilde: 'Skatteetaten, aksjonærregisteret', uttrekksdato: '2026-05-20' }
const who = { fodselsaar: null, organisasjonsnummer: null, landkode: 'NO', skjult: false }

const largest = [
  {
    ...who,
    navn: 'TINDEVÅG HOLDING AS',
    type: 'foretak' as const,
    organisasjonsnummer: '901001014',
    aksjer: 15_840,
    prosent: 66,
  },
  {
    ...who,
    navn: 'KYSTKAPITAL NORD AS',
    type: 'foretak' as const,
    organisasjonsnummer: '901212120',
    aksjer: 4_320,
    prosent: 18,
  },
  {
    ...who,
    navn: 'TINDEVÅG KOMMUNE',
    type: 'offentlig' as const,
    organisasjonsnummer: '901223238',
    aksjer: 2_400,
    prosent: 10,
  },
]

const none = { antall: 0, navngitte: [] }

const book = { aksjerTotalt: 24_000, aksjerSum: 24_000, innehavere: 17, avvik: [] }

/** The newest year and one before it; the others say that they were not imported, which is not that there was nobody. */
export const sampleShareholders: Aksjonaerer = {
  aar: 2025,
  gjelderPer: '2025-12-31',
  leveranse,
  foretaket: 'funnet',
  ...book,
  storste: largest.map((holder, index) => ({
    plass: index + 1,
    ...holder,
    klasser: [{ klasse: 'Ordinære aksjer', aksjer: holder.aksjer }],
  })),
  forbehold,
  historikk: Array.from({ length: 2025 - FIRST_YEAR + 1 }, (_, index) => year(2025 - index)),
}

function year(aar: number): Historical {
  if (aar < 2024) {
    return {
      aar,
      tilstand: 'ikke_importert',
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
  return {
    aar,
    tilstand: 'importert',
    leveranse,
    foretaket: 'funnet',
    ...book,
    storste: largest,
    endringer:
      aar === 2025 ? { motAar: 2024, omfatter: 'alle', inn: none, ut: none, opp: none, ned: none } : null,
  }
}

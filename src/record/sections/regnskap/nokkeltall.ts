import { type Static, Type } from 'typebox'
import { figuresOf, OPENED_2026 } from '#src/sources/regnskap/figures.ts'
import type { RegisterRegnskap } from '#src/sources/regnskap/schema.ts'
import { exactly, oneOf, orNull } from '../../shape.ts'
import type { KnownFiling } from './known-accounts.ts'

const Tall = exactly({
  belop: orNull(Type.Number({ description: 'I hele enheter av regnskapets valuta. null er aldri 0.' })),
  opplysning: oneOf(
    ['oppgitt', 'ikke_fort', 'ikke_pliktig', 'ikke_hentet', 'ikke_lesbar'],
    [
      'oppgitt: kilden oppgir tallet.',
      'ikke_fort: regnskapet er hentet, og posten er ikke ført der.',
      'ikke_pliktig: reglene eller oppstillingsplanen regnskapet følger, har ikke posten.',
      'ikke_hentet: kilden vi har regnskapet fra, ga ikke denne posten; den kan være ført.',
      'ikke_lesbar: kilden oppgir noe her som ikke er et tall; se avvik.',
    ].join(' '),
  ),
})
type Tall = Static<typeof Tall>

/** The figures every set of accounts is looked at by, and those the ratios are made of, under the register's names. */
export const nokkeltallNames = [
  'sumDriftsinntekter',
  'driftsresultat',
  'sumFinanskostnad',
  'ordinaertResultatFoerSkattekostnad',
  'ordinaertResultatSkattekostnad',
  'aarsresultat',
  'totalresultat',
  'sumOmloepsmidler',
  'sumAnleggsmidler',
  'sumEiendeler',
  'sumEgenkapital',
  'sumKortsiktigGjeld',
  'sumLangsiktigGjeld',
  'sumGjeld',
  'sumEgenkapitalGjeld',
] as const
export type NokkeltallName = (typeof nokkeltallNames)[number]

export const Nokkeltall = exactly(
  Object.fromEntries(nokkeltallNames.map((name) => [name, Tall])) as Record<NokkeltallName, typeof Tall>,
  { description: 'Under Regnskapsregisterets egne navn.' },
)
export type Nokkeltall = Static<typeof Nokkeltall>

export const AndreTall = Type.Record(Type.String(), orNull(Type.Number()), {
  description:
    'Alle andre tall kilden oppgir, under kildens egne navn (også skrivefeilene). null: det som står der, er ikke et tall; se avvik.',
})

/** Missing is not zero, and why it is missing is a fact of its own (P4). */
export function nokkeltall(known: KnownFiling): Nokkeltall {
  const figures = figuresOf(known.filing)
  return Object.fromEntries(
    nokkeltallNames.map((name) => {
      const belop = figures.get(name) ?? null
      const opplysning = belop === null ? whyMissing(name, known, figures) : 'oppgitt'
      return [name, { belop, opplysning }]
    }),
  ) as Nokkeltall
}

export function andreTall({ filing }: KnownFiling): Record<string, number | null> {
  const figures = new Map(figuresOf(filing))
  for (const name of nokkeltallNames) figures.delete(name)
  return Object.fromEntries(figures)
}

function whyMissing(
  name: NokkeltallName,
  { filing, archived }: KnownFiling,
  figures: ReadonlyMap<string, number | null>,
): Tall['opplysning'] {
  if (figures.has(name)) return 'ikke_lesbar'
  if (!isRequired(name, filing)) return 'ikke_pliktig'
  const columns = archived?.felt ?? null
  if (columns !== null) return columns.includes(name) ? 'ikke_fort' : 'ikke_hentet'
  const isFromOlderService = !figures.keys().some((given) => OPENED_2026.has(given))
  return OPENED_2026.has(name) && isFromOlderService ? 'ikke_hentet' : 'ikke_fort'
}

/**
 * Total comprehensive income is a line of IFRS, in full or simplified. The plans of banks, insurers, pension and securities
 * funds have no operating income and do not divide assets and debt by when they fall due.
 */
function isRequired(name: NokkeltallName, filing: RegisterRegnskap): boolean {
  if (name === 'totalresultat') {
    return filing.regnkapsprinsipper?.regnskapsregler !== 'regnskapslovenAlminneligRegler'
  }
  const plan = filing.oppstillingsplan?.toUpperCase() ?? ''
  return !(FINANCIAL_PLANS.has(plan) && NOT_IN_FINANCIAL_PLANS.has(name))
}

const FINANCIAL_PLANS: ReadonlySet<string> = new Set(['BANK', 'SKADE', 'LIV', 'PENSJ', 'VPFO'])
const NOT_IN_FINANCIAL_PLANS: ReadonlySet<NokkeltallName> = new Set([
  'sumDriftsinntekter',
  'driftsresultat',
  'sumOmloepsmidler',
  'sumAnleggsmidler',
  'sumKortsiktigGjeld',
  'sumLangsiktigGjeld',
])

/** One holder's shares in one company, as the register's file has it: what is blank there is '' here. */
export type SampleHolding = {
  navn: string
  /** Year of birth, organisation number, or neither. */
  ident: string
  sted: string
  land: string
  klasse: string
  aksjer: number
}

/** A share book as it is reported one year. `totalt` is 0 when the company left it out. */
export type ReportedBook = { orgnr: string; navn: string; totalt: number; holdings: readonly SampleHolding[] }

/** A holder over the years as they are written. */
export type Shareholding = { holder: Omit<SampleHolding, 'aksjer' | 'klasse'>; klasse?: string; from: Series }
/** From a year on, so many shares; before the first of them none, but before FIRST_WRITTEN as in that year. */
type Series = Readonly<Record<number, number>>

const FIRST_WRITTEN = 2019

/** What a series comes to in a year. */
export function inYear(series: Series, year: number): number {
  let shares = 0
  for (const since in series) {
    if (Number(since) > Math.max(year, FIRST_WRITTEN)) break
    shares = series[since] ?? 0
  }
  return shares
}

export function born(navn: string, year: number, sted = '9990 BÅTSFJORD'): Shareholding['holder'] {
  return { navn, ident: String(year), sted, land: 'NO' }
}

export function company(orgnr: string, navn: string, sted = '9008 TROMSØ'): Shareholding['holder'] {
  return { navn, ident: orgnr, sted, land: 'NO' }
}

/** Holders abroad have neither number nor year, and an address as it was typed. */
export function foreign(navn: string, land: string, sted: string): Shareholding['holder'] {
  return { navn, ident: '', sted, land }
}

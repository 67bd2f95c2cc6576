import type { OppslagProblem } from './problem.ts'
import type { components } from './types.ts'

export type Schemas = components['schemas']
export type Bedrift = Schemas['Bedrift']
export type Treff = Schemas['Treff']
export type Aksjonaer = Schemas['Aksjonaer']
export type Underenhet = Schemas['Underenhet']
export type Rolleforetak = Schemas['Rolleforetak']
/** What follows whatever is asked for. */
type Always = 'organisasjonsnummer' | 'komplett'
/** A field that may be asked for alone. */
export type Felt = Exclude<keyof Bedrift, Always | 'kilder'>
/** A company with the chosen fields, and what always follows. */
export type Del<F extends Felt> = Pick<Bedrift, F | Always> & { readonly kilder: Partial<Bedrift['kilder']> }

/** One number of many: the company, or why there is none. `provIgjenEtter`: seconds until what is missing may be there. */
export type Linje<B = Bedrift> =
  | { organisasjonsnummer: string; foretak: B; feil?: never; provIgjenEtter: number | null }
  | { organisasjonsnummer: string; foretak?: never; feil: OppslagProblem; provIgjenEtter: number | null }

export type Sokefilter = {
  organisasjonsform?: string
  kommune?: string
  fylke?: string
  naeringskode?: string
  ansatteFra?: number
  ansatteTil?: number
  tilstand?: Schemas['Foretakstilstand']
  registrertFra?: string
  registrertTil?: string
  type?: 'enhet' | 'underenhet'
}
/** What is known of the company that is meant. */
export type Ledetraader = {
  navn?: string
  sted?: string
  nettsted?: string
  telefon?: string
  epost?: string
}
/** A call that can be given up. */
export type Avbrytbar = { signal?: AbortSignal }
/** Told now and again how far a long list has come. */
export type Fremdrift = (behandlet: number, linjer: number) => void
/** A list that was handed in. */
export type Bestilling = Schemas['Bestilling']
/** A change in a company; `peker` is where one goes on after it. */
export type Endring = Schemas['Endring']
export type Overvaking = Schemas['Overvaking']

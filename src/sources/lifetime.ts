import type { Lifetime } from '#src/core/lifetime.ts'
import { DAY_MS, MINUTE_MS } from '#src/core/units.ts'

/** A lifetime under the name operators tune it by; `about` null: it is not for them to tune. */
export type NamedLifetime = Lifetime & { readonly name: string; readonly about: string | null }

/** What holds at the moment: tuned ones by their names, the others as they are declared. */
export type LifetimesNow = Readonly<Record<string, Lifetime>>

/** "Nothing here" may be said of a company registered a minute ago. */
export const ABSENT: NamedLifetime = {
  name: 'ikke_funnet',
  about: null,
  freshMs: 5 * MINUTE_MS,
  staleMs: 0,
  keepMs: 0,
}

/** A part of it could not be had just then; what is there may cover for it as long as accounts may. */
export const PARTIAL: NamedLifetime = {
  name: 'delvis',
  about: null,
  freshMs: 5 * MINUTE_MS,
  staleMs: 90 * DAY_MS,
  keepMs: DAY_MS,
}

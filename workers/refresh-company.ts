import { isOrganisasjonsnummer, type Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { CompanySource } from '#src/sources/index.ts'

/** Fetches one section anew and stores it, unless the cache knows better by now. One call to one register. */
export type Refresh = (
  organisasjonsnummer: Organisasjonsnummer,
  section: CompanySource,
  call: { signal: AbortSignal },
) => Promise<void>

/**
 * Fetches one section of a company anew.
 * Safe to run twice: the register is asked once more, and the later answer stays.
 */
export async function refreshCompany(
  { organisasjonsnummer, seksjon }: { organisasjonsnummer: string; seksjon: CompanySource },
  work: { refresh: Refresh; deadlineMs: number; signal: AbortSignal },
): Promise<void> {
  // Nobody has such a number, so there is nothing to fetch.
  if (!isOrganisasjonsnummer(organisasjonsnummer)) return
  const signal = AbortSignal.any([work.signal, AbortSignal.timeout(work.deadlineMs)])
  await work.refresh(organisasjonsnummer, seksjon, { signal })
}

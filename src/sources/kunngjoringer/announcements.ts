import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { questions } from '../questions.ts'
import type { RegisterClient, RegisterResponse } from '../register-client.ts'
import { removed } from '../removed.ts'
import { found, invalid, mediaTypeOf, refusedStatus } from '../response.ts'
import { type Answer, type Call, SourceError } from '../source.ts'
import { createBudget, spent } from './budget.ts'
import { type Kunngjoring, readPage } from './page.ts'

export type { Kunngjoring }

/**
 * The public announcements about one company. The register has no open interface for them, so its page for people is read,
 * sparingly and only while it is switched on.
 */
export function createAnnouncementSource(
  client: RegisterClient,
  options: {
    enabled: boolean
    callsPerSecond: number | (() => number)
    inFlightMax: number
    deadlineMs: number
    nowMs?: () => number
  },
) {
  const budget = createBudget(options)

  return {
    /**
     * Newest first, those without a date last. `absent` only when the page says in words that there are none.
     *
     * @throws SourceError `avslatt` when switched off, `budsjett_brukt` over the budget; otherwise when the page could not
     *   be heard, or not be read to its end
     */
    async fetchKunngjoringer(orgnr: Organisasjonsnummer, call: Call): Promise<Answer<Kunngjoring[]>> {
      if (!options.enabled) throw new SourceError('kunngjoringer', 'avslatt', 'switched off by configuration')
      const signal = AbortSignal.any([call.signal, AbortSignal.timeout(options.deadlineMs)])
      const { path, query } = questions.kunngjoringer(orgnr)
      const response = await budget.run(() =>
        client.get('kunngjoringer', path, {
          accept: 'text/html',
          signal,
          query,
        }),
      )
      if (response === spent) {
        throw new SourceError(
          'kunngjoringer',
          'budsjett_brukt',
          'our own ceiling on calls to this source is reached',
        )
      }
      if (response.status === 410) return removed('kunngjoringer', orgnr, response)
      if (response.status !== 200) throw refusedStatus('kunngjoringer', response)
      const page = readPage(htmlOf(response), orgnr)
      if (page === null) return { outcome: 'absent', fetchedAt: response.fetchedAt }
      return found(page.value, page.avvik, response.fetchedAt)
    },
  }
}

/** The page is ISO-8859-1, by its header or by habit. */
function htmlOf(response: RegisterResponse): string {
  if (mediaTypeOf(response) !== 'text/html')
    throw invalid('kunngjoringer', response, 'the answer is not HTML')
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(response.contentType ?? '')?.[1] ?? 'iso-8859-1'
  try {
    return new TextDecoder(charset, { fatal: true }).decode(response.body)
  } catch (cause) {
    throw invalid('kunngjoringer', response, 'the page is not in the character set it names', cause)
  }
}

import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { createPace } from '#src/core/pace.ts'
import { createTurns } from '#src/core/turns.ts'
import { questions } from '../questions.ts'
import type { RegisterClient, RegisterResponse } from '../register-client.ts'
import { removed } from '../removed.ts'
import { found, invalid, mediaTypeOf, refusedStatus } from '../response.ts'
import { type Answer, type Call, NOBODYS_TURN, SourceError } from '../source.ts'
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
    /** A function is asked for each call: it may be changed while the service runs. */
    callsPerSecond: number | (() => number)
    inFlightMax: number
    /** So many wait as have their turn in this time; whoever has the most of them is told at once that it does not come. */
    waitMs: number
    /** From when its turn has come. */
    deadlineMs: number
  },
) {
  const given = options.callsPerSecond
  const callsPerSecond = () => (typeof given === 'number' ? given : given())
  const turns = createTurns({
    atOnce: options.inFlightMax,
    atOnceForOne: Math.max(1, options.inFlightMax - 1),
    waitingMax: () => Math.ceil((callsPerSecond() * options.waitMs) / 1000),
    waitMs: createPace({ perSecond: callsPerSecond }),
  })

  function ask(orgnr: Organisasjonsnummer, call: Call): Promise<RegisterResponse> {
    const { path, query } = questions.kunngjoringer(orgnr)
    return client.get('kunngjoringer', path, {
      ...call,
      accept: 'text/html',
      signal: AbortSignal.any([call.signal, AbortSignal.timeout(options.deadlineMs)]),
      query,
    })
  }

  /** So many a second and so many at once: what is above it waits for its turn, for as long as the call may. */
  async function askInTurn(orgnr: Organisasjonsnummer, call: Call): Promise<RegisterResponse> {
    let isAsked = false
    try {
      return await turns.run(
        call.turn ?? NOBODYS_TURN,
        () => {
          isAsked = true
          return ask(orgnr, call)
        },
        call.signal,
      )
    } catch (cause) {
      if (isAsked) throw cause
      throw new SourceError(
        'kunngjoringer',
        'budsjett_brukt',
        'our own ceiling on calls to this source is reached',
        { cause },
      )
    }
  }

  return {
    /**
     * Newest first, those without a date last. `absent` only when the page says in words that there are none.
     *
     * @throws SourceError `avslatt` when switched off, `budsjett_brukt` when its turn did not come in time; otherwise
     *   when the page could not be heard, or not be read to its end
     */
    async fetchKunngjoringer(orgnr: Organisasjonsnummer, call: Call): Promise<Answer<Kunngjoring[]>> {
      if (!options.enabled) throw new SourceError('kunngjoringer', 'avslatt', 'switched off by configuration')
      const response = await askInTurn(orgnr, call)
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

import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Source } from './descriptor.ts'
import type { RegisterClient, RegisterResponse } from './register-client.ts'
import { removed } from './removed.ts'
import { invalid, refusedStatus } from './response.ts'
import { type Answer, type SourceCall, SourceError } from './source.ts'

export type AskRegister<Value> = (orgnr: Organisasjonsnummer, call: SourceCall) => Promise<Answer<Value>>

/**
 * Asks a source's question of its register, over this client, and believes only an answer of the right status, type, size,
 * shape and company. A 410 is an order to forget, whatever comes with it that names no other company. Of an answer in parts all
 * are asked for, or none is believed: how many there may be is bounded by the source.
 *
 * An answer about another company, or of another shape, may be the one to another question: over a connection that is kept they are told
 * apart by their order alone. Then those that follow would be as well, and not say so (a 404 has no body): no connection there is is asked
 * again.
 *
 * @throws SourceError when the register could not be heard or believed
 */
export function askOf<Value>(source: Source<string, Value>, client: RegisterClient): AskRegister<Value> {
  const { name, accept } = source

  async function ask(orgnr: Organisasjonsnummer, call: SourceCall): Promise<Answer<Value>> {
    const { path, query } = source.request(orgnr)
    const response = await client.get(name, path, { ...call, accept, ...(query && { query }) })
    const { status, fetchedAt } = response
    if (status === 404 && source.isAbsence(response)) return { outcome: 'absent', fetchedAt }
    if (status === 410) return removed(name, orgnr, response)
    if (status === 500 && source.unsupported !== null) return source.unsupported(response)
    if (status !== 200) throw refusedStatus(name, response)
    const more: RegisterResponse[] = []
    let bytes = response.body.length
    for (let next = source.next?.([response], orgnr) ?? null; next !== null; ) {
      const part = await client.get(name, next.path, { ...call, accept, query: next.query ?? {} })
      if (part.status !== 200) throw refusedStatus(name, part)
      bytes += part.body.length
      if (bytes > PARTS_BYTES_MAX) throw invalid(name, part, 'the parts are larger together than is accepted')
      more.push(part)
      next = source.next?.([response, ...more], orgnr) ?? null
    }
    return source.believe(response, orgnr, more)
  }

  return async (orgnr, call) => {
    try {
      return await ask(orgnr, call)
    } catch (error) {
      if (error instanceof SourceError && OF_ANOTHER.has(error.failure)) client.leave()
      throw error
    }
  }
}

const OF_ANOTHER: ReadonlySet<string> = new Set(['feil_foretak', 'ugyldig_svar'])

/** Sub-units are two kilobytes each, and few have a thousand. All parts are held, and believed in one go. */
const PARTS_BYTES_MAX = 8 * 1024 * 1024

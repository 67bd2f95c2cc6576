import { type Static, Type } from 'typebox'
import { policy } from '#config/policy.ts'
import { DAY_MS, HOUR_MS } from '#src/core/units.ts'
import { type Believed, createBelief, pointer } from '../believe.ts'
import { type AskedDescriptor, provenance, shapeOf } from '../descriptor.ts'
import { ABSENT, type NamedLifetime, PARTIAL } from '../lifetime.ts'
import { turnForRegisters } from '../loop-turn.ts'
import type { RegisterClient } from '../register-client.ts'
import { found, invalid, parseJson, refusedStatus, refuseUnread } from '../response.ts'
import { type Answer, type SourceCall, SourceError } from '../source.ts'
import { believeEnhet } from './believe-unit.ts'
import { enhetsregisteret } from './register.ts'
import { Enhet, SlettetEnhet, Sokeside } from './schema.ts'

const lifetime: NamedLifetime = { name: 'sok', about: 'Søk', freshMs: HOUR_MS, staleMs: DAY_MS, keepMs: 0 }

/** `FORTLOEPENDE` matches the text as it runs; null is the register's own way: any of the words, best score first. */
export type RegisterSearch = { navn: string; metode: 'FORTLOEPENDE' | null; size: number }

/** `totalt` is the register's own count, which may be far above the hits that fit in `size`; null: it could not be read. */
export type SearchHits = Static<typeof SearchHits>
const SearchHits = Type.Object({
  treff: Type.Array(Type.Union([Enhet, SlettetEnhet])),
  totalt: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
})

/**
 * Hits are answers like others: kept, guarded, shown on the status page. What is asked is no company's number, so how it is
 * asked stands by itself.
 */
export const sok: AskedDescriptor<'sok', SearchHits> = {
  name: 'sok',
  title: { nb: 'Søk', en: 'Search' },
  register: enhetsregisteret,
  shape: shapeOf(SearchHits),
  provenance: provenance('brreg-enhetsregisteret', enhetsregisteret),
  lifetimes: { found: lifetime, season: null, unsupported: lifetime, absent: ABSENT, partial: PARTIAL },
  guard: policy.guard,
  removes: 'answer',
  /** What is removed is not kept, though the register's own search may still name it for a while. */
  withoutErased({ treff: all, totalt }, isErased) {
    const treff = all.filter(({ organisasjonsnummer }) => !isErased(organisasjonsnummer))
    return { treff, totalt: totalt === null ? null : totalt - (all.length - treff.length) }
  },
}

/** Search by name among the main units of Enhetsregisteret, first page only. */
export function createSearchSource(client: RegisterClient) {
  return {
    /**
     * Hits in the register's order. Always `found`: no hits is an empty list with `totalt` 0.
     * The register does not fold Norwegian letters: `elkjop` does not find ELKJØP.
     *
     * @throws SourceError when the register could not be heard or believed
     */
    async searchEnheter(
      { navn, metode, size }: RegisterSearch,
      call: SourceCall,
    ): Promise<Answer<SearchHits>> {
      const response = await client.get('sok', '/enhetsregisteret/api/enheter', {
        accept: 'application/vnd.brreg.enhetsregisteret.enhet.v2+json;charset=UTF-8',
        ...call,
        query: {
          navn,
          ...(metode === null ? {} : { navnMetodeForSoek: metode }),
          size: String(Math.min(Math.max(1, size), DEPTH_MAX)),
        },
      })
      if (response.status !== 200) throw refusedStatus('sok', response)
      const page = believePage('sok', parseJson('sok', response))
      const listed = page.value._embedded?.enheter ?? []
      const totalt = page.value.page?.totalElements ?? null
      // `_embedded` is missing from an empty answer; missing from any other it would be a cut nobody sees.
      if (listed.length === 0 && totalt !== 0)
        throw invalid('sok', response, 'the answer counts hits it does not list')
      const hits: Believed<Enhet | SlettetEnhet | null>[] = []
      for (const [at, hit] of listed.entries()) {
        if (at % SOME === 0) await turnForRegisters(call.signal)
        hits.push(believeHit(hit, at))
      }
      const avvik = [...page.avvik, ...hits.flatMap((hit) => hit.avvik)]
      const list = hits.map(({ value }) => value)
      refuseUnread('sok', response, { list, avvik })
      // To be kept it is written anew.
      await turnForRegisters(call.signal)
      return found({ treff: list.filter((unit) => unit !== null), totalt }, avvik, response.fetchedAt)
    },
  }
}

/** These are half a millisecond. */
const SOME = 25

const believePage = createBelief(Sokeside)

/** One hit that can not be read costs itself, and is named. */
function believeHit(hit: unknown, index: number): Believed<Enhet | SlettetEnhet | null> {
  const path = pointer('/_embedded/enheter', index)
  try {
    const { value, avvik } = believeEnhet('sok', hit)
    return { value, avvik: avvik.map((part) => path + part) }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return { value: null, avvik: [path + (error.field ?? '')] }
  }
}

/** (page + 1) * size above this is a 400 from the register. */
const DEPTH_MAX = 10_000

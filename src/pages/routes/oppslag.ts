import type { FastifyInstance } from 'fastify'
import { findOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { type Guest, guestOf } from '../lookup/guest.ts'
import { lookupPage } from '../lookup/lookup-page.ts'
import type { PageSearch } from '../lookup/ports.ts'
import { readLookup } from '../lookup/read-query.ts'
import type { PageTools } from '../page-tools.ts'
import { visitorOf } from '../visitor.ts'

const PAGE = 20
const SUGGESTIONS = 8

/**
 * Companies by name or number. Whoever has a session searches as their key does; whoever has none searches among the invented
 * companies, which cost nobody else anything, as often as a person can.
 */
export function oppslagRoutes(app: FastifyInstance, { lookup, samples, send, strangers }: PageTools): void {
  const hidden = { schema: { hide: true } }

  const searchOf = ({ key }: Guest, ip: string): { search: PageSearch; caller: string } => {
    if (key !== null) return { search: lookup.search, caller: key.right }
    strangers.take('sok', ip)
    return { search: samples.search, caller: '' }
  }

  app.get('/oppslag', hidden, async (request, reply) => {
    const typed = readLookup(request.query)
    const query = queryOf(request.query)
    const visitor = visitorOf(request, `/oppslag${query === '' ? '' : `?${query}`}`)
    const guest = await guestOf(lookup.sessions, request, reply)
    const orgnr = findOrganisasjonsnummer(typed.q)
    if (orgnr !== null)
      return reply.header('cache-control', 'no-store').redirect(visitor.at(`/foretak/${orgnr}`), 303)
    if (typed.q === '')
      return send.fresh(
        request,
        reply,
        lookupPage({ typed, found: null, guest, nextUrl: null }, visitor),
        visitor,
      )
    const { search, caller } = searchOf(guest, request.ip)
    const question = { q: typed.q, filters: typed.filters, size: PAGE }
    const asked = await search.sok({ ...question, after: typed.after }, caller)
    // A page of an index that has been replaced meanwhile begins again from the first.
    const reading = asked.outcome === 'found' ? asked : await search.sok({ ...question, after: null }, caller)
    const found = reading.outcome === 'found' ? reading.answer : null
    const nextUrl = found === null || found.neste === null ? null : nextOf(query, found.neste)
    return send.fresh(
      request,
      reply,
      lookupPage({ typed, found, guest, nextUrl: nextUrl === null ? null : visitor.at(nextUrl) }, visitor),
      visitor,
    )
  })

  app.get('/oppslag/forslag', hidden, async (request, reply) => {
    const { q } = readLookup(request.query)
    const visitor = visitorOf(request, '/oppslag')
    const guest = await guestOf(lookup.sessions, request, reply)
    reply.header('cache-control', 'private, no-store')
    if (q === '') return { treff: [] }
    const { search, caller } = searchOf(guest, request.ip)
    const { answer } = await search.forslag(q, SUGGESTIONS, caller)
    return {
      treff: answer.treff.map(({ organisasjonsnummer, navn, sted, form }) => ({
        navn: navn ?? organisasjonsnummer,
        om: [form, sted, organisasjonsnummer].filter(Boolean).join(' · '),
        lenke: visitor.at(`/foretak/${organisasjonsnummer}`),
      })),
    }
  })
}

/** What was asked for, without the language and the place in the list: another language is the same question. */
function queryOf(query: unknown): string {
  const kept = new URLSearchParams()
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    if (typeof value === 'string' && value !== '' && name !== 'lang' && name !== 'etter')
      kept.set(name, value.toWellFormed())
  }
  return kept.toString()
}

function nextOf(query: string, after: string): string {
  return `/oppslag?${query}&etter=${encodeURIComponent(after)}`
}

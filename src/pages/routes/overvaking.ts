import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { findOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Bedrift } from '#src/record/record.ts'
import { PageFailure } from '../failures.ts'
import { formReader, Typed } from '../forms.ts'
import { checkFormToken, formToken } from '../lookup/form-token.ts'
import { guestOf } from '../lookup/guest.ts'
import { insideFrom, showWayIn } from '../lookup/inside.ts'
import type { PageTools } from '../page-tools.ts'
import { visitorOf } from '../visitor.ts'
import { watchedPage } from '../watching/watched-page.ts'

const PATH = '/overvaking'
const PAGE = 50
const LATEST = 20
const readWish = formReader({
  skjema: Typed,
  gjor: Type.Enum(['overvak', 'slutt']),
  fra: Type.Enum(['foretak', 'liste']),
  epost: Type.Optional(Type.Enum(['ingen', 'straks', 'daglig'])),
})

/** What somebody with a session watches. What is chosen is a form, and leads back to where it stood. */
export function overvakingRoutes(app: FastifyInstance, { lookup, send }: PageTools): void {
  const hidden = { schema: { hide: true } }
  const { watches, log, watcherOf } = lookup.changes

  const showList = insideFrom(
    { lookup, send },
    PATH,
  )(async (request, reply, { visitor, guest, key }) => {
    const watcher = await watcherOf(key)
    const { etter } = request.query as { etter?: unknown }
    const after = typeof etter === 'string' ? findOrganisasjonsnummer(etter) : null
    const found = await watches.list(watcher, { after, size: PAGE })
    const latest = after === null ? await log.latest(watcher, LATEST) : []
    const nameless = [...found.watches, ...latest].filter(({ navn }) => navn === null)
    const names = await lookup.changes.namesOf([...new Set(nameless.map(({ orgnr }) => orgnr))])
    const named = <W extends { orgnr: string; navn: string | null }>(each: W): W => ({
      ...each,
      navn: each.navn ?? names.get(each.orgnr) ?? null,
    })
    const last = found.watches.at(-1)?.orgnr
    const canBeMailed = await watches.canBeMailed(watcher)
    const page = watchedPage(
      {
        guest,
        token: formToken(request, reply),
        // Who was removed since they were read is not told of.
        watches: watches.tellable(found.watches).map(named),
        count: found.count,
        latest: log.tellable(latest).map(named),
        canBeMailed,
        nextUrl: found.hasMore && last !== undefined ? visitor.at(`${PATH}?etter=${last}`) : null,
      },
      visitor,
    )
    return send.own(reply, page, visitor)
  })
  app.get(PATH, hidden, showList)

  app.post<{ Params: { orgnr: string } }>(`${PATH}/:orgnr`, hidden, async (request, reply) => {
    const visitor = visitorOf(request, PATH)
    const { skjema, gjor, fra, epost } = readWish(request.body)
    checkFormToken(request, skjema)
    const orgnr = findOrganisasjonsnummer(request.params.orgnr)
    if (orgnr === null) throw new PageFailure('ugyldig_nummer')
    const back = visitor.at(fra === 'liste' ? PATH : `/foretak/${orgnr}`)
    const { key } = await guestOf(lookup.sessions, request, reply)
    if (key === null) return showWayIn(request, reply, { visitor, send, leadsTo: back, status: 401 })
    const watcher = await watcherOf(key)
    if (gjor === 'slutt') await watches.remove(watcher, [orgnr])
    else {
      const mailed = epost === 'straks' || epost === 'daglig' ? epost : null
      const wish = { epost: (await watches.canBeMailed(watcher)) ? mailed : null }
      const before = await watches.find(watcher, orgnr)
      const { navn, typer } = before ?? { navn: await nameOf(orgnr, key.right), typer: null }
      const put = await watches.put(watcher, [{ orgnr, navn, typer, ...wish }])
      if ('full' in put) throw new PageFailure('fullt')
    }
    // A form sent twice leads to the same page.
    return reply.header('cache-control', 'no-store').redirect(back, 303)
  })

  /** What the company is called now is what it is called on the list. @throws PageFailure unless it is one */
  async function nameOf(
    orgnr: NonNullable<ReturnType<typeof findOrganisasjonsnummer>>,
    caller: string,
  ): Promise<string | null> {
    const reading = await lookup.reader.read(orgnr, { fersk: false, caller })
    if (reading.outcome === 'record') return (JSON.parse(reading.answer.bytes.toString()) as Bedrift).navn
    if (reading.outcome === 'unknown' || reading.outcome === 'removed') throw new PageFailure('ukjent')
    return null
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { readTypeFilter } from '#src/changes/type-filter.ts'
import { InputError } from '#src/core/errors.ts'
import { isoFromNorway } from '#src/core/norwegian-time.ts'
import type { EndpointOwner } from '#src/push/endpoints.ts'
import { endpointPage, saidOf } from '../endpoints/endpoint-page.ts'
import { endpointsPage } from '../endpoints/endpoints-page.ts'
import type { RefusedEndpoint } from '../endpoints/parts.ts'
import { secretPage } from '../endpoints/secret-page.ts'
import { PageFailure } from '../failures.ts'
import { formReader, mistakeOf, Typed } from '../forms.ts'
import { checkFormToken, formToken } from '../lookup/form-token.ts'
import type { Guest } from '../lookup/guest.ts'
import { insideFrom } from '../lookup/inside.ts'
import type { PageTools } from '../page-tools.ts'
import type { Visitor } from '../visitor.ts'

const Address = Type.String({ maxLength: 1200 })
const readWish = formReader({ skjema: Typed, adresse: Address, typer: Typed, paa: Type.Optional(Typed) })
const readAgain = formReader({
  skjema: Typed,
  levering: Type.Optional(Typed),
  fra: Type.Optional(Typed),
  til: Type.Optional(Typed),
})
const readPlain = formReader({ skjema: Typed })
const PATH = '/endepunkter'
const SHOWN = 50

/**
 * Where changes are sent, for whoever is in with a key (P127): what programs do at `/api/endepunkter`, by forms. A secret is in the
 * one answer that shows it; no form is taken but one of this browser and this session (P85).
 */
export function endepunkterRoutes(app: FastifyInstance, { lookup, send, attempt }: PageTools): void {
  const hidden = { schema: { hide: true } }
  const { push } = lookup
  const { endpoints } = push
  type Inside = { visitor: Visitor; guest: Guest; owner: EndpointOwner }
  type Said = Parameters<typeof saidOf>[0]

  const insidePage = insideFrom({ lookup, send }, PATH)
  const inside = (
    work: (request: FastifyRequest, reply: FastifyReply, who: Inside) => Promise<FastifyReply>,
  ) =>
    insidePage(async (request, reply, { key, ...who }) =>
      work(request, reply, { ...who, owner: await push.ownerOf(key) }),
    )

  app.get(
    PATH,
    hidden,
    inside((request, reply, who) => showAll(request, reply, who, null)),
  )

  app.post(
    PATH,
    hidden,
    inside(async (request, reply, who) => {
      const { visitor, owner } = who
      const { skjema, ...typed } = readWish(request.body)
      checkFormToken(request, skjema)
      attempt('endepunkt', request.ip)
      const added = await understood(typed, visitor, (wish) => endpoints.add(owner, wish))
      if ('error' in added) return showAll(request, reply, who, added)
      if ('full' in added) return showAll(request, reply, who, { ...typed, error: saidOf('full', visitor) })
      return send.own(reply, secretPage(added, visitor), visitor)
    }),
  )

  app.get(
    `${PATH}/:id`,
    hidden,
    inside((request, reply, who) => showOne(request, reply, who, {})),
  )

  app.post(
    `${PATH}/:id/endre`,
    hidden,
    inside(async (request, reply, who) => {
      const { visitor, owner } = who
      const { skjema, paa, ...typed } = readWish(request.body)
      checkFormToken(request, skjema)
      const changed = await understood(typed, visitor, async (wish) => ({
        endpoint: await endpoints.change(owner, idOf(request), { ...wish, isOn: paa === 'ja' }),
      }))
      if ('error' in changed) return showOne(request, reply, who, { refused: changed })
      if (changed.endpoint === null) throw new PageFailure('ukjent')
      return reply.header('cache-control', 'no-store').redirect(visitor.at(`${PATH}/${idOf(request)}`), 303)
    }),
  )

  app.post(
    `${PATH}/:id/hemmelighet`,
    hidden,
    inside(async (request, reply, { visitor, owner }) => {
      checkFormToken(request, readPlain(request.body).skjema)
      const renewed = await endpoints.renewSecret(owner, idOf(request))
      if (renewed === null) throw new PageFailure('ukjent')
      return send.own(reply, secretPage(renewed, visitor), visitor)
    }),
  )

  app.post(
    `${PATH}/:id/prove`,
    hidden,
    inside(async (request, reply, who) => {
      checkFormToken(request, readPlain(request.body).skjema)
      const sent = await endpoints.test(who.owner, idOf(request))
      if (sent === null) throw new PageFailure('ukjent')
      const said = sent === 'full' ? 'prover' : sent === 'off' ? 'av' : 'prove'
      return showOne(request, reply, who, { said })
    }),
  )

  app.post(
    `${PATH}/:id/igjen`,
    hidden,
    inside(async (request, reply, who) => {
      const { skjema, levering, fra, til } = readAgain(request.body)
      checkFormToken(request, skjema)
      const wish = levering === undefined ? spanOf(fra, til) : { delivery: levering }
      if (wish === null) return showOne(request, reply, who, { said: 'tidsrom' })
      const sent = await endpoints.sendAgain(who.owner, idOf(request), wish)
      if (sent === null) throw new PageFailure('ukjent')
      const said = typeof sent === 'string' ? REFUSALS[sent] : sent.count === 0 ? 'ingenting' : 'igjen'
      return showOne(request, reply, who, { said })
    }),
  )

  app.post(
    `${PATH}/:id/slett`,
    hidden,
    inside(async (request, reply, { visitor, owner }) => {
      checkFormToken(request, readPlain(request.body).skjema)
      await endpoints.remove(owner, idOf(request))
      return reply.header('cache-control', 'no-store').redirect(visitor.at(PATH), 303)
    }),
  )

  async function showAll(
    request: FastifyRequest,
    reply: FastifyReply,
    { visitor, guest, owner }: Inside,
    refused: RefusedEndpoint | null,
  ): Promise<FastifyReply> {
    const page = endpointsPage(
      { guest, token: formToken(request, reply), endpoints: await endpoints.list(owner), refused },
      visitor,
    )
    return send.own(reply, page, visitor, { status: refused === null ? 200 : 400 })
  }

  async function showOne(
    request: FastifyRequest,
    reply: FastifyReply,
    { visitor, guest, owner }: Inside,
    { refused = null, said = null }: { refused?: RefusedEndpoint | null; said?: Said | null },
  ): Promise<FastifyReply> {
    const id = idOf(request)
    const endpoint = await endpoints.find(owner, id)
    const found = await endpoints.deliveries(owner, id, { below: null, tilstand: null, size: SHOWN })
    if (endpoint === null || found === null) throw new PageFailure('ukjent')
    const page = endpointPage(
      {
        guest,
        token: formToken(request, reply),
        endpoint,
        deliveries: found.deliveries,
        refused,
        said: said && saidOf(said, visitor),
      },
      visitor,
    )
    return send.own(reply, page, visitor, { status: refused === null ? 200 : 400 })
  }
}

const REFUSALS = { off: 'av', full: 'mange', often: 'prover' } as const

function idOf(request: FastifyRequest): string {
  return (request.params as { id: string }).id
}

/** What was typed as a wish, and what is done with it; or what was wrong. */
async function understood<T extends object>(
  { adresse, typer }: { adresse: string; typer: string },
  visitor: Visitor,
  work: (wish: { adresse: string; typer: string[] | null }) => Promise<T>,
): Promise<T | RefusedEndpoint> {
  try {
    return await work({ adresse: adresse.trim(), typer: readTypeFilter(typer.split(','), 'typer') })
  } catch (error) {
    if (error instanceof InputError) return { adresse, typer, error: mistakeOf(error, visitor) }
    throw error
  }
}

/** As the field of a form has it: Norwegian time, without a zone. */
function spanOf(fra: string | undefined, til: string | undefined): { from: Date; to: Date } | null {
  const [from, to] = [fra, til].map((text = '') => {
    const iso = LOCAL.test(text) ? isoFromNorway(text.length === LOCAL_LETTERS ? `${text}:00` : text) : null
    return iso === null ? null : new Date(iso)
  })
  return from && to && from < to ? { from, to } : null
}

const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/
const LOCAL_LETTERS = '2026-11-22T12:00'.length

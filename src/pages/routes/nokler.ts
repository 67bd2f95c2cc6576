import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ValidKey } from '#src/access/verify.ts'
import { InputError } from '#src/core/errors.ts'
import { PageFailure } from '../failures.ts'
import { formReader, mistakeOf, Typed } from '../forms.ts'
import { heldKeysPage, madeKeyPage, notYourKeysPage, oneKeyPage, refusalOf } from '../held-keys-pages.ts'
import { checkFormToken, formToken } from '../lookup/form-token.ts'
import type { Guest } from '../lookup/guest.ts'
import { insideFrom } from '../lookup/inside.ts'
import type { PageTools } from '../page-tools.ts'
import type { Visitor } from '../visitor.ts'

const readName = formReader({ skjema: Typed, navn: Typed })
const readEnd = formReader({ skjema: Typed })
const PATH = '/nokler'

/**
 * The keys of one purchase, for whoever is in with the one that was bought (P133). A key that is made is in the one answer that
 * shows it and nowhere else; no form is taken but one of this browser and this session (P85).
 */
export function noklerRoutes(app: FastifyInstance, { lookup, send, attempt }: PageTools): void {
  const hidden = { schema: { hide: true } }
  const { namedKeys } = lookup
  type Inside = { visitor: Visitor; guest: Guest; key: ValidKey }
  type OfOne = { Params: { id: string } }
  const inside = insideFrom({ lookup, send }, PATH)

  app.get(
    PATH,
    hidden,
    inside((request, reply, who) => showAll(request, reply, who, null)),
  )

  app.post(
    PATH,
    hidden,
    inside(async (request, reply, who) => {
      const { visitor, key } = who
      const { skjema, navn } = readName(request.body)
      checkFormToken(request, skjema)
      attempt('nokkel', request.ip)
      const made = await named(() => namedKeys.make(key.id, navn), visitor)
      if ('error' in made) return showAll(request, reply, who, { navn: '', error: made.error })
      if (made.utfall === 'laget') return send.own(reply, madeKeyPage(made, visitor), visitor)
      if (made.utfall === 'ikke_din') return notYours(reply, visitor)
      return showAll(request, reply, who, { navn, error: refusalOf(made.utfall, visitor) })
    }),
  )

  app.get<OfOne>(
    `${PATH}/:id`,
    hidden,
    inside((request, reply, who) => showOne(request, reply, who, null)),
  )

  app.post<OfOne>(
    `${PATH}/:id/navn`,
    hidden,
    inside(async (request, reply, who) => {
      const { visitor, key } = who
      const { skjema, navn } = readName(request.body)
      checkFormToken(request, skjema)
      const changed = await named(() => namedKeys.rename(key.id, idOf(request), navn), visitor)
      if (typeof changed === 'object') return showOne(request, reply, who, { navn: '', error: changed.error })
      if (changed === 'navn_i_bruk')
        return showOne(request, reply, who, { navn, error: refusalOf(changed, visitor) })
      return done(reply, visitor, changed)
    }),
  )

  app.post<OfOne>(
    `${PATH}/:id/avslutt`,
    hidden,
    inside(async (request, reply, { visitor, key }) => {
      checkFormToken(request, readEnd(request.body).skjema)
      return done(reply, visitor, await namedKeys.end(key.id, idOf(request)))
    }),
  )

  async function showAll(
    request: FastifyRequest,
    reply: FastifyReply,
    { visitor, guest, key }: Inside,
    refused: { navn: string; error: string } | null,
  ): Promise<FastifyReply> {
    const keys = await namedKeys.list(key.id)
    if (keys === null) return notYours(reply, visitor)
    const page = heldKeysPage(
      { ...keys, guest, token: formToken(request, reply), inUseMax: namedKeys.inUseMax, refused },
      visitor,
    )
    return send.own(reply, page, visitor, { status: refused === null ? 200 : 400 })
  }

  async function showOne(
    request: FastifyRequest,
    reply: FastifyReply,
    { visitor, guest, key }: Inside,
    refused: { navn: string; error: string } | null,
  ): Promise<FastifyReply> {
    const keys = await namedKeys.list(key.id)
    if (keys === null) return notYours(reply, visitor)
    const one = keys.held.find(({ id, navn }) => navn !== null && id === idOf(request))
    if (one === undefined) throw new PageFailure('ukjent')
    const page = oneKeyPage({ guest, token: formToken(request, reply), key: one, refused }, visitor)
    return send.own(reply, page, visitor, { status: refused === null ? 200 : 400 })
  }

  /** A form sent twice leads to the same page. */
  function done(
    reply: FastifyReply,
    visitor: Visitor,
    changed: 'gjort' | 'ikke_din' | 'ukjent' | 'navn_i_bruk',
  ) {
    if (changed === 'ikke_din') return notYours(reply, visitor)
    if (changed === 'ukjent') throw new PageFailure('ukjent')
    return reply.header('cache-control', 'no-store').redirect(visitor.at(PATH), 303)
  }

  function notYours(reply: FastifyReply, visitor: Visitor): FastifyReply {
    return send.own(reply, notYourKeysPage(visitor), visitor, { status: 403 })
  }
}

function idOf(request: FastifyRequest): string {
  return (request.params as { id: string }).id
}

/** What was typed and is no name may be a key: it is not shown again. */
async function named<T>(work: () => Promise<T>, visitor: Visitor): Promise<T | { error: string }> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof InputError) return { error: mistakeOf(error, visitor) }
    throw error
  }
}

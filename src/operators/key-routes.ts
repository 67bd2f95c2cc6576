import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Clock } from '#src/core/clock.ts'
import { type By, readId, type Steering } from '#src/ops/steering.ts'
import type { Customer } from '#src/storage/customers.ts'
import { keysPage } from './pages/keys.ts'
import { faultOf } from './refusal.ts'
import { operatorOf } from './session.ts'

export type KeyView = { find(id: string): Promise<Customer | null> }

const isQuestion = Compile(Type.Object({ id: Type.String({ maxLength: 100 }) }))
const isWish = Compile(
  Type.Object({
    id: Type.String({ maxLength: 100 }),
    hvorfor: Type.String({ maxLength: 400 }),
    grunn: Type.Optional(Type.Union([Type.Literal('tapt'), Type.Literal('lekket')])),
  }),
)

/** A key or an order: what became of it, and what can be done. The key itself is nowhere to be shown from. */
export function keyRoutes(
  app: FastifyInstance,
  {
    keys,
    steering,
    clock,
  }: {
    keys: KeyView
    steering: Pick<Steering, 'replaceKey' | 'revokeKey' | 'resendReceipt' | 'decideOrder' | 'trail'>
    clock: Clock
  },
): void {
  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { id, told = null, fault = null }: { id: string | null; told?: string | null; fault?: string | null },
  ) {
    const customer = id === null ? null : await keys.find(id)
    const about = customer === null ? [] : [customer.kjede, ...customer.keys.map((key) => key.id)]
    const page = keysPage({
      operator: operatorOf(request),
      customer,
      deeds: about.length === 0 ? [] : await steering.trail(about, DEEDS_MAX),
      typed: id ?? '',
      told,
      fault:
        fault ??
        (id !== null && customer === null ? 'Det finnes ingen nøkkel eller ordre med denne id-en.' : null),
      now: clock.now(),
    })
    return reply.type('text/html; charset=utf-8').send(page)
  }

  app.get('/nokler', async (request, reply) => {
    if (!isQuestion.Check(request.query)) return show(request, reply, { id: null })
    try {
      return await show(request, reply, { id: readId(request.query.id) })
    } catch (error) {
      const { status, text } = faultOf(error)
      return show(request, reply.code(status), { id: null, fault: text })
    }
  })

  app.get<{ Params: { id: string } }>('/nokler/:id.json', async (request) => {
    const customer = await keys.find(readId(request.params.id))
    return { kunde: customer, spor: customer === null ? [] : await trailOf(customer) }
  })

  function trailOf(customer: Customer) {
    return steering.trail([customer.kjede, ...customer.keys.map((key) => key.id)], DEEDS_MAX)
  }

  function wish(
    path: string,
    told: string,
    act: (by: By, id: string, grunn: 'tapt' | 'lekket') => Promise<unknown>,
  ) {
    app.post(`/nokler/${path}`, async (request, reply) => {
      const { body } = request
      if (!isWish.Check(body))
        return show(request, reply.code(400), { id: null, fault: 'Skjemaet var ikke fylt ut som ventet.' })
      let id: string | null = null
      try {
        id = readId(body.id)
        await act({ hvem: operatorOf(request).navn, hvorfor: body.hvorfor }, id, body.grunn ?? 'tapt')
        return await show(request, reply, { id, told })
      } catch (error) {
        const { status, text } = faultOf(error)
        return show(request, reply.code(status), { id, fault: text })
      }
    })
  }

  wish('erstatt', 'En ny nøkkel er på vei til adressen den gamle gikk til.', (by, id, grunn) =>
    steering.replaceKey(by, id, grunn),
  )
  wish('tilbakekall', 'Nøkkelen er tilbakekalt, og avvises overalt innen 60 sekunder.', (by, id) =>
    steering.revokeKey(by, id),
  )
  wish('kvittering', 'Kvitteringen sendes en gang til.', (by, id) => steering.resendReceipt(by, id))
  wish('avgjort', 'Alarmen er slukket.', (by, id) => steering.decideOrder(by, id))
}

const DEEDS_MAX = 50

import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { readId, type Steering } from '#src/ops/steering.ts'
import type { ListedMail, ListedOrder } from '#src/storage/order-list.ts'
import type { MailStory, OrderStory } from '#src/storage/order-story.ts'
import { mailPage, operatorsOrderPage } from './pages/order.ts'
import { mailsPage, ordersPage } from './pages/orders.ts'
import { OpsRefusal } from './refusal.ts'
import { operatorOf } from './session.ts'

export type OrderReader = {
  /** @param wanted null: the newest of all */
  orders(wanted: string | null): Promise<ListedOrder[]>
  order(id: string): Promise<OrderStory | null>
  mails(): Promise<ListedMail[]>
  mail(id: string): Promise<MailStory | null>
}

const isQuestion = Compile(Type.Object({ hva: Type.String({ maxLength: 254 }) }))

/**
 * Orders and mails, found by what a customer writes of: an address, a receipt, a reference. It is asked for with a form that is
 * no address, so that nobody's e-mail address stands in one; it changes nothing, so whoever may read may ask.
 */
export function orderRoutes(
  app: FastifyInstance,
  { orders, steering }: { orders: OrderReader; steering: Pick<Steering, 'trail'> },
): void {
  app.get('/ordre', async (request, reply) => {
    const page = ordersPage({
      operator: operatorOf(request),
      orders: await orders.orders(null),
      wanted: null,
    })
    return reply.type('text/html; charset=utf-8').send(page)
  })
  app.get('/ordre.json', async () => ({ ordre: await orders.orders(null) }))

  app.post('/ordre', { config: { changesNothing: true } }, async (request, reply) => {
    const wanted = isQuestion.Check(request.body) ? request.body.hva.trim() : ''
    const found = await orders.orders(wanted === '' ? null : wanted)
    const page = ordersPage({
      operator: operatorOf(request),
      orders: found,
      wanted: wanted === '' ? null : wanted,
    })
    return reply.type('text/html; charset=utf-8').send(page)
  })

  async function storyOf(typed: string) {
    const order = await orders.order(readId(typed))
    if (order === null) throw new OpsRefusal('ukjent_ordre')
    const about = [order.id, ...order.nokler.map((key) => key.id)]
    return { order, deeds: await steering.trail(about, DEEDS_MAX) }
  }
  app.get<{ Params: { id: string } }>('/ordre/:id', async (request, reply) => {
    const story = await storyOf(request.params.id)
    const page = operatorsOrderPage({ operator: operatorOf(request), ...story })
    return reply.type('text/html; charset=utf-8').send(page)
  })
  app.get<{ Params: { id: string } }>('/ordre/:id.json', async (request) => {
    const { order, deeds } = await storyOf(request.params.id)
    return { ordre: order, spor: deeds }
  })

  async function mailOf(id: string) {
    const mail = isMailNumber(id) ? await orders.mail(id) : null
    if (mail === null) throw new OpsRefusal('ukjent_epost')
    return mail
  }
  app.get<{ Params: { id: string } }>('/epost/:id', async (request, reply) => {
    const page = mailPage({ operator: operatorOf(request), mail: await mailOf(request.params.id) })
    return reply.type('text/html; charset=utf-8').send(page)
  })
  app.get<{ Params: { id: string } }>('/epost/:id.json', async (request) => ({
    epost: await mailOf(request.params.id),
  }))

  app.get('/epost', async (request, reply) => {
    const page = mailsPage({ operator: operatorOf(request), mails: await orders.mails() })
    return reply.type('text/html; charset=utf-8').send(page)
  })
  app.get('/epost.json', async () => ({ epost: await orders.mails() }))
}

const DEEDS_MAX = 50

function isMailNumber(text: string): boolean {
  return /^[1-9][0-9]{0,14}$/.test(text)
}

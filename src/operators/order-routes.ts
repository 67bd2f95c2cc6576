import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { ListedMail, ListedOrder } from '#src/storage/order-list.ts'
import { mailsPage, ordersPage } from './pages/orders.ts'
import { operatorOf } from './session.ts'

export type OrderView = {
  /** @param wanted null: the newest of all */
  orders(wanted: string | null): Promise<ListedOrder[]>
  mails(): Promise<ListedMail[]>
}

const isQuestion = Compile(Type.Object({ hva: Type.String({ maxLength: 254 }) }))

/**
 * Orders and mails, found by what a customer writes of: an address, a receipt, a reference. It is asked for with a form that is
 * no address, so that nobody's e-mail address stands in one; it changes nothing, so whoever may read may ask.
 */
export function orderRoutes(app: FastifyInstance, { orders }: { orders: OrderView }): void {
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

  app.get('/epost', async (request, reply) => {
    const page = mailsPage({ operator: operatorOf(request), mails: await orders.mails() })
    return reply.type('text/html; charset=utf-8').send(page)
  })
  app.get('/epost.json', async () => ({ epost: await orders.mails() }))
}

import type { FastifyInstance } from 'fastify'
import { policy } from '#config/policy.ts'
import type { Sales } from '#src/sales/sales.ts'
import type { Webhooks } from '#src/sales/webhooks.ts'
import { VippsAnswerError } from '#src/vipps/errors.ts'

export const WEBHOOK_PATH = '/vipps/webhook'

/**
 * Where Vipps tells that something happened to a payment. The bytes are taken as they came, since it is they that were
 * signed; what none of our registrations signed gets 401 and leaves nothing behind (P28). Vipps waits ten seconds, repeats
 * anything but 200 for a week, and holds back what follows: so an event is stored, and that is all.
 */
export function vippsWebhookRoute(
  app: FastifyInstance,
  { sales, webhooks }: { sales: Pick<Sales, 'noteWebhook'>; webhooks: Pick<Webhooks, 'hear'> },
): void {
  const bodyLimit = policy.vipps.webhookBytesMax
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body))
  app.post(WEBHOOK_PATH, { schema: { hide: true }, bodyLimit }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    // The router takes a query, a slash behind and letters written in percent for the same. It was signed as it is registered.
    if (request.raw.url !== WEBHOOK_PATH) return reply.code(401).send()
    const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    try {
      const event = await webhooks.hear({ method: request.method, headers: request.headers, rawBody })
      if (event === null) return reply.code(401).send()
      await sales.noteWebhook(event)
    } catch (error) {
      if (!(error instanceof VippsAnswerError)) throw error
      // Signed, and not understood: it would be sent for a week. The payment is read back all the same.
      request.log.error({ err: error }, 'a message of Vipps could not be read')
    }
    return reply.code(200).send()
  })
}

import plugin from 'fastify-plugin'

/**
 * One line a request, by allow-list: the route's pattern, never its address. Which company a customer looks at is the
 * customer's business, so neither number nor query text is written beside the key's id.
 */
export const requestLog = plugin(
  async (app) => {
    app.addHook('onSend', async (request, reply) => {
      reply.header('x-request-id', request.id)
    })
    app.addHook('onResponse', async (request, reply) => {
      request.log.info(
        {
          metode: request.method,
          rute: request.routeOptions.url ?? null,
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime * 10) / 10,
          nokkelId: request.readerKey?.id ?? null,
        },
        'request',
      )
    })
  },
  { name: 'request-log' },
)

import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { createNetworkList, networkOf } from '#src/core/client-network.ts'
import { networkBehind } from '#src/http/server/network-behind.ts'

const isProxy = createNetworkList(['10.0.0.0/8'])

test.each([
  ['1.1.1.1, 2.2.2.2', '2.2.2.2'],
  ['2.2.2.2, 10.0.0.9:4711', '2.2.2.2'],
  ['2.2.2.2, ::ffff:10.0.0.9', '2.2.2.2'],
  ['10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['2.2.2.2, unknown', 'unknown'],
  ['2.2.2.2, ', '2.2.2.2'],
  ['2.2.2.2,,10.0.0.2', '2.2.2.2'],
  [' , ,', '10.0.0.1'],
  ['', '10.0.0.1'],
  [undefined, '10.0.0.1'],
])(
  'P43: attack: a connection is counted with the network its requests are, whatever holes the chain of proxies has (%s)',
  async (chain, network) => {
    const app = Fastify({ trustProxy: isProxy })
    app.get('/', async (request) => [networkBehind(request.raw, isProxy), networkOf(request.ip)])
    const answer = await app.inject({
      url: '/',
      remoteAddress: '10.0.0.1',
      ...(chain !== undefined && { headers: { 'x-forwarded-for': chain } }),
    })
    expect(answer.json()).toEqual([network, network])
  },
)

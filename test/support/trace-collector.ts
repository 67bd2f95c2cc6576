import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** One step, as it was sent by OTLP in JSON. */
export type TracedStep = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: Record<string, string | number | boolean>
  isFailed: boolean
  /** The process it was done in. */
  pid: number
}

export type TraceCollector = {
  readonly url: string
  steps(): readonly TracedStep[]
  /** All that was sent, as it was sent. */
  text(): string
  close(): Promise<void>
}

type Attribute = {
  key: string
  value: { stringValue?: string; intValue?: string | number; boolValue?: boolean }
}
type Sent = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: {
      spans: (Omit<TracedStep, 'attributes'> & { attributes: Attribute[]; status: { code?: number } })[]
    }[]
  }[]
}

/** A collector of traces that takes OTLP over HTTP and keeps all of it. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const sent: Sent[] = []
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/traces') sent.push((await json(request)) as Sent)
    response
      .writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' })
      .end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    steps: () => sent.flatMap(({ resourceSpans }) => resourceSpans).flatMap(stepsOf),
    text: () => JSON.stringify(sent),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function stepsOf({ resource, scopeSpans }: Sent['resourceSpans'][number]): TracedStep[] {
  const pid = Number(factsOf(resource.attributes)['process.pid'])
  return scopeSpans
    .flatMap(({ spans }) => spans)
    .map(({ attributes, status, ...span }) => ({
      ...span,
      attributes: factsOf(attributes),
      isFailed: status.code === 2,
      pid,
    }))
}

function factsOf(attributes: readonly Attribute[]): TracedStep['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.boolValue ?? Number(value.intValue)]),
  )
}

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from '@opentelemetry/api'
import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { installTracer, type StepKind, type Tracer } from '#src/core/trace.ts'

/**
 * Sends what is traced to a collector, by OpenTelemetry. Its packages are loaded only where there is one to send to. What can
 * not be sent is dropped: a collector that is away or slow costs a bounded queue, and no answer.
 */
export async function openTracing({
  url,
  share,
}: NonNullable<Environment['traces']>): Promise<{ close(): Promise<void> }> {
  const [api, sdk, { resourceFromAttributes }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ])
  const { queueMax, batchMax, sendEveryMs, sendWithinMs } = policy.tracing
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'bedriftsoppslag', 'process.pid': process.pid }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(share) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${url}/v1/traces`, timeoutMillis: sendWithinMs }),
        maxQueueSize: queueMax,
        maxExportBatchSize: batchMax,
        scheduledDelayMillis: sendEveryMs,
        exportTimeoutMillis: sendWithinMs,
      }),
    ],
  })
  const spans = provider.getTracer('bedriftsoppslag')
  const doing = new AsyncLocalStorage<Context>()
  const kinds: Record<StepKind, number> = {
    answering: api.SpanKind.SERVER,
    inside: api.SpanKind.INTERNAL,
    asking: api.SpanKind.CLIENT,
    sending: api.SpanKind.PRODUCER,
    working: api.SpanKind.CONSUMER,
  }

  const tracer: Tracer = {
    begin(kind, name, facts, from) {
      const elsewhere = from === null ? null : remote(from)
      const parent =
        elsewhere === null
          ? (doing.getStore() ?? api.ROOT_CONTEXT)
          : api.trace.setSpanContext(api.ROOT_CONTEXT, { ...elsewhere, isRemote: true })
      const span = spans.startSpan(name, { kind: kinds[kind], attributes: { ...facts } }, parent)
      const within = api.trace.setSpan(parent, span)
      return {
        run: (work) => doing.run(within, work),
        end(more, failure) {
          span.setAttributes({ ...more })
          if (failure !== null) {
            span.setAttribute('error.type', failure)
            span.setStatus({ code: api.SpanStatusCode.ERROR })
          }
          span.end()
        },
      }
    },
    here() {
      const context = doing.getStore()
      const at = context && api.trace.getSpanContext(context)
      if (at === undefined) return null
      return `00-${at.traceId}-${at.spanId}-${at.traceFlags.toString(16).padStart(2, '0')}`
    },
  }
  const uninstall = installTracer(tracer)
  return {
    async close() {
      uninstall()
      // What was traced last is sent, or given up within the deadline of a batch.
      await provider.shutdown().catch(() => {})
    },
  }
}

/** Another process's step, as it told of it; null for anything else. */
function remote(traceparent: string) {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent) ?? []
  return traceId === '' ? null : { traceId, spanId, traceFlags: Number.parseInt(flags, 16) }
}

/** W3C Trace Context, version 00. An id of zeros is none. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

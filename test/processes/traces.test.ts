import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { orderSharedCache } from '#src/wiring/shared-cache.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTraceCollector, type TraceCollector, type TracedStep } from '../support/trace-collector.ts'

const ROUTE = '/api/bedrift/:orgnr'

describe('traces', () => {
  let register: RegisterStandIn
  let collector: TraceCollector
  let deployment: Deployment

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: sampleAnswers() })
    collector = await startTraceCollector()
    deployment = await startDeployment(register, {
      variables: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    })
  })
  afterAll(async () => {
    await deployment.close()
    await Promise.all([register.close(), collector.close()])
  })

  const ask = () => deployment.get(deployment.apis[0], `/api/bedrift/${SAMPLE.healthy}`)
  /** The traces that begin with a look-up, in the order they were sent. */
  const lookups = () =>
    collector
      .steps()
      .filter(({ name, parentSpanId }) => name === `GET ${ROUTE}` && !parentSpanId)
      .map(({ traceId }) => collector.steps().filter((step) => step.traceId === traceId))

  it('a cold look-up is one connected trace: the request, each part in the cache, each source', async () => {
    expect((await ask()).status).toBe(200)
    const isWhole = (trace: readonly TracedStep[]) => trace.some(({ name }) => name === 'source regnskap')
    await eventually('it was sent', () => lookups().some((trace) => isWhole(trace) && isConnected(trace)))
    const trace = lookups().find(isWhole) ?? []
    for (const source of [
      'enhet',
      'roller',
      'signatur',
      'prokura',
      'regnskap',
      'kunngjoringer',
      'konsern',
      'underenheter',
      'rollerIAndreForetak',
      'regnskapskopier',
    ]) {
      expect(namesAbove(trace, `source ${source}`)).toEqual([`cache ${source}`, `GET ${ROUTE}`])
    }
    const [root] = trace.filter(({ parentSpanId }) => !parentSpanId)
    expect(root?.attributes).toEqual({
      'http.route': ROUTE,
      'http.response.status_code': 200,
      'request.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      fetched: 'register',
    })
  })

  it('a stale one goes on in the process that refreshes it, in the same trace', async () => {
    await orderSharedCache(deployment.cacheRedis.url, {
      company: SAMPLE.healthy,
      sections: null,
      isHard: false,
    })
    await eventually('it is shown as stale', async () => (await ask()).body.roller?.tilstand === 'utdatert')
    const isRefreshed = (trace: readonly TracedStep[]) =>
      namesAbove(trace, 'source roller').includes('job refresh-company')
    await eventually('it was sent', () => lookups().some((trace) => isRefreshed(trace) && isConnected(trace)))
    const trace = lookups().find(isRefreshed) ?? []
    expect(namesAbove(trace, 'source roller')).toEqual([
      'cache roller',
      'job refresh-company',
      'queue refresh-company',
      'cache roller',
      `GET ${ROUTE}`,
    ])
    const pids = new Set(trace.map(({ pid }) => pid))
    expect(pids).toEqual(new Set([deployment.apis[0].pid, deployment.worker.pid]))
  })

  it('P40: name no company, no key and no address', async () => {
    await deployment.get(deployment.apis[0], '/api/bedrift/sok?q=tindev%C3%A5g')
    await deployment.get(deployment.apis[0], `/finnes/ikke?epost=kari@example.com`)
    await eventually('they were sent', () => collector.steps().some(({ name }) => name.includes('sok')))
    expect(collector.text()).not.toMatch(
      /[0-9]{9}(?![0-9a-f"])|example\.com|tindev|bo_test_|authorization|finnes/i,
    )
    for (const { attributes } of collector.steps())
      expect(FACTS).toEqual(expect.arrayContaining(Object.keys(attributes)))
    for (const secret of [SAMPLE.healthy, deployment.token]) expect(collector.text()).not.toContain(secret)
  })
})

/** Every fact that may be sent. */
const FACTS = [
  'http.route',
  'http.request.method',
  'http.response.status_code',
  'error.type',
  'lane',
  'how',
  'outcome',
  'jobs',
  'queued',
  'refused',
  'attempt',
  // The id the caller is told, and nothing of the caller.
  'request.id',
  'fetched',
  'problem.code',
]

/** One begins it, and all others follow from one that is there. */
function isConnected(trace: readonly TracedStep[]): boolean {
  const ids = new Set(trace.map(({ spanId }) => spanId))
  const loose = trace.filter(({ parentSpanId }) => !parentSpanId || !ids.has(parentSpanId))
  return loose.length === 1
}

/** The names of the steps a step follows from, up to the first. */
function namesAbove(trace: readonly TracedStep[], name: string): string[] {
  const names: string[] = []
  const above = (step: TracedStep | undefined) => trace.find(({ spanId }) => spanId === step?.parentSpanId)
  for (let step = above(trace.find((each) => each.name === name)); step !== undefined; step = above(step)) {
    names.push(step.name)
  }
  return names
}

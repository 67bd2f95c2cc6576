import { channel } from 'node:diagnostics_channel'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CACHE_CHANNEL, type CacheEvent } from '#src/cache/events.ts'
import { LET_GO_CHANNEL, type LetGoFor } from '#src/core/let-go.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { tellUnreadable } from '#src/core/unreadable.ts'
import { FEED_CHANNEL, type FeedReport } from '#src/ops/feed-report.ts'
import { createMetrics, type Metrics } from '#src/ops/metrics.ts'
import { REQUEST_CHANNEL, type RequestLine } from '#src/ops/request-report.ts'
import { QUEUE_CHANNEL, type QueueEvent } from '#src/queue/events.ts'
import { SOURCE_CHANNEL, type SourceEvent } from '#src/sources/guard.ts'
import { keptSources } from '#src/sources/index.ts'
import type { RegisterResponse } from '#src/sources/register-client.ts'
import { removed } from '#src/sources/removed.ts'

let metrics: Metrics
beforeEach(() => {
  metrics = createMetrics()
})
afterEach(() => metrics.close())

const tell = {
  request: (event: RequestLine) => channel(REQUEST_CHANNEL).publish(event),
  cache: (event: CacheEvent) => channel(CACHE_CHANNEL).publish(event),
  source: (event: SourceEvent) => channel(SOURCE_CHANNEL).publish(event),
  feed: (event: FeedReport) => channel(FEED_CHANNEL).publish(event),
  letGo: (why: LetGoFor) => channel(LET_GO_CHANNEL).publish(why),
  queue: (event: QueueEvent) => channel(QUEUE_CHANNEL).publish(event),
}

const REQUEST: RequestLine = {
  foresporselId: 'f-1',
  metode: 'GET',
  rute: '/api/bedrift/:orgnr',
  status: 200,
  ms: 4,
  hentet: 'svar',
  nokkelId: 'AbCdEfGhIjKl',
}

describe('the metrics', () => {
  it('count requests by route, status and where the answer came from, in seconds', async () => {
    tell.request(REQUEST)
    tell.request(REQUEST)
    tell.request({ ...REQUEST, hentet: 'register' })
    tell.request({ ...REQUEST, rute: null, status: 404, hentet: null })
    const text = await metrics.write()
    const of = '{rute="/api/bedrift/:orgnr",status="200",hentet='
    expect(text).toContain(`bedriftsoppslag_request_seconds_count${of}"svar"} 2`)
    expect(text).toContain(`bedriftsoppslag_request_seconds_sum${of}"svar"} 0.008`)
    expect(text).toContain(`bedriftsoppslag_request_seconds_count${of}"register"} 1`)
    expect(text).toContain('bedriftsoppslag_request_seconds_count{rute="ingen",status="404",hentet=""} 1')
  })

  it('P54: tell what was refused, or waited, for what the same asker had under way from what is wrong or slow', async () => {
    tell.request({ ...REQUEST, ms: 6000, hentet: 'register', egenKoMs: 5500 })
    tell.request({ ...REQUEST, status: 503, ms: 6000, hentet: null, avMange: true, egenKoMs: 6000 })
    const text = await metrics.write()
    const of = '{rute="/api/bedrift/:orgnr",status='
    expect(text).toContain(`bedriftsoppslag_request_seconds_sum${of}"200",hentet="register"} 0.5`)
    expect(text).toContain(`bedriftsoppslag_request_seconds_count${of}"503",hentet="egen_ko"} 1`)
    expect(text).not.toContain('hentet=""')
  })

  it('P197: count connections that are let go of, by why, from the start', async () => {
    expect(await metrics.write()).toContain('bedriftsoppslag_connections_let_go_total{hvorfor="flom"} 0')
    tell.letGo('flom')
    tell.letGo('ulest')
    const text = await metrics.write()
    expect(text).toContain('bedriftsoppslag_connections_let_go_total{hvorfor="flom"} 1')
    expect(text).toContain('bedriftsoppslag_connections_let_go_total{hvorfor="ulest"} 1')
  })

  it('P40: name no company and no key', async () => {
    tell.request(REQUEST)
    expect(await metrics.write()).not.toContain(REQUEST.nokkelId)
  })

  it('P105: tell of messages and rows that could not be read, and where', async () => {
    tellUnreadable('ordre')
    tellUnreadable('ordre')
    tellUnreadable('buss')
    const text = await metrics.write()
    expect(text).toContain('bedriftsoppslag_unreadable_total{dor="ordre"} 2')
    expect(text).toContain('bedriftsoppslag_unreadable_total{dor="buss"} 1')
  })

  it('tell what the cache does', async () => {
    tell.cache({ kind: 'hit', tier: 'memory', section: 'enhet' })
    tell.cache({ kind: 'stale', section: 'roller' })
    tell.cache({ kind: 'refused', tier: 'redis', section: 'enhet', why: 'generation' })
    tell.cache({ kind: 'evicted', bytes: 700 })
    const text = await metrics.write()
    expect(text).toContain('{hendelse="hit",seksjon="enhet",hvor="memory"} 1')
    expect(text).toContain('{hendelse="stale",seksjon="roller",hvor=""} 1')
    expect(text).toContain('{hendelse="refused",seksjon="enhet",hvor="generation"} 1')
    expect(text).toContain('bedriftsoppslag_cache_evicted_bytes_total 700')
  })

  it('tell how each register answers, and where its breaker stands', async () => {
    tell.source({ kind: 'answered', source: 'enhet', lane: 'front', ms: 20 })
    tell.source({ kind: 'failed', source: 'enhet', lane: 'background', ms: 30, failure: 'tidsfrist' })
    tell.source({ kind: 'breaker', source: 'enhet', state: 'apen' })
    const text = await metrics.write()
    expect(text).toContain('bedriftsoppslag_source_seconds_count{kilde="enhet",felt="front",utfall="svar"} 1')
    expect(text).toContain('{kilde="enhet",felt="background",utfall="tidsfrist"} 1')
    expect(text).toContain('bedriftsoppslag_source_breaker{kilde="enhet"} 2')
  })

  it('show every breaker as closed before anything has become of it', async () => {
    const closed = [
      ...(await metrics.write()).matchAll(/^bedriftsoppslag_source_breaker\{kilde="(\w+)"\} 0$/gm),
    ]
    expect(closed.map(([, kilde]) => kilde).sort()).toEqual([...keptSources].sort())
  })

  it('P54: tell calls that a bound of ours refused from failures of the register', async () => {
    tell.source({ kind: 'answered', source: 'kunngjoringer', lane: 'front', ms: 20 })
    for (let refused = 0; refused < 700; refused++)
      tell.source({ kind: 'refused', source: 'kunngjoringer', lane: 'background', why: 'budsjett_brukt' })
    const text = await metrics.write()
    const calls = [...text.matchAll(/^bedriftsoppslag_source_seconds_count\{.*utfall="(\w+)"\} (\d+)$/gm)]
    expect(calls.map(([, utfall, count]) => [utfall, count])).toEqual([['svar', '1']])
    expect(text).toContain(
      'bedriftsoppslag_source_refusals_total{kilde="kunngjoringer",felt="background",grunn="budsjett_brukt"} 700',
    )
  })

  it('P16: tell the lag of each feed, only where it is followed', async () => {
    const progress = {
      feed: 'roller',
      isFollowing: true,
      isCaughtUp: true,
      newestAt: null,
      lagMs: 1500,
    } as const
    tell.feed({ kind: 'progress', progress })
    tell.feed({ kind: 'read', feed: 'roller', events: 7, touched: 5, cached: 2, removed: 1, unreadable: 0 })
    expect(await metrics.write()).toContain('bedriftsoppslag_feed_lag_seconds{feed="roller"} 1.5')
    expect(await metrics.write()).toContain(
      'bedriftsoppslag_feed_events_total{feed="roller",hendelse="lest"} 7',
    )
    expect(await metrics.write()).toContain(
      'bedriftsoppslag_feed_events_total{feed="roller",hendelse="fjernet"} 1',
    )
    tell.feed({ kind: 'progress', progress: { ...progress, isFollowing: false } })
    expect(await metrics.write()).not.toContain('bedriftsoppslag_feed_lag_seconds{')
  })

  it('tell how jobs end', async () => {
    tell.queue({ kind: 'done', lane: 'utvisking', job: 'erase-company', tookMs: 12 })
    tell.queue({ kind: 'failed', lane: 'utvisking', job: 'erase-company', code: 'x', isLast: true })
    const text = await metrics.write()
    expect(text).toContain('bedriftsoppslag_job_seconds_count{jobb="erase-company"} 1')
    expect(text).toContain('bedriftsoppslag_job_failures_total{jobb="erase-company",siste="true"} 1')
  })

  it('P54: attack: a burst before the first is read is an increase, since jobs that fail and what feeds tell are counted from 0', async () => {
    const before = await metrics.write()
    for (let given = 0; given < 21; given++)
      tell.queue({ kind: 'failed', lane: 'utvisking', job: 'erase-company', code: 'x', isLast: true })
    tell.feed({
      kind: 'read',
      feed: 'roller',
      events: 300,
      touched: 300,
      cached: 0,
      removed: 201,
      unreadable: 1,
    })
    const begun = (await metrics.write())
      .split('\n')
      .filter(
        (line) => /^bedriftsoppslag_(job_failures|feed_events)_total{/.test(line) && !line.endsWith(' 0'),
      )
    expect(begun).toHaveLength(4)
    for (const line of begun) expect(before).toContain(`${line.slice(0, line.lastIndexOf(' '))} 0\n`)
  })

  it('P54: attack: count each company a register says is removed as it is read, from the start, without its number', async () => {
    const orgnr = parseOrganisasjonsnummer('923609016')
    const line = (count: number) => `bedriftsoppslag_source_removals_total{kilde="enhet"} ${count}\n`
    expect(await metrics.write()).toContain(line(0))
    removed('enhet', orgnr, { status: 410, body: Buffer.alloc(0), fetchedAt: new Date() } as RegisterResponse)
    const text = await metrics.write()
    expect(text).toContain(line(1))
    expect(text).not.toContain(orgnr)
  })

  it('count no more when closed', async () => {
    metrics.close()
    tell.request(REQUEST)
    expect(await metrics.write()).not.toContain('bedriftsoppslag_request_seconds_count')
  })
})

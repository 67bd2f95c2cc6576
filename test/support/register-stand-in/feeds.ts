import type { FeedName } from '#src/ops/feed-report.ts'
import { parameters } from './parameters.ts'
import { badRequest, contentTypeFor, jsonReply, type Reply } from './reply.ts'

const LINK_BASE = 'https://data.brreg.no/enhetsregisteret/api'
const SIZE_MAX = 10_000

/** Where each feed's ids stood in 2026: the three count for themselves. */
const FIRST_ID: Record<FeedName, number> = {
  enheter: 25_175_000,
  underenheter: 21_240_000,
  roller: 4_610_000,
}

type FeedEvent = {
  organisasjonsnummer: string
  /** Ukjent, Ny, Endring, Sletting or Fjernet; the role feed has no kinds. */
  endringstype?: string
  /** JSON Patch, which the register only gives for Endring, and only when asked for it. */
  endringer?: readonly unknown[]
}

type Published = FeedEvent & { id: number; dato: string }

export type Feeds = {
  /**
   * Appends one event and returns its id. Ids rise with gaps, as the register's do; `id` and `dato` (as
   * `2026-10-01T22:01:00.000Z`) can be given. An id that is not above the last one starts the feed anew: a reset. A stray one is
   * none of those the feed counts by, and stays where it is among them.
   */
  publish(feed: FeedName, event: FeedEvent, at?: { id?: number; dato?: string; isStray?: boolean }): number
  /** Drops every event before this id: what happens to a follower that stayed away longer than the register keeps. */
  forgetBefore(feed: FeedName, id: number): void
}

/** @returns the feeds, and `read`, which answers one request for a page of one of them. */
export function createFeeds(): Feeds & {
  read(feed: FeedName, url: URL, accept: string | undefined): Reply
} {
  const events: Record<FeedName, Published[]> = { enheter: [], underenheter: [], roller: [] }
  // Kept apart from the events: a feed whose events are all forgotten goes on counting where it was.
  const lastIds: Record<FeedName, number> = { ...FIRST_ID }

  return {
    publish(feed, event, { id, dato = new Date().toISOString(), isStray = false } = {}) {
      const last = lastIds[feed]
      const next = id ?? last + 1 + (events[feed].length % 3)
      if (next <= last) events[feed] = []
      if (!isStray) lastIds[feed] = next
      events[feed].push({ ...event, id: next, dato })
      events[feed].sort((a, b) => a.id - b.id)
      return next
    },
    forgetBefore(feed, id) {
      events[feed] = events[feed].filter((event) => event.id >= id)
    },
    read(feed, url, accept) {
      const read = feed === 'roller' ? readCloudEvents : readHal
      return read(feed, events[feed], url, accept)
    },
  }
}

/** The feeds of units: a HAL page, `oppdateringsid` and `dato` inclusive, no `_embedded` when there is nothing. */
function readHal(feed: FeedName, events: readonly Published[], url: URL, accept: string | undefined): Reply {
  const unit = feed === 'enheter' ? 'enhet' : 'underenhet'
  const contentType = contentTypeFor(
    accept,
    `application/vnd.brreg.enhetsregisteret.oppdatering.${unit}.v1+json`,
  )
  if (contentType === null) return jsonReply(415, { status: 415, feilmelding: 'Usupportert media type' })

  const asked = parameters(url, [
    ...['dato', 'updatedBefore', 'oppdateringsid', 'organisasjonsnummer'],
    ...['page', 'size', 'sort', 'includeChanges'],
  ])
  const from = asked.number('oppdateringsid', { min: 1, fallback: 1 })
  const size = asked.number('size', { min: 1, max: SIZE_MAX, fallback: 20 })
  const page = asked.number('page', { min: 0, fallback: 0 })
  const since = asked.instant('dato')
  const before = asked.instant('updatedBefore')
  const numbers = asked.organisationNumbers()
  const order = asked.text('sort') ?? 'id,ASC'
  if (!/^id,(asc|desc)$/i.test(order)) asked.refuse('sort', 'Kun id er støttet')
  if ((page + 1) * size > SIZE_MAX) asked.refuse('page', 'Page og size gir et resultatsett over 10 000')
  if (asked.refusals.length > 0) return badRequest(url.pathname, asked.refusals)

  const matching = events.filter(
    (event) =>
      event.id >= from &&
      (since === null || event.dato >= since) &&
      (before === null || event.dato < before) &&
      (numbers === null || numbers.includes(event.organisasjonsnummer)),
  )
  if (/desc$/i.test(order)) matching.reverse()
  const shown = matching.slice(page * size, (page + 1) * size).map((event) => ({
    oppdateringsid: event.id,
    dato: event.dato,
    organisasjonsnummer: event.organisasjonsnummer,
    endringstype: event.endringstype ?? 'Ukjent',
    ...(asked.text('includeChanges') === 'true' && event.endringer ? { endringer: event.endringer } : {}),
    _links: { [unit]: { href: `${LINK_BASE}/${feed}/${event.organisasjonsnummer}` } },
  }))
  const list = feed === 'enheter' ? 'oppdaterteEnheter' : 'oppdaterteUnderenheter'
  const body = {
    ...(shown.length > 0 ? { _embedded: { [list]: shown } } : {}),
    _links: { self: { href: `${LINK_BASE}/oppdateringer/${feed}${url.search}` } },
    page: {
      size,
      totalElements: matching.length,
      totalPages: Math.ceil(matching.length / size),
      number: page,
    },
  }
  return jsonReply(200, body, contentType)
}

/** The feed of roles: a bare array of CloudEvents, `afterId` and `afterTime` exclusive, ids as text. */
function readCloudEvents(
  _feed: FeedName,
  events: readonly Published[],
  url: URL,
  accept: string | undefined,
): Reply {
  const contentType = contentTypeFor(accept, 'application/cloudevents-batch+json')
  if (contentType === null) return jsonReply(415, { status: 415, feilmelding: 'Usupportert media type' })

  const asked = parameters(url, ['afterId', 'afterTime', 'organisasjonsnummer', 'size'])
  const after = asked.number('afterId', { min: 1, fallback: 0 })
  const size = asked.number('size', { min: 1, max: SIZE_MAX, fallback: 100 })
  const since = asked.instant('afterTime')
  const numbers = asked.organisationNumbers()
  if (asked.refusals.length > 0) return badRequest(url.pathname, asked.refusals)

  const shown = events.filter(
    (event) =>
      event.id > after &&
      (since === null || event.dato > since) &&
      (numbers === null || numbers.includes(event.organisasjonsnummer)),
  )
  const body = shown.slice(0, size).map((event) => ({
    specversion: '1.0',
    id: String(event.id),
    source: `${LINK_BASE}/enheter/${event.organisasjonsnummer}/roller`,
    type: 'no.brreg.enhetsregisteret.rolle.oppdatert',
    time: event.dato,
    data: { organisasjonsnummer: event.organisasjonsnummer },
  }))
  return jsonReply(200, body, contentType)
}

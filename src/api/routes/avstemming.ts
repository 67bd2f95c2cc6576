import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify'
import { html } from 'ghtml'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { policy } from '#config/policy.ts'
import type { KeySessions } from '#src/access/key-sessions.ts'
import { publicTestKey } from '#src/access/public-test-key.ts'
import { askerIs } from '#src/core/asker.ts'
import { networkOf } from '#src/core/client-network.ts'
import { InputError } from '#src/core/errors.ts'
import { plainLines } from '#src/core/plain-line.ts'
import type { Treff } from '#src/search/answer.ts'
import { noFilters } from '#src/search/find-any.ts'
import { readFormFields } from '../../http/form-fields.ts'
import { turnOfLoop } from '../../http/loop-turn.ts'
import { createPlaces } from '../../http/places.ts'
import { Problem } from '../../http/problem.ts'
import { createReceiving } from '../../http/received.ts'
import { readNothing } from '../query.ts'
import { readClues, readSuggestion } from '../search-query.ts'
import { crowded } from './bedrift.ts'
import type { SearchFront } from './sok.ts'

const bounds = policy.reconciliation
const AT = '/api/avstemming'

/** What is asked in one batch, by names the client makes up. Members of later versions are left alone. */
const Query = Type.Object({
  query: Type.String(),
  type: Type.Optional(Type.Unknown()),
  limit: Type.Optional(Type.Unknown()),
  properties: Type.Optional(Type.Array(Type.Object({ pid: Type.String(), v: Type.Unknown() }))),
})
const isBatch = Compile(Type.Record(Type.String({ maxLength: bounds.nameLettersMax }), Query))
type Query = Static<typeof Query>

/** A column beside the names that helps to tell companies of one name apart. */
const PROPERTIES = [
  { id: 'sted', name: 'Sted', description: 'Poststed eller kommune. Town or municipality.' },
  { id: 'nettsted', name: 'Nettsted', description: 'Foretakets nettsted. Its website.' },
  { id: 'telefon', name: 'Telefon', description: 'Telefonnummer. Telephone number.' },
  { id: 'epost', name: 'E-post', description: 'E-postadresse. E-mail address.' },
] as const
const CLUES: readonly string[] = PROPERTIES.map(({ id }) => id)
const TYPES = [
  { id: 'enhet', name: 'Foretak' },
  { id: 'underenhet', name: 'Underenhet' },
] as const
const SCORE = { sikker: 100, velg: 80, ingen: 40 } as const

/** Whose search it is, and what their address is. */
type Guest = { search: Pick<SearchFront, 'sok' | 'finn' | 'forslag'>; caller: string; address: string }

/**
 * Reconciliation Service API 0.2 (W3C community group), for OpenRefine and its like (P112): a column of names becomes a column of
 * organisation numbers.
 *
 * Such programs can send no header, and a key stands in no address. So `/api/avstemming` answers about invented companies, to
 * everybody; and whoever has a key is given an address of their own, which ends after half a day and with the key, searches, and
 * opens nothing else. Pages of other sites may read these answers, as the specification wants: the address is all there is to
 * know, and no cookie is looked at.
 */
export function avstemmingRoutes(
  app: FastifyInstance,
  {
    search,
    sandbox,
    addresses,
    publicUrl,
  }: {
    search: Guest['search']
    sandbox: { search: Guest['search'] }
    addresses: Pick<KeySessions, 'who'>
    publicUrl: () => string
  },
): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'access-control-allow-origin': '*', 'cache-control': 'private, no-store' })
  })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit: bounds.bodyBytesMax },
    (_request, body: Buffer, done) => done(null, readFormFields(body)),
  )

  const receive = createReceiving(bounds.received, crowded)
  // Whose address it is is known before: a customer's waits among customers' (P168).
  const preParsing = async (request: FastifyRequest, reply: FastifyReply, payload: RequestPayload) => {
    const of = turnNameOf(await guestOf(request), request)
    return (await receive(reply, payload, { of, bytesMax: bounds.bodyBytesMax })).payload
  }

  // No customer waits behind what strangers ask, from however many networks.
  const [ofCustomers, ofStrangers] = [
    createPlaces(bounds.batches, crowded),
    createPlaces(bounds.batches, crowded),
  ]

  async function answerInTurn(guest: Guest, text: unknown, request: FastifyRequest, reply: FastifyReply) {
    const places = guest.caller === publicTestKey.id ? ofStrangers : ofCustomers
    await places.take(reply, turnNameOf(guest, request))
    return answerAll(guest, text, reply)
  }

  function turnNameOf({ caller }: Guest, request: FastifyRequest): string {
    return caller === publicTestKey.id ? networkOf(request.ip) : caller
  }

  async function guestOf(request: FastifyRequest): Promise<Guest> {
    const { merke } = request.params as { merke?: string }
    if (merke === undefined)
      return { search: sandbox.search, caller: publicTestKey.id, address: `${publicUrl()}${AT}` }
    const verdict = await addresses.who(merke)
    if (verdict === null || !verdict.ok) throw new Problem('ukjent_adresse')
    askerIs(verdict.key.right)
    return { search, caller: verdict.key.right, address: `${publicUrl()}${AT}/${merke}` }
  }

  for (const url of [AT, `${AT}/:merke`]) {
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      const guest = await guestOf(request)
      const { queries, ...rest } = request.query as Record<string, unknown>
      if (queries !== undefined) return answerInTurn(guest, queries, request, reply)
      readNothing(rest)
      return manifest(guest, publicUrl())
    })
    app.post(url, { preParsing, schema: { hide: true } }, async (request, reply) => {
      const guest = await guestOf(request)
      if (!(request.body instanceof Map)) throw noBatch()
      return answerInTurn(guest, request.body.get('queries') ?? null, request, reply)
    })
    app.get(`${url}/forslag`, { schema: { hide: true } }, async (request, reply) =>
      suggest(await guestOf(request), request.query as Record<string, unknown>, reply),
    )
    app.get(`${url}/forslag/type`, { schema: { hide: true } }, async (request) => {
      await guestOf(request)
      return among(TYPES, request.query as Record<string, unknown>)
    })
    app.get(`${url}/forslag/egenskap`, { schema: { hide: true } }, async (request) => {
      await guestOf(request)
      return among(PROPERTIES, request.query as Record<string, unknown>)
    })
    app.get(`${url}/visning`, { schema: { hide: true } }, async (request, reply) =>
      preview(await guestOf(request), request.query as Record<string, unknown>, reply),
    )
  }
}

/** The address of one's own, for whoever has shown a key. */
export function avstemmingAddressRoute(
  app: FastifyInstance,
  {
    addresses,
    publicUrl,
    isTest,
    readerKey,
  }: {
    addresses: Pick<KeySessions, 'begin'>
    publicUrl: () => string
    /** A test key has no other address than everybody. */
    isTest: boolean
    readerKey: (request: FastifyRequest) => Parameters<KeySessions['begin']>[0]
  },
): void {
  app.post('/api/avstemming-adresse', { schema: { hide: true } }, async (request, reply) => {
    if (isTest) return { adresse: `${publicUrl()}${AT}`, sekunder: null }
    const { value, seconds } = await addresses.begin(readerKey(request))
    return reply.header('cache-control', 'no-store').send({
      adresse: `${publicUrl()}${AT}/${value}`,
      sekunder: seconds,
    })
  })
}

function manifest({ address, caller }: Guest, publicUrl: string) {
  return {
    versions: ['0.2'],
    name: caller === publicTestKey.id ? 'Bedriftsoppslag (oppdiktede foretak)' : 'Bedriftsoppslag',
    identifierSpace: 'https://data.brreg.no/enhetsregisteret/api/enheter/',
    schemaSpace: `${publicUrl}/dokumentasjon/klienter`,
    documentation: `${publicUrl}/dokumentasjon/klienter`,
    defaultTypes: TYPES,
    view: { url: `${publicUrl}/foretak/{{id}}` },
    preview: { url: `${address}/visning?id={{id}}`, ...PREVIEW },
    suggest: {
      entity: { service_url: address, service_path: '/forslag' },
      type: { service_url: address, service_path: '/forslag/type' },
      property: { service_url: address, service_path: '/forslag/egenskap' },
    },
  }
}

/** Among invented companies, which are at hand, fifty are a tenth of a second: each has its turn, and none is asked for whoever is gone. */
async function answerAll(
  guest: Guest,
  text: unknown,
  reply: FastifyReply,
): Promise<Record<string, { result: object[] }>> {
  const batch = readBatch(text)
  const answers: [string, { result: object[] }][] = []
  const left = batch.entries()
  const hand = async () => {
    for (const [place, [name, query]] of left) {
      await turnOfLoop(reply)
      if (reply.raw.destroyed) return
      answers[place] = [name, { result: await answer(guest, query) }]
    }
  }
  await Promise.all(Array.from({ length: bounds.atOnce }, hand))
  return Object.fromEntries(answers)
}

/** One that can not be asked has no result: it costs the others nothing, and the specification has no other word for it. */
async function answer({ search, caller }: Guest, query: Query): Promise<object[]> {
  const { limit } = query
  const size =
    Number.isInteger(limit) && Number(limit) >= 1
      ? Math.min(Number(limit), bounds.hitsMax)
      : bounds.hitsStandard
  const type = query.type === 'enhet' || query.type === 'underenhet' ? query.type : null
  try {
    const clues = cluesOf(query)
    if (clues !== null) {
      const { visshet, foretak, kandidater } = (await search.finn(readClues(clues), caller)).answer
      const hits = foretak === null ? kandidater : [foretak]
      return told(
        hits.filter((hit) => type === null || hit.type === type),
        visshet,
        size,
      )
    }
    const { q } = readSuggestion({ q: query.query })
    const reading = await search.sok({ q, filters: { ...noFilters, type }, size, after: null }, caller)
    return reading.outcome === 'found' ? told(reading.answer.treff, reading.answer.visshet, size) : []
  } catch (error) {
    if (error instanceof InputError) return []
    throw error
  }
}

function cluesOf({ query, properties = [] }: Query): Record<string, string> | null {
  const known = properties.flatMap(({ pid, v }) =>
    CLUES.includes(pid) && typeof v === 'string' && v.trim() !== '' ? [[pid, v]] : [],
  )
  return known.length === 0 ? null : { ...Object.fromEntries(known), navn: query }
}

/** A score says the order, and how sure the first is; it is not to be reckoned with. */
function told(hits: readonly Treff[], visshet: keyof typeof SCORE, size: number): object[] {
  return hits.slice(0, size).map((hit, place) => ({
    id: hit.organisasjonsnummer,
    name: hit.navn ?? hit.organisasjonsnummer,
    description: descriptionOf(hit.organisasjonsform?.kode, hit.poststed ?? hit.kommune?.navn),
    type: TYPES.filter(({ id }) => id === hit.type),
    score: Math.max(1, (place === 0 ? SCORE[visshet] : Math.min(SCORE[visshet], SCORE.velg)) - 5 * place),
    match: visshet === 'sikker' && place === 0,
  }))
}

/** Of a short list that is ours: what begins so, in either of its names. */
function among(
  list: readonly { id: string; name: string; description?: string }[],
  given: Record<string, unknown>,
): { result: object[] } {
  const { prefix, isFirst } = readPrefix(given)
  const begun = prefix.trim().toLowerCase()
  const isMeant = ({ id, name }: { id: string; name: string }) =>
    [id, name].some((word) => word.toLowerCase().startsWith(begun))
  return { result: isFirst ? list.filter(isMeant) : [] }
}

/** In CSS pixels, as the specification has it. */
const PREVIEW = { width: 400, height: 140 }

/**
 * A few lines about one company, shown in a frame of the program that reconciles. Found as any search finds it, and nothing is
 * loaded into it: what a company calls itself is text.
 */
async function preview(
  { search, caller }: Guest,
  given: Record<string, unknown>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id } = given
  if (typeof id !== 'string' || !/^[0-9]{9}$/.test(id)) {
    throw refused('id', 'id er et organisasjonsnummer.', 'id is an organisation number.')
  }
  const reading = await search.sok({ q: id, filters: noFilters, size: 1, after: null }, caller)
  const hit = reading.outcome === 'found' ? reading.answer.treff[0] : undefined
  if (hit?.organisasjonsnummer !== id) throw new Problem('ukjent_organisasjonsnummer')
  const { navn, organisasjonsform, poststed, kommune, naeringskode } = hit
  const lines = [
    descriptionOf(organisasjonsform?.beskrivelse ?? organisasjonsform?.kode, poststed ?? kommune?.navn),
    naeringskode?.beskrivelse ?? '',
  ].filter((line) => line !== '')
  return reply
    .headers({
      'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors *",
      'referrer-policy': 'no-referrer',
    })
    .type('text/html; charset=utf-8')
    .send(
      plainLines(
        html`<!doctype html><html lang="nb"><meta charset="utf-8"><title>${navn ?? id}</title><p><strong>${navn ?? id}</strong> ${id}</p>!${lines.map((line) => html`<p>${line}</p>`)}</html>`,
      ),
    )
}

function readPrefix({ prefix, cursor = '0' }: Record<string, unknown>): { prefix: string; isFirst: boolean } {
  if (typeof prefix !== 'string' || typeof cursor !== 'string' || !/^[0-9]{1,4}$/.test(cursor)) {
    throw refused('prefix', 'prefix er begynnelsen av et navn.', 'prefix is the beginning of a name.')
  }
  return { prefix, isFirst: Number(cursor) === 0 }
}

async function suggest({ search, caller }: Guest, given: Record<string, unknown>, reply: FastifyReply) {
  const { prefix, isFirst } = readPrefix(given)
  reply.header('vary', 'Accept-Encoding')
  // All there are come at once.
  if (!isFirst) return { result: [] }
  const { q, size } = readSuggestion({ q: prefix })
  const { answer: found } = await search.forslag(q, size, caller)
  return {
    result: found.treff.map(({ organisasjonsnummer, navn, sted, form }) => ({
      id: organisasjonsnummer,
      name: navn ?? organisasjonsnummer,
      description: descriptionOf(form, sted),
    })),
  }
}

function descriptionOf(...parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string').join(', ')
}

function readBatch(text: unknown): [string, Query][] {
  let batch: unknown
  try {
    batch = typeof text === 'string' ? JSON.parse(text) : null
  } catch {
    throw noBatch()
  }
  if (!isBatch.Check(batch) || Array.isArray(batch)) throw noBatch()
  const queries = Object.entries(batch)
  if (queries.length > bounds.queriesMax) {
    throw refused(
      'queries',
      `Høyst ${bounds.queriesMax} spørsmål om gangen.`,
      `At most ${bounds.queriesMax} queries at a time.`,
    )
  }
  return queries
}

function noBatch(): InputError {
  return refused(
    'queries',
    'queries er JSON slik Reconciliation Service API 0.2 har det: {"q0": {"query": "…"}}.',
    'queries is JSON as the Reconciliation Service API 0.2 has it: {"q0": {"query": "…"}}.',
  )
}

function refused(parameter: string, norsk: string, english: string): InputError {
  return new InputError('ugyldig_parameter', parameter, { norsk, english })
}

import { MIMEType } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify'
import { policy } from '#config/policy.ts'
import { madeAsOfNow } from '#src/core/made-as-of-now.ts'
import { createTurns } from '#src/core/turns.ts'
import { untilAborted } from '#src/core/wait.ts'
import { readFormFields } from '../../http/form-fields.ts'
import { turnOfLoop } from '../../http/loop-turn.ts'
import { createReceiving } from '../../http/received.ts'
import { csvOf } from '../../http/sheets/csv.ts'
import { WORKBOOK_TYPE } from '../../http/sheets/workbook.ts'
import { whenOver } from '../../http/when-over.ts'
import { PageFailure } from '../failures.ts'
import { type AskedLine, type FoundLine, findLines } from '../list/find-lines.ts'
import { listPage } from '../list/list-page.ts'
import { listTable } from '../list/list-table.ts'
import { readTypedLines, textOfFile } from '../list/read-lines.ts'
import { checkFormToken, formToken } from '../lookup/form-token.ts'
import { type Guest, guestOf, turnNameOf } from '../lookup/guest.ts'
import { cleanName, isLikeKey } from '../lookup/read-query.ts'
import { workbookFor } from '../lookup/workbook-for.ts'
import type { PageTools } from '../page-tools.ts'
import { type Visitor, visitorOf } from '../visitor.ts'

const { listLinesMax, listBytesMax, listsReceived, listsAtOnce, listWaitMs, listLinesAtOnce } = policy.pages
const PATH = '/liste'

/**
 * A list of one's own: many numbers or names at once. Nothing of it is kept here: what was found goes back and forth in the
 * form. Forms are larger here than elsewhere, so this is a scope of its own.
 */
export async function listeRoutes(
  app: FastifyInstance,
  { lookup, samples, send, attempt }: PageTools,
): Promise<void> {
  // No customer waits behind what strangers send, from however many networks.
  const [ofCustomers, ofStrangers] = [createPlaces(), createPlaces()]
  const placesOf = ({ key }: Guest) => (key === null ? ofStrangers : ofCustomers)
  app.removeContentTypeParser('application/x-www-form-urlencoded')
  app.addContentTypeParser(
    ['application/x-www-form-urlencoded', 'multipart/form-data'],
    { parseAs: 'buffer', bodyLimit: listBytesMax },
    async (request: FastifyRequest, body: Buffer) => readForm(request, body),
  )

  app.get(PATH, { schema: { hide: true } }, async (request, reply) => {
    const visitor = visitorOf(request, PATH)
    const guest = await guestOf(lookup.sessions, request, reply)
    return show(request, reply, visitor, { guest, found: null, leftOut: 0 })
  })

  // Before it is read: what is not all there yet is held, whoever sends it and however slowly. Until it is answered, besides.
  const preParsing = async (request: FastifyRequest, reply: FastifyReply, payload: RequestPayload) => {
    const guest = await guestOf(lookup.sessions, request, reply)
    const of = turnNameOf(guest, request)
    return (await placesOf(guest).receive(reply, payload, { of, bytesMax: listBytesMax })).payload
  }
  app.post(PATH, { preParsing, schema: { hide: true } }, async (request, reply) => {
    const visitor = visitorOf(request, PATH)
    // Without a body there is no form, and so no token in it.
    const form: Form = request.body instanceof Map ? request.body : new Map()
    checkFormToken(request, textOf(form, 'skjema'))
    const guest = await guestOf(lookup.sessions, request, reply)
    if (guest.key === null) attempt('liste', request.ip)
    const { lines, leftOut } = await askedOf(form)
    const wanted = textOf(form, 'gjor')
    // Who was removed since their line was looked up is not told of (P11).
    const made = await madeAsOfNow(lookup.many.erased, async (named) => {
      const found = await inTurns(guest, request, reply, lines)
      for (const { chosen, candidates } of found)
        for (const each of chosen === null ? candidates : [chosen, ...candidates])
          for (const orgnr of [each.organisasjonsnummer, each.overordnetEnhet])
            if (orgnr !== null) named.add(orgnr)
      const file = await fileOf(found, wanted)
      // What takes its time is told to whoever may read when it is told (P150).
      if (guest.key !== null) return { found, file, now: await guestOf(lookup.sessions, request, reply) }
      // Lists that began together go on line by line, and end together.
      await turnOfLoop(reply)
      return { found, file, now: guest }
    })
    if (made === null) throw crowded()
    const { found, file, now } = made
    if (guest.key !== null && now.key === null)
      return show(request, reply, visitor, { guest: now, found: null, leftOut: 0 })
    if (file === null) return show(request, reply, visitor, { guest, found, leftOut })
    return reply
      .headers({
        'cache-control': 'private, no-store',
        'content-disposition': `attachment; filename="foretak.${wanted}"`,
      })
      .type(wanted === 'xlsx' ? WORKBOOK_TYPE : 'text/csv; charset=utf-8')
      .send(file)

    async function fileOf(found: readonly FoundLine[], wanted: string): Promise<Buffer | null> {
      if (wanted !== 'xlsx' && wanted !== 'csv') return null
      const sheet = listTable(found, visitor.language)
      return wanted === 'xlsx' ? workbookFor(guest, request, [sheet]) : csvOf(sheet)
    }
  })

  /**
   * The page is packed, and the token in it is no way in: nobody but this browser can have it made (SameSite, and the token of
   * the form it is the answer to), so its length tells nobody anything.
   */
  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    visitor: Visitor,
    shown: { guest: Guest; found: readonly FoundLine[] | null; leftOut: number },
  ): Promise<FastifyReply> {
    const page = listPage({ ...shown, token: formToken(request, reply), linesMax: listLinesMax }, visitor)
    return send.fresh(request, reply, page, visitor)
  }

  /**
   * Keys, and networks without one, have equal turns of a line each: hundreds that take long to find are nobody's only work, and
   * another's short list comes between, and the lines of all of them take no more of a turn of the event loop than all else does. For
   * whoever is gone no more of theirs is looked up.
   */
  async function inTurns(
    guest: Guest,
    request: FastifyRequest,
    reply: FastifyReply,
    lines: readonly AskedLine[],
  ): Promise<FoundLine[]> {
    const of = turnNameOf(guest, request)
    const search = guest.key === null ? samples.search : lookup.search
    const { lists, turns } = placesOf(guest)
    // Nothing is sent meanwhile: that is no client that has fallen silent (P99).
    request.raw.socket.setTimeout?.(policy.many.silenceMs)
    const gone = new AbortController()
    whenOver(reply, () => gone.abort())
    const finn: typeof search.finn = (clues, caller) => {
      const look = async () => {
        const turn = turnOfLoop(reply)
        // It never comes for whoever is gone, whose places here are others' then.
        if (turn !== null) await untilAborted(turn, gone.signal)
        return search.finn(clues, caller)
      }
      return turns.run({ of, rank: 0 }, look, gone.signal)
    }
    let isBegun = false
    const work = () => {
      isBegun = true
      return findLines(lines, { finn }, guest.key?.right ?? '')
    }
    const patience = AbortSignal.any([gone.signal, AbortSignal.timeout(listWaitMs)])
    try {
      return await lists.run({ of, rank: 0 }, work, patience)
    } catch (error) {
      if (isBegun && !gone.signal.aborted) throw error
      throw crowded(lists.isForOwn(of, error))
    }
  }
}

/** Of lists that are received, of those that are looked up, and of their lines. */
function createPlaces() {
  return {
    receive: createReceiving(listsReceived, crowded),
    lists: createTurns(listsAtOnce),
    turns: createTurns({ atOnce: listLinesAtOnce, atOnceForOne: 1, waitingMax: listsAtOnce.atOnce }),
  }
}

function crowded(isOwn = false): PageFailure {
  return new PageFailure('trangt', { retryAfterSeconds: 5, isOwn })
}

type Form = ReadonlyMap<string, string | File>

/**
 * Counted before it is taken apart: half a megabyte may be a quarter of a million fields, of which no page of ours sends more
 * than three for each line (P99), and parts whose heads are all of it, which take a second (P169).
 *
 * @throws PageFailure `skjema` for what no browser sends
 */
async function readForm(request: FastifyRequest, body: Buffer): Promise<Form> {
  try {
    const type = new MIMEType(request.headers['content-type'] ?? '')
    if (type.essence !== 'multipart/form-data') {
      if (isThereOftener(FIELDS_MAX, body, '&')) throw new PageFailure('skjema')
      return readFormFields(body)
    }
    if (!isOfFewParts(body, `--${type.params.get('boundary')}`)) throw new PageFailure('skjema')
    // As it was read here: whoever takes it apart is to find the same parts.
    const headers = { 'content-type': String(type) }
    return new Map(await new Response(new Uint8Array(body), { headers }).formData())
  } catch {
    throw new PageFailure('skjema')
  }
}

/** Three of each line, and a handful besides. */
const FIELDS_MAX = 3 * listLinesMax + 20

function isThereOftener(most: number, body: Buffer, text: string): boolean {
  let count = 0
  for (let at = body.indexOf(text); at !== -1 && count <= most; at = body.indexOf(text, at + text.length)) {
    count += 1
  }
  return count > most
}

/** Of the only form of ours that has a file: four, each of a line or two and a name. */
function isOfFewParts(body: Buffer, boundary: string): boolean {
  let parts = 0
  for (let at = body.indexOf(boundary); at !== -1; at = body.indexOf(boundary, at + boundary.length)) {
    parts += 1
    const end = body.indexOf('\r\n\r\n', at)
    const head = body.subarray(at, end === -1 ? body.length : end)
    if (parts > PARTS_MAX || head.length > PART_HEAD_BYTES_MAX) return false
    if (isThereOftener(PART_HEAD_LINES_MAX, head, '\r\n')) return false
  }
  return true
}

const PARTS_MAX = 20
const PART_HEAD_BYTES_MAX = 2048
const PART_HEAD_LINES_MAX = 5

function textOf(form: Form, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

/**
 * The lines that were given for the first time, or those that come back with what was corrected and chosen.
 *
 * @throws PageFailure `nokkel_i_listen` for a key among them, which is to be in no list that is taken home
 */
async function askedOf(form: Form): Promise<{ lines: AskedLine[]; leftOut: number }> {
  const count = textOf(form, 'antall')
  if (!/^[0-9]{1,3}$/.test(count)) return given(form)
  const lines = returned(form, Number(count))
  if (lines.some((line) => isLikeKey(line.given))) throw new PageFailure('nokkel_i_listen')
  return { lines, leftOut: 0 }
}

function returned(form: Form, count: number): AskedLine[] {
  return Array.from({ length: Math.min(count, listLinesMax) }, (_, index) => ({
    given: cleanName(textOf(form, `g${index}`)),
    place: cleanName(textOf(form, `s${index}`)) || null,
    choice: textOf(form, `v${index}`) || null,
  }))
}

async function given(form: Form): Promise<{ lines: AskedLine[]; leftOut: number }> {
  const file = form.get('fil')
  const ofFile = file instanceof File ? textOfFile(new Uint8Array(await file.arrayBuffer())) : ''
  const typed = textOf(form, 'linjer')
  if (isLikeKey(typed) || isLikeKey(ofFile)) throw new PageFailure('nokkel_i_listen')
  const first = readTypedLines(typed, listLinesMax)
  const others = readTypedLines(ofFile, listLinesMax - first.lines.length)
  return {
    lines: [...first.lines, ...others.lines].map((line) => ({ ...line, choice: null })),
    leftOut: first.leftOut + others.leftOut,
  }
}

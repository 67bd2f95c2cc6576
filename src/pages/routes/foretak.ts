import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { madeAsOfNow } from '#src/core/made-as-of-now.ts'
import { findOrganisasjonsnummer, type Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { companyNumbersIn } from '#src/record/person-ids.ts'
import type { Bedrift } from '#src/record/record.ts'
import { type SampleNumber, sampleNumbers } from '#src/samples/numbers.ts'
import { isNotToBeHad, isOfWhatItKeeps } from '#src/storage/database.ts'
import { turnOfLoop } from '../../http/loop-turn.ts'
import { believedSeconds } from '../../http/plugins/problem-answers.ts'
import { csvOfAll } from '../../http/sheets/csv.ts'
import { WORKBOOK_TYPE } from '../../http/sheets/workbook.ts'
import { PageFailure } from '../failures.ts'
import { removedPage, unknownCompanyPage } from '../lookup/absent-pages.ts'
import { companyPage } from '../lookup/company-page.ts'
import { formToken } from '../lookup/form-token.ts'
import { type Guest, guestOf, NOBODY } from '../lookup/guest.ts'
import { enterPage } from '../lookup/key-pages.ts'
import { workbookFor } from '../lookup/workbook-for.ts'
import type { PageTools } from '../page-tools.ts'
import { orgnrText } from '../record-view/wording.ts'
import { companyTables } from '../take-home/company-tables.ts'
import { textFormOf } from '../take-home/text.ts'
import { type Visitor, visitorOf } from '../visitor.ts'
import type { Watching } from '../watching/watch-form.ts'

type Asked = { Params: { orgnr: string } }
type Seen = { record: Bedrift; isInvented: boolean }

/**
 * One company for people, and as something to take home. Invented ones are open to all; others need a session. Where the registers
 * know the invented ones too, whoever has a session sees them as any other, and can watch them.
 */
export function foretakRoutes(app: FastifyInstance, { lookup, samples, send, strangers }: PageTools): void {
  const hidden = { schema: { hide: true } }

  app.get<Asked>('/foretak/:orgnr', hidden, async (request, reply) => {
    const orgnr = numberOf(request.params.orgnr)
    const path = `/foretak/${orgnr}`
    const visitor = visitorOf(request, path)
    const linkTo = (other: string) => linkOf(other, isSample(orgnr), visitor)
    const guest = await guestAt(orgnr, request, reply)
    if (isSample(orgnr) && guest.key === null) {
      const reading = await samples.read(orgnr)
      if (reading.outcome === 'record') {
        const { record } = reading
        return send.common(request, reply, path, visitor, {
          edition: samples.edition(),
          content: () => companyPage({ record, isInvented: true, linkTo }, visitor),
        })
      }
    }
    // In a page that is packed: nobody but this browser can have it made, so its length tells nobody anything of the token.
    const watching = await watchingOf(orgnr, guest, request, reply)
    const seen = await see(orgnr, guest, request, reply, visitor)
    if (seen === null) return reply
    return send.fresh(request, reply, companyPage({ ...seen, guest, watching, linkTo }, visitor), visitor)
  })

  app.get<Asked>('/foretak/:orgnr/json', hidden, async (request, reply) =>
    taken(request, reply, 'json', async ({ record }) => [
      'application/json; charset=utf-8',
      `${JSON.stringify(record, null, 2)}\n`,
    ]),
  )
  app.get<Asked>('/foretak/:orgnr/csv', hidden, async (request, reply) =>
    taken(request, reply, 'csv', async ({ record }, { language }) => [
      'text/csv; charset=utf-8',
      csvOfAll(companyTables(record, language)),
    ]),
  )
  app.get<Asked>('/foretak/:orgnr/xlsx', hidden, async (request, reply) =>
    taken(request, reply, 'xlsx', async ({ record, guest }, { language }) => [
      WORKBOOK_TYPE,
      await workbookFor(guest, request, companyTables(record, language)),
    ]),
  )
  app.get<Asked>('/foretak/:orgnr/tekst', hidden, async (request, reply) =>
    taken(request, reply, null, async ({ record }, { language }) => [
      'text/plain; charset=utf-8',
      textFormOf(companyTables(record, language), language),
    ]),
  )

  async function watchingOf(
    orgnr: string,
    { key }: Guest,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Watching | 'unknown' | null> {
    if (key === null) return null
    const { watches, watcherOf } = lookup.changes
    try {
      const watcher = await watcherOf(key)
      const [watch, canBeMailed] = await Promise.all([
        watches.find(watcher, orgnr),
        watches.canBeMailed(watcher),
      ])
      const covered = watch === null ? [] : await watches.coverage(watcher, watch)
      // The archive is our own, and has nothing of most companies.
      const waiting = covered.filter(
        ({ source, from, expected }) => source !== 'aksjonaerer' && (from === null || expected !== null),
      )
      return { token: formToken(request, reply), watch, canBeMailed, waiting }
    } catch (error) {
      if (!isNotToBeHad(error)) throw error
      // The company is shown all the same.
      if (isOfWhatItKeeps(error)) request.log.warn({ err: error }, 'a watch can not be read')
      return 'unknown'
    }
  }

  /** @param ending of the file's name; null is shown, and not saved */
  async function taken(
    request: FastifyRequest<Asked>,
    reply: FastifyReply,
    ending: string | null,
    write: (
      seen: Seen & { guest: Guest },
      visitor: Visitor,
    ) => Promise<[type: string, content: Buffer | string]>,
  ): Promise<FastifyReply> {
    const orgnr = numberOf(request.params.orgnr)
    const visitor = visitorOf(request, `/foretak/${orgnr}`)
    const guest = await guestAt(orgnr, request, reply)
    // A workbook is written in its turn: who was removed meanwhile is not told of (P11).
    const made = await madeAsOfNow(lookup.many.erased, async (named) => {
      const seen = await see(orgnr, guest, request, reply, visitor)
      if (seen === null) return 'answered'
      for (const each of companyNumbersIn(seen.record)) named.add(each)
      if (guest.key === null) strangers.take('ta med', request.ip)
      return write({ ...seen, guest }, visitor)
    })
    if (made === 'answered') return reply
    if (made === null) throw new PageFailure('trangt', { retryAfterSeconds: 5 })
    const [type, content] = made
    if (ending !== null)
      reply.header('content-disposition', `attachment; filename="foretak-${orgnr}.${ending}"`)
    return reply.header('cache-control', 'private, no-store').type(type).send(content)
  }

  /** Who asks for it. An invented one is open to all, also while nobody can be known by a session. */
  async function guestAt(
    orgnr: Organisasjonsnummer,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Guest> {
    if (!isSample(orgnr)) return guestOf(lookup.sessions, request, reply)
    if (!samples.areRegistered) return NOBODY
    try {
      return await guestOf(lookup.sessions, request, reply)
    } catch (error) {
      if (error instanceof PageFailure || isNotToBeHad(error)) return NOBODY
      throw error
    }
  }

  /**
   * The record this visitor may see, when it is the turn of what is made of it; null when something else was answered in its place.
   * Nothing is to be waited for after it: hundreds of them are a hundred megabytes.
   */
  async function see(
    orgnr: Organisasjonsnummer,
    guest: Guest,
    request: FastifyRequest,
    reply: FastifyReply,
    visitor: Visitor,
  ): Promise<Seen | null> {
    const isInvented = isSample(orgnr)
    if (isInvented && guest.key === null) {
      const reading = await samples.read(orgnr)
      await turnOfLoop(reply)
      if (reading.outcome === 'record') return { record: reading.record, isInvented }
      if (reading.outcome === 'removed') {
        await send.fresh(request, reply, removedPage({ ...reading, orgnr }, visitor), visitor, {
          status: 410,
        })
        return null
      }
      throw new PageFailure('ukjent')
    }
    if (guest.key === null) {
      // RFC 9110, 15.5.2: a 401 says how one comes in. No browser asks for a bearer key, so it shows the page.
      const token = formToken(request, reply)
      const page = enterPage(
        { token, leadsTo: visitor.at(`/foretak/${orgnr}`), fault: null, wanted: orgnrText(orgnr) },
        visitor,
      )
      await send.own(reply, page, visitor, {
        status: 401,
        headers: { 'www-authenticate': 'Bearer realm="bedriftsoppslag"' },
      })
      return null
    }
    const reading = await lookup.reader.read(orgnr, { fersk: false, caller: guest.key.right })
    await turnOfLoop(reply)
    switch (reading.outcome) {
      case 'record':
        request.came = reading.came
        return { record: JSON.parse(reading.answer.bytes.toString()) as Bedrift, isInvented }
      case 'unknown':
        await send.fresh(request, reply, unknownCompanyPage(orgnr, visitor), visitor, { status: 404 })
        return null
      case 'removed':
        await send.fresh(request, reply, removedPage({ ...reading, orgnr }, visitor), visitor, {
          status: 410,
        })
        return null
      case 'unavailable':
        throw new PageFailure('register', {
          retryAfterSeconds: believedSeconds(reading.retryAfterSeconds),
        })
      case 'crowded':
        throw new PageFailure('trangt', { retryAfterSeconds: 5, isOwn: reading.isOwn })
    }
  }
}

/** @throws PageFailure `ugyldig_nummer` */
function numberOf(text: string): Organisasjonsnummer {
  const orgnr = findOrganisasjonsnummer(text)
  if (orgnr === null) throw new PageFailure('ugyldig_nummer')
  return orgnr
}

function isSample(orgnr: string): orgnr is SampleNumber & Organisasjonsnummer {
  return sampleNumbers.some((each) => each === orgnr)
}

/** From an invented company only to others: whoever is shown it may not have a key. */
function linkOf(orgnr: string, isFromInvented: boolean, { at }: Visitor): string | null {
  if (isFromInvented && !isSample(orgnr)) return null
  return /^[0-9]{9}$/.test(orgnr) ? at(`/foretak/${orgnr}`) : null
}

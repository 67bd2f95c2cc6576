import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { policy } from '#config/policy.ts'
import type { ChangeLog } from '#src/changes/change-log.ts'
import { createHistory, Historikk } from '#src/changes/history.ts'
import { madeAsOfNow } from '#src/core/made-as-of-now.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Change } from '#src/storage/changes/change-log.ts'
import { madeInTurns, turnOfLoop } from '../../http/loop-turn.ts'
import { createPlaces } from '../../http/places.ts'
import { ofWhom } from '../of-whom.ts'
import { keyHeaders, OrgnrParameter, problemResponses } from '../schemas.ts'
import { JSON_TYPE } from '../tagged.ts'
import { type CompanyAnswerer, crowded, problemOf } from './bedrift.ts'

/** What a company was, and between which two looks it came to be otherwise. From the change log alone. */
export function historikkRoute(
  app: FastifyInstance,
  {
    changes: { log },
    reader,
    isTest,
  }: { changes: { log: ChangeLog }; reader: Pick<CompanyAnswerer, 'readPart'>; isTest: boolean },
): void {
  const places = createPlaces(histories, crowded)
  app.get<{ Params: { orgnr: string } }>(
    '/api/bedrift/:orgnr/historikk',
    {
      schema: {
        operationId: 'hentHistorikk',
        tags: ['endringer'],
        summary:
          'Det foretaket har vært, slik tjenesten har sett det / what a company has been, as the service has seen it',
        description:
          'Navn, adresser, status, kapital, næring og hvem som kom og gikk i rollene, hver med de to gangene det ble sett på det skjedde imellom. ' +
          'Bare det tjenesten har sett endre seg står her; det som ikke er sett på, er ikke her.',
        params: Type.Object({ orgnr: OrgnrParameter }),
        response: {
          200: {
            description: 'Nyest først i hver del.',
            headers: keyHeaders,
            content: { 'application/json': { schema: Historikk } },
          },
          ...problemResponses(400, 401, 404, 406, 410, 414, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const orgnr = parseOrganisasjonsnummer(request.params.orgnr)
      const who = { fersk: false, caller: ofWhom(request) }
      const reading = await reader.readPart(orgnr, ['navn'], who)
      if (reading.outcome === 'unknown' || reading.outcome === 'removed') throw problemOf(reading)
      await places.take(reply, who.caller)
      const found: Change[] = []
      let before: number | null = null
      let hasMore = true
      // A page at a time, with others in between: to read two thousand takes as long as several turns of the event loop.
      for (let looked = 0; hasMore && looked < historyMax; looked += sizeMax) {
        const page = await log.ofCompany(orgnr, { prove: isTest, before, size: sizeMax })
        found.push(...page.changes)
        before = page.last?.nr ?? null
        hasMore = page.last !== null
        await turnOfLoop(reply)
      }
      // Who was removed since the first page was read is not told of.
      const tellable = () => log.tellable(found)
      const history = await madeAsOfNow(
        () => String(tellable().length),
        async () => {
          const changes = tellable()
          // That it is a company can not be said now; what was seen of one says it.
          if (reading.outcome !== 'record' && changes.length === 0) throw problemOf(reading)
          const history = createHistory(orgnr)
          await madeInTurns(reply, changes.reverse(), history.follow)
          return history
        },
      )
      if (history === null) throw crowded()
      reply.header('cache-control', 'private, no-store')
      return reply.type(JSON_TYPE).send(JSON.stringify(history.told(hasMore)))
    },
  )
}

const { histories, historyMax, sizeMax } = policy.changeLog

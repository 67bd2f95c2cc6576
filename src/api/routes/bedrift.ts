import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { policy } from '#config/policy.ts'
import type { Answers, WholeAnswer } from '#src/cache/answers.ts'
import { ownLine } from '#src/core/asker.ts'
import type { Clock } from '#src/core/clock.ts'
import { InputError } from '#src/core/errors.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { CompanyReader } from '#src/record/company-reader.ts'
import type { CompanyReading, Lacking } from '#src/record/company-reading.ts'
import { listIn, sectionFields } from '#src/record/fields.ts'
import { Bedrift } from '#src/record/record.ts'
import { exactly, orNull } from '#src/record/shape.ts'
import { Kilde } from '#src/record/state.ts'
import { turnOfLoop } from '../../http/loop-turn.ts'
import { languageOf } from '../../http/negotiation.ts'
import { registerUnavailable } from '../../http/plugins/problem-answers.ts'
import { Problem } from '../../http/problem.ts'
import { nextPage } from '../answer-craft.ts'
import { answerInForm } from '../answer-head.ts'
import { ofWhom } from '../of-whom.ts'
import { englishOf, PACKED_ONCE } from '../own-language.ts'
import { holderBounds, readCompanyQuestion, readFersk, readListPage } from '../query.ts'
import { notModified, OrgnrParameter, pageHeaders, problemResponses, taggedHeaders } from '../schemas.ts'

type CompanyRequest = FastifyRequest<{ Params: { orgnr: string } }>

const Fersk = Type.Boolean({
  description:
    'true: vent på kildene, også når en fersk kopi finnes. Høyst én gang per foretak og minutt; ' +
    'headeren x-fersk sier om det ble gitt, eller nylig eller budsjett.',
})

export const Felt = Type.String({
  description:
    'Bare disse feltene av foretaket, med komma mellom: bare kildene de trenger blir spurt. organisasjonsnummer, ' +
    'komplett og kilder følger alltid med.',
  maxLength: 2000,
  examples: ['navn,status,roller'],
})

export const waitHeaders = {
  age: Type.Integer({ description: 'Sekunder siden det eldste av svaret ble hentet.' }),
  'retry-after': Type.Integer({
    description:
      'Bare når noe er utilgjengelig nå og kan finnes senere: sekunder til det er verdt å spørre igjen.',
  }),
  'x-ko': Type.Integer({
    minimum: 0,
    description: 'Bare når svaret ikke var for hånden: oppslag som ventet på tur da.',
  }),
}

/** Whoever reads companies: for the route an answer is bytes and a head, held or made for this one. */
export type CompanyAnswerer = Pick<CompanyReader, 'readPart' | 'waiting'> & {
  read(...asked: Parameters<CompanyReader['read']>): Promise<CompanyReading<WholeAnswer>>
}

/** One company: whole, some of its fields, or one section. The number is checked before anything is asked of anyone. */
export function bedriftRoute(
  app: FastifyInstance,
  {
    reader,
    answers,
    clock,
    isTest,
  }: {
    reader: CompanyAnswerer
    answers: Pick<Answers, 'encoded'>
    clock: Clock
    /** Of invented companies, each who asks has a record of their own. */
    isTest: boolean
  },
): void {
  app.get<{ Params: { orgnr: string } }>(
    '/api/bedrift/:orgnr',
    {
      schema: {
        operationId: 'hentBedrift',
        tags: ['bedrift'],
        summary: 'Ett foretak / one company',
        params: Type.Object({ orgnr: OrgnrParameter }),
        querystring: Type.Object(
          { felt: Type.Optional(Felt), fersk: Type.Optional(Fersk) },
          { additionalProperties: false },
        ),
        response: {
          200: {
            description: 'Foretaket; med felt bare de feltene og de som alltid følger med.',
            headers: { ...taggedHeaders, ...waitHeaders },
            content: { 'application/json': { schema: Bedrift } },
          },
          304: notModified,
          ...problemResponses(400, 401, 404, 406, 410, 414, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const { fersk, fields } = readCompanyQuestion(request.query)
      const orgnr = parseOrganisasjonsnummer(request.params.orgnr)
      const caller = ofWhom(request)
      if (fields !== null)
        return send((fersk) => reader.readPart(orgnr, fields, { fersk, caller }), fersk, request, reply)
      return send((fersk) => reader.read(orgnr, { fersk, caller }), fersk, request, reply)
    },
  )

  for (const section of ownAddresses) {
    const isListed = listIn(section) !== null
    app.get<{ Params: { orgnr: string } }>(
      `/api/bedrift/:orgnr/${section}`,
      {
        schema: {
          operationId: `hent${section.charAt(0).toUpperCase()}${section.slice(1)}`,
          tags: ['bedrift'],
          summary: `Ett foretak: ${section} / one company: ${section}`,
          params: Type.Object({ orgnr: OrgnrParameter }),
          querystring: Type.Object(
            { ...(isListed ? pageParameters : {}), fersk: Type.Optional(Fersk) },
            { additionalProperties: false },
          ),
          response: {
            200: {
              description: isListed ? 'En side.' : `Det samme som felt=${section}.`,
              headers: { ...(isListed ? pageHeaders : taggedHeaders), ...waitHeaders },
              content: { 'application/json': { schema: sectionAnswer(section) } },
            },
            304: notModified,
            ...problemResponses(400, 401, 404, 406, 410, 414, 429, 500, 503),
          },
        },
      },
      async (request, reply) => {
        const caller = ofWhom(request)
        if (!isListed) {
          const { fersk } = readFersk(request.query)
          const orgnr = parseOrganisasjonsnummer(request.params.orgnr)
          return send((fersk) => reader.readPart(orgnr, [section], { fersk, caller }), fersk, request, reply)
        }
        const { etter, size, fersk } = readListPage(request.query)
        const orgnr = parseOrganisasjonsnummer(request.params.orgnr)
        if (etter !== null && (etter.orgnr !== orgnr || etter.section !== section)) throw notThisList()
        const page = { section, after: etter?.after ?? null, size }
        return send(
          (fersk) => reader.readPart(orgnr, [section], { fersk, caller, page }),
          fersk,
          request,
          reply,
        )
      },
    )
  }

  async function send<A extends WholeAnswer & { neste?: string | null }>(
    read: (fersk: boolean) => Promise<CompanyReading<A>>,
    fersk: boolean,
    request: CompanyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const begunAtMs = performance.now()
    request.ownLine = ownLine()
    let reading: CompanyReading<A> | null = await read(fersk)
    const isHadSoon = isTest || performance.now() - begunAtMs < HAD_SOON_MS
    const { forced } = reading
    if (forced !== null) reply.header('x-fersk', forced)
    const isEnglish = languageOf(request.headers['accept-language']) === 'en'
    const turn = isEnglish && reading.outcome === 'record' ? turnOfLoop(reply) : null
    if (turn !== null) {
      // It waits without what was read, which is at hand then: of ten thousand requests it is hundreds of megabytes. Not without what was
      // waited for at a source: few do at a time, and one that did not answer would be asked, and waited for, once more.
      if (isHadSoon) reading = null
      await turn
      reading ??= await read(false)
    }
    if (reading.outcome !== 'record') throw problemOf(reading)
    const { came, lacking } = reading
    nextPage(reply, request.url, reading.answer.neste ?? null)
    const answer = isEnglish ? englishOf(reading.answer) : reading.answer
    request.came = came
    if (came.by !== 'hit') reply.header('x-ko', reader.waiting())
    const again = askAgainSeconds(lacking)
    if (again !== null) reply.header('retry-after', again)
    const { head, bytes } = answerInForm(answer, {
      orgnr: parseOrganisasjonsnummer(request.params.orgnr),
      came,
      answers: isEnglish ? PACKED_ONCE : answers,
      acceptEncoding: request.headers['accept-encoding'] as string | undefined,
      ifNoneMatch: request.headers['if-none-match'],
      now: clock.now().getTime(),
    })
    reply.code(head.status)
    for (const headers of [head.constant, head.own]) {
      for (let index = 0; index + 1 < headers.length; index += 2)
        reply.header(headers[index] ?? '', headers[index + 1])
    }
    return reply.send(bytes === null ? undefined : await bytes)
  }
}

/** No source was waited for that hangs. */
const HAD_SOON_MS = 250

/** Nothing was found out, and it is worth asking again. */
export function crowded(isOwn = false): Problem {
  return new Problem('for_mange_oppslag', {
    isOwn,
    headers: { 'retry-after': String(policy.readings.askAgainSeconds.turn) },
  })
}

/** When what is missing may be there; null when nothing is. */
export function askAgainSeconds(lacking: Lacking): number | null {
  return lacking === null ? null : policy.readings.askAgainSeconds[lacking]
}

/** Why there is no record, as the catalogue of problems has it. */
export function problemOf(reading: Exclude<CompanyReading<WholeAnswer>, { outcome: 'record' }>): Problem {
  switch (reading.outcome) {
    case 'unknown':
      return new Problem('ukjent_organisasjonsnummer')
    case 'removed':
      return new Problem('fjernet', { extra: { slettedato: reading.slettedato } })
    case 'unavailable':
      return registerUnavailable(reading)
    case 'crowded':
      return crowded(reading.isOwn)
  }
}

/** The shareholders and the ownership have addresses of their own already, with pages and years. */
export const ownAddresses = sectionFields.filter(
  (section): section is Exclude<typeof section, 'aksjonaerer' | 'eierskap'> =>
    section !== 'aksjonaerer' && section !== 'eierskap',
)

function sectionAnswer(section: (typeof ownAddresses)[number]) {
  const { organisasjonsnummer, komplett } = Bedrift.properties
  return exactly({
    organisasjonsnummer,
    [section]: Bedrift.properties[section],
    komplett,
    kilder: exactly({ enhet: Kilde, [section]: Kilde }),
    ...(listIn(section) === null ? {} : { neste: Neste }),
  })
}

const { sizeMax, sizeStandard } = holderBounds
const pageParameters = {
  etter: Type.Optional(Type.String({ maxLength: 100, description: 'neste fra forrige side.' })),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: sizeMax, default: sizeStandard })),
}
const Neste = orNull(Type.String({ description: 'Verdien av etter for neste side; null på den siste.' }))

function notThisList(): InputError {
  return new InputError('ugyldig_parameter', 'etter', {
    norsk: 'etter hører til et annet foretak eller en annen liste.',
    english: 'etter belongs to another company or another list.',
  })
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Organisasjonsnummer, parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { SeenCompany } from '#src/ops/company.ts'
import type { By, Steering } from '#src/ops/steering.ts'
import { operatorsCompanyPage } from './pages/company.ts'
import { faultOf } from './refusal.ts'
import { operatorOf } from './session.ts'

export type CompanyView = { look(orgnr: Organisasjonsnummer): Promise<SeenCompany>; hasRedis: boolean }

const isQuestion = Compile(Type.Object({ orgnr: Type.String({ maxLength: 20 }) }))
const isWish = Compile(
  Type.Object({
    orgnr: Type.String({ maxLength: 20 }),
    hvorfor: Type.String({ maxLength: 400 }),
    bekreft: Type.Optional(Type.String({ maxLength: 20 })),
  }),
)
type Wish = { orgnr: Organisasjonsnummer; bekreft: string }

/** One company: what is held of it, and what can be done about it. */
export function companyRoutes(
  app: FastifyInstance,
  {
    companies,
    steering,
  }: {
    companies: CompanyView
    steering: Pick<Steering, 'refreshCompany' | 'purgeCompany' | 'eraseCompany' | 'trail'>
  },
): void {
  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      orgnr,
      told = null,
      fault = null,
      typed = orgnr ?? '',
    }: { orgnr: Organisasjonsnummer | null; told?: string | null; fault?: string | null; typed?: string },
  ) {
    const page = operatorsCompanyPage({
      operator: operatorOf(request),
      hasRedis: companies.hasRedis,
      company: orgnr === null ? null : await companies.look(orgnr),
      deeds: orgnr === null ? [] : await steering.trail([orgnr], DEEDS_MAX),
      typed,
      told,
      fault,
    })
    return reply.type('text/html; charset=utf-8').send(page)
  }

  app.get('/foretak', async (request, reply) => {
    if (!isQuestion.Check(request.query)) return show(request, reply, { orgnr: null })
    try {
      return await show(request, reply, {
        orgnr: parseOrganisasjonsnummer(request.query.orgnr.replaceAll(' ', '')),
      })
    } catch (error) {
      const { status, text } = faultOf(error)
      return show(request, reply.code(status), { orgnr: null, fault: text, typed: request.query.orgnr })
    }
  })

  app.get<{ Params: { orgnr: string } }>('/foretak/:orgnr.json', async (request) =>
    companies.look(parseOrganisasjonsnummer(request.params.orgnr)),
  )

  function wish(path: string, told: string, act: (by: By, wish: Wish) => Promise<unknown>): void {
    app.post(`/foretak/${path}`, async (request, reply) => {
      const { body } = request
      if (!isWish.Check(body))
        return show(request, reply.code(400), { orgnr: null, fault: 'Skjemaet var ikke fylt ut som ventet.' })
      let orgnr: Organisasjonsnummer | null = null
      try {
        orgnr = parseOrganisasjonsnummer(body.orgnr)
        const by = { hvem: operatorOf(request).navn, hvorfor: body.hvorfor }
        await act(by, { orgnr, bekreft: body.bekreft ?? '' })
        return await show(request, reply, { orgnr, told })
      } catch (error) {
        const { status, text } = faultOf(error)
        return show(request, reply.code(status), { orgnr, fault: text })
      }
    })
  }

  wish('oppfrisk', 'Registrene spørres.', (by, { orgnr }) => steering.refreshCompany(by, orgnr))
  wish('foreld', 'Kopiene er utdatert i alle prosesser innen få sekunder.', (by, { orgnr }) =>
    steering.purgeCompany(by, orgnr, { hard: false }),
  )
  wish('glem', 'Kopiene glemmes i alle prosesser innen få sekunder.', (by, { orgnr }) =>
    steering.purgeCompany(by, orgnr, { hard: true }),
  )
  wish('slett', 'Foretaket er fjernet, og slettes overalt.', (by, { orgnr, bekreft }) =>
    steering.eraseCompany(by, orgnr, bekreft),
  )
}

const DEEDS_MAX = 20

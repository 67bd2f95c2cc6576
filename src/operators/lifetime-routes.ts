import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { readAmount } from '#src/ops/amount.ts'
import type { Estimate } from '#src/ops/estimate.ts'
import type { Steering } from '#src/ops/steering.ts'
import type { Tunable } from '#src/ops/tunables.ts'
import type { TuningState } from '#src/ops/tuning.ts'
import { lifetimesPage, type Proposal } from './pages/lifetimes.ts'
import { faultOf } from './refusal.ts'
import { operatorOf } from './session.ts'

export type LifetimeView = {
  tunables: readonly Tunable[]
  state(): Promise<TuningState>
  /** What the last day would have cost. @throws InputError for a value out of its bounds */
  estimate(
    name: string,
    value: number,
  ): Promise<{ hours: number; estimates: (Estimate & { kilde: string })[] }>
}

const Whole = Type.String({ pattern: '^[0-9]{1,9}$' })
const Amount = Type.String({ maxLength: 20 })
const isProposed = Compile(
  Type.Object({ navn: Type.String({ maxLength: 60 }), verdi: Amount, base: Type.Optional(Whole) }),
)
const isChange = Compile(
  Type.Object({
    navn: Type.String({ maxLength: 60 }),
    verdi: Amount,
    base: Whole,
    hvorfor: Type.String({ maxLength: 400 }),
  }),
)
const isRollBack = Compile(Type.Object({ base: Whole, hvorfor: Type.String({ maxLength: 400 }) }))

/** The lifetimes: what holds, what another value would cost, and the change itself. */
export function lifetimeRoutes(
  app: FastifyInstance,
  { lifetimes, steering }: { lifetimes: LifetimeView; steering: Pick<Steering, 'tune' | 'rollBack'> },
): void {
  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { proposal = null, fault = null }: { proposal?: Proposal | null; fault?: string | null } = {},
  ) {
    const page = lifetimesPage({
      operator: operatorOf(request),
      tunables: lifetimes.tunables,
      state: await lifetimes.state(),
      proposal,
      fault,
    })
    return reply.type('text/html; charset=utf-8').send(page)
  }

  async function attempt(request: FastifyRequest, reply: FastifyReply, act: () => Promise<unknown>) {
    try {
      await act()
      return reply.redirect('/levetider', 303)
    } catch (error) {
      const { status, text } = faultOf(error)
      return show(request, reply.code(status), { fault: text })
    }
  }

  app.get('/levetider', async (request, reply) => {
    const { query } = request
    if (!isProposed.Check(query)) return show(request, reply)
    try {
      const value = readAmount(query.verdi)
      const { newest } = await lifetimes.state()
      const cost = await lifetimes.estimate(query.navn, value)
      return await show(request, reply, { proposal: { name: query.navn, value, base: newest, ...cost } })
    } catch (error) {
      const { status, text } = faultOf(error)
      return show(request, reply.code(status), { fault: text })
    }
  })

  app.get('/levetider.json', async () => ({
    stilling: await lifetimes.state(),
    kanStilles: lifetimes.tunables,
  }))

  app.post('/levetider', async (request, reply) => {
    const { body } = request
    if (!isChange.Check(body)) return show(request, reply.code(400), { fault: NOT_UNDERSTOOD })
    const by = { hvem: operatorOf(request).navn, hvorfor: body.hvorfor }
    return attempt(request, reply, () =>
      steering.tune(by, Number(body.base), { [body.navn]: readAmount(body.verdi) }),
    )
  })

  app.post('/levetider/rull-tilbake', async (request, reply) => {
    const { body } = request
    if (!isRollBack.Check(body)) return show(request, reply.code(400), { fault: NOT_UNDERSTOOD })
    const by = { hvem: operatorOf(request).navn, hvorfor: body.hvorfor }
    return attempt(request, reply, () => steering.rollBack(by, Number(body.base)))
  })
}

const NOT_UNDERSTOOD = 'Skjemaet var ikke fylt ut som ventet.'

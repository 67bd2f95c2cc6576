import type { FastifyInstance } from 'fastify'
import { Problem, type ProblemCode, problems } from '../problems.ts'

/** A page per problem code: the stable address every problem body points at. */
export function feilRoute(app: FastifyInstance): void {
  app.get<{ Params: { kode: string } }>(
    '/dokumentasjon/feil/:kode',
    { schema: { hide: true } },
    async (request, reply) => {
      const { kode } = request.params
      if (!Object.hasOwn(problems, kode)) throw new Problem('ukjent_adresse')
      return reply.type('text/html; charset=utf-8').send(page(kode as ProblemCode))
    },
  )
}

function page(kode: ProblemCode): string {
  const { status, title, detail } = problems[kode]
  return `<!doctype html>
<html lang="nb">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${kode}: ${title.nb}</title></head>
<body>
<main>
<h1>${title.nb}</h1>
<p><code>${kode}</code>, HTTP ${status}</p>
<p>${detail.nb}</p>
<section lang="en"><h2>${title.en}</h2><p>${detail.en}</p></section>
<p><a href="/dokumentasjon">Dokumentasjon</a></p>
</main>
</body>
</html>
`
}

import { createServer } from 'node:http'
import { Pool } from 'undici'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { type CompanySource, companySources, sourceOf } from '#src/sources/index.ts'
import { withQuery } from '#src/upstream/url.ts'

/**
 * Asks a company's sources at once, takes their answers whole and looks at none of them: what no server in Node that asks
 * them can be sooner than, or hardly.
 */
const register = new Pool(process.env.BENCH_REGISTER ?? '', { connections: 48 })
/** Nobody has a turn at the copies of accounts for each of some hundred records. */
const SELDOM: readonly CompanySource[] = ['underenhet', 'regnskapskopier']
const asked = companySources
  .filter((name) => !SELDOM.includes(name))
  .map(sourceOf)
  .filter(({ askedWhen }) => askedWhen === null)

createServer(async (request, response) => {
  const orgnr = parseOrganisasjonsnummer(request.url?.split('/').at(-1) ?? '')
  await Promise.all(
    asked.map(async ({ accept, request }) => {
      const { path, query } = request(orgnr)
      const { body } = await register.request({
        method: 'GET',
        path: withQuery(path, query),
        headers: { accept },
      })
      await body.arrayBuffer()
    }),
  )
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}')
}).listen(0, '127.0.0.1')

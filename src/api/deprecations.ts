import plugin from 'fastify-plugin'

/**
 * One thing of the published interface that is to go, and until then stands beside what replaces it.
 *
 * - `route`: as the routes are written, `/api/bedrift/:orgnr`.
 * - `of`: a parameter of it (its answers say so to whoever sends it), a field of its answer (JSON pointer, `[]` for a list's
 *   items), or null for all of it.
 * - `since`, `sunset`: days, yyyy-mm-dd: from when it is outdated, and when it is taken away, six months later at the least.
 */
export type Deprecation = {
  route: string
  of: { parameter: string } | { field: string } | null
  since: string
  sunset: string
}

/** What is on its way out now. Each row has its entry at /dokumentasjon/endringer. */
export const deprecations: readonly Deprecation[] = []

const CHANGES = '/dokumentasjon/endringer'

/**
 * What an answer of a route says of what is on its way out in it: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and a `Link`
 * to the page of changes. The earliest day of several. Names and values in turn; empty when there is nothing to say.
 *
 * @param parameters the names the caller sent
 */
export function deprecationHeaders(
  all: readonly Deprecation[],
  route: string,
  parameters: readonly string[],
): string[] {
  const met = all.filter(
    (each) =>
      each.route === route &&
      (each.of === null || 'field' in each.of || parameters.includes(each.of.parameter)),
  )
  if (met.length === 0) return []
  return [
    'deprecation',
    `@${Math.min(...met.map(({ since }) => Date.parse(since))) / 1000}`,
    'sunset',
    new Date(Math.min(...met.map(({ sunset }) => Date.parse(sunset)))).toUTCString(),
    'link',
    `<${CHANGES}>; rel="deprecation"; type="text/html"`,
  ]
}

/** Says it on every answer of the routes it is registered beside, problems too. */
export const deprecated = plugin<{ deprecations: readonly Deprecation[] }>(
  async (app, { deprecations: all }) => {
    if (all.length === 0) return
    app.addHook('onRequest', (request, reply, done) => {
      const sent = Object.keys((request.query ?? {}) as object)
      const headers = deprecationHeaders(all, request.routeOptions.url ?? '', sent)
      for (let index = 0; index + 1 < headers.length; index += 2)
        reply.header(headers[index] ?? '', headers[index + 1])
      done()
    })
  },
  { name: 'deprecated' },
)

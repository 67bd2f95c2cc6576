import swagger from '@fastify/swagger'
import plugin from 'fastify-plugin'
import { type HeldDocument, holdDocument, sendDocument } from '../held-document.ts'
import { problems } from '../problems.ts'

/** The OpenAPI 3.1 document, gathered from the routes' own schemas, at /openapi.json. */
export const openapi = plugin<{ publicUrl: () => string }>(
  async (app, { publicUrl }) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: { title: 'Bedriftsoppslag', version: '1', description: description() },
        servers: [{ url: '/' }],
        components: {
          securitySchemes: {
            nokkel: { type: 'http', scheme: 'bearer', description: 'API-nøkkelen: bo_live_… / the API key.' },
          },
        },
        tags: [
          { name: 'bedrift', description: 'Ett foretak / one company' },
          { name: 'nokkel', description: 'Nøkkelen / the key' },
        ],
      },
    })
    /** As soon as all routes are known; anew when the address has been found out since. */
    let held: { url: string; document: HeldDocument } | null = null
    app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => {
      const url = publicUrl()
      if (held?.url !== url) {
        const text = JSON.stringify({ ...app.swagger(), servers: [{ url }] })
        held = { url, document: holdDocument(Buffer.from(text), 'application/json; charset=utf-8') }
      }
      reply.headers({ 'access-control-allow-origin': '*', 'cache-control': 'no-cache' })
      return sendDocument(request, reply, held.document)
    })
  },
  { name: 'openapi' },
)

function description(): string {
  const rows = Object.entries(problems).map(
    ([kode, { status, title }]) =>
      `| [\`${kode}\`](/dokumentasjon/feil/${kode}) | ${status} | ${title.nb} | ${title.en} |`,
  )
  return [
    'Ett komplett og ærlig svar om et norsk foretak, samlet fra de offentlige registrene.',
    'One complete and honest record of a Norwegian company, assembled from the public registers.',
    '',
    'Hver seksjon har en `tilstand`, og `kilder` sier hvor den kommer fra, når den er hentet og hva den gjelder for.',
    '`null` betyr at registeret ikke oppgir det; det betyr aldri null, ingen eller nei.',
    '',
    'Hva som kan komme til, hva som varsles og hva som er endret / what may be added, what is told before, what was changed:',
    '[/dokumentasjon/endringer](/dokumentasjon/endringer).',
    '',
    '## Feil / problems',
    '',
    'Feil svares som `application/problem+json` (RFC 9457). På engelsk når `Accept-Language` ber om det.',
    '',
    '| kode | status | | |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n')
}

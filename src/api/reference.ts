import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import plugin from 'fastify-plugin'
import { type HeldDocument, holdDocument, sendDocument } from '../http/held-document.ts'

const AT = '/dokumentasjon/konsoll'

/**
 * The console: the OpenAPI document as a program shows it, with calls one can make. Its program is Swagger UI's, read once and held: a file that is opened for each
 * who asks costs a descriptor for as long as they take to read it. Everything it loads comes from here.
 */
export const reference = plugin(
  async (app) => {
    const files: Record<string, HeldDocument> = {
      [AT]: holdDocument(Buffer.from(PAGE), 'text/html; charset=utf-8'),
      [`${AT}/static/begin.js`]: holdDocument(Buffer.from(BEGIN), SCRIPT),
      [`${AT}/static/swagger-ui-bundle.js`]: packaged('swagger-ui-bundle.js', SCRIPT),
      [`${AT}/static/swagger-ui.css`]: packaged('swagger-ui.css', 'text/css; charset=utf-8'),
      [`${AT}/static/favicon-32x32.png`]: packaged('favicon-32x32.png', 'image/png'),
    }
    for (const [path, file] of Object.entries(files)) {
      app.get(path, { schema: { hide: true } }, async (request, reply) =>
        sendDocument(request, reply.header('cache-control', 'no-cache'), file),
      )
    }
  },
  { name: 'reference', dependencies: ['openapi'] },
)

const SCRIPT = 'text/javascript; charset=utf-8'

const fromPackage = createRequire(import.meta.url)

function packaged(name: string, type: string): HeldDocument {
  return holdDocument(readFileSync(fromPackage.resolve(`@fastify/swagger-ui/static/${name}`)), type)
}

const PAGE = `<!doctype html>
<html lang="nb">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bedriftsoppslag: konsoll</title>
<link rel="icon" type="image/png" href="${AT}/static/favicon-32x32.png" sizes="32x32">
<link rel="stylesheet" href="${AT}/static/swagger-ui.css">
</head>
<body>
<main id="konsoll"></main>
<script src="${AT}/static/swagger-ui-bundle.js"></script>
<script src="${AT}/static/begin.js"></script>
</body>
</html>
`

const BEGIN = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#konsoll',
  deepLinking: true,
  validatorUrl: null,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: false,
})
`

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { holdDocument, sendDocument } from '../http/held-document.ts'

const require = createRequire(import.meta.url)

/** The pages' own files, read once. */
const files = {
  'designsystemet.css': [require.resolve('@digdir/designsystemet-css'), 'text/css; charset=utf-8'],
  'tema.css': [require.resolve('@digdir/designsystemet-theme'), 'text/css; charset=utf-8'],
  'drift.css': [new URL('assets/drift.css', import.meta.url), 'text/css; charset=utf-8'],
  'drift.js': [new URL('assets/drift.js', import.meta.url), 'text/javascript; charset=utf-8'],
  'tavle.js': [new URL('assets/tavle.js', import.meta.url), 'text/javascript; charset=utf-8'],
} as const

export function styleRoutes(app: FastifyInstance): void {
  for (const [name, [path, type]] of Object.entries(files)) {
    const document = holdDocument(readFileSync(path), type)
    app.get(`/stil/${name}`, async (request, reply) =>
      sendDocument(request, reply.header('cache-control', 'private, max-age=300'), document),
    )
  }
}

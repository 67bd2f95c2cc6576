import type { FastifyInstance } from 'fastify'
import { html } from 'ghtml'
import type { PublicStatus, SourceCondition } from '#src/ops/public-status.ts'

/**
 * How each register answers and how fresh the service is, for anybody. Made from what the process has at hand: it answers
 * while PostgreSQL and Redis are away.
 */
export function driftsstatusRoute(app: FastifyInstance, { status }: { status: () => PublicStatus }): void {
  app.get('/status.json', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(status())),
  )
  app.get('/status', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page(status())),
  )
}

const WORDS: Record<SourceCondition, string> = {
  i_drift: 'i drift',
  ustabil: 'svarte ikke sist',
  nede: 'svarer ikke',
  ukjent: 'ikke spurt nylig',
}

function page({ tid, kilder, feeder }: PublicStatus): string {
  const sources = kilder.map(
    ({ kilde, tilstand, sistSvar, sistFeil }) =>
      html`<tr><th scope="row">${kilde}</th><td>${WORDS[tilstand]}</td><td>!${time(sistSvar)}</td><td>!${time(sistFeil)}</td></tr>`,
  )
  const feeds = feeder.map(
    ({ feed, etterslepSekunder, nyesteHendelse, per }) =>
      html`<tr><th scope="row">${feed}</th><td>${etterslepSekunder === null ? '–' : `${etterslepSekunder} s`}</td><td>!${time(nyesteHendelse)}</td><td>!${time(per)}</td></tr>`,
  )
  return html`<!doctype html>
<html lang="nb">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Status – Bedriftsoppslag</title></head>
<body>
<main>
<h1>Status</h1>
<p>Per !${time(tid)}. Det som holdes fra før, vises også når en kilde ikke svarer. <a href="/status.json">Som JSON</a>.</p>
<table><caption>Kilder</caption><thead><tr><th scope="col">Kilde</th><th scope="col">Tilstand</th><th scope="col">Siste svar</th><th scope="col">Siste feil</th></tr></thead>
<tbody>!${sources.join('')}</tbody></table>
!${feeds.length === 0 ? '' : html`<table><caption>Registrenes endringer</caption><thead><tr><th scope="col">Feed</th><th scope="col">Etterslep</th><th scope="col">Nyeste hendelse</th><th scope="col">Per</th></tr></thead><tbody>!${feeds.join('')}</tbody></table>`}
</main>
</body>
</html>`
}

function time(at: string | null): string {
  return at === null ? '–' : html`<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time>`
}

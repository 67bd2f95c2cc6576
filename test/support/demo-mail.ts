import type { FastifyInstance } from 'fastify'
import { html } from 'ghtml'
import type { MailServer, ReceivedMail } from './mail-server.ts'

/** Where the mails of the demo can be read, newest first. Keys stand in them in the clear: this page is the demo's alone. */
export function demoMail(app: FastifyInstance, mail: Pick<MailServer, 'mails'>): void {
  app.get('/demo/post', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
      })
      .type('text/html; charset=utf-8')
      .send(page(mail.mails.toReversed())),
  )
}

function page(mails: readonly ReceivedMail[]): string {
  return html`<!doctype html>
<html lang="nb"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Demoens e-post</title>
<style>
body{font:1rem/1.5 Arial,sans-serif;margin:2rem auto;max-width:46rem;padding:0 1rem;color:#222;background:#fff}
article{border:1px solid #bbb;border-radius:.5rem;padding:1rem 1.25rem;margin:1rem 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-family:inherit;margin:0}h2{font-size:1.1rem;margin:0 0 .25rem}
.til{color:#555;margin:0 0 1rem}
</style></head>
<body><main><h1>Demoens e-post</h1>
<p>Alt demoen har sendt siden den startet, til hvem som helst. <a href="/demo/post">Last på nytt</a> · <a href="/kjop">Kjøp nøkkel</a></p>
!${mails.length === 0 ? '<p>Ingen e-post ennå.</p>' : mails.map(article)}
</main></body></html>
`
}

function article({ envelope, content }: ReceivedMail): string {
  const text = (content.text ?? '')
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`))
  return html`<article><h2>${content.subject ?? ''}</h2><p class="til">Til ${envelope.to}</p><pre>!${text}</pre></article>`
}

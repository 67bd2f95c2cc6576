import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from 'ghtml'
import { createIsKnownHost } from '#src/operators/known-host.ts'

/** A page of the demo's own, beside those of the service: no script, and nothing of it is kept by a browser. */
export type DemoPage = {
  title: string
  /** HTML, with all that came from elsewhere escaped. */
  main: string
  /** The browser asks for it again after so many seconds, where something is on its way. */
  againAfterSeconds?: number | null
}

/**
 * Keys and mails are read on these pages, by whoever is at this machine: a page of a stranger's whose name leads here (DNS rebinding) is
 * told nothing, as at the operators' port (P48).
 */
export async function demoPages(
  app: FastifyInstance,
  routes: (pages: FastifyInstance) => void | Promise<void>,
): Promise<void> {
  await app.register(async (pages) => {
    const isKnownHost = createIsKnownHost([])
    pages.addHook('onRequest', async (request, reply) => {
      if (!isKnownHost(request.raw))
        return reply.code(421).send('Navnet i Host er ikke denne maskinens. Bruk adressen.')
    })
    await routes(pages)
  })
}

export function sendDemoPage(reply: FastifyReply, page: DemoPage): FastifyReply {
  const { againAfterSeconds = null } = page
  if (againAfterSeconds !== null) reply.header('refresh', String(againAfterSeconds))
  return reply
    .headers({
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
    })
    .type('text/html; charset=utf-8')
    .send(document(page))
}

function document({ title, main }: DemoPage): string {
  return html`<!doctype html>
<html lang="nb"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
:root{color-scheme:light dark}
body{font:1rem/1.5 Arial,sans-serif;margin:2rem auto;max-width:46rem;padding:0 1rem;color:light-dark(#222,#eee);background:light-dark(#fff,#181818)}
article{border:1px solid #bbb;border-radius:.5rem;padding:1rem 1.25rem;margin:1rem 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-family:inherit;margin:0}h2{font-size:1.1rem;margin:1.5rem 0 .25rem}article h2{margin-top:0}pre.kode{font-family:monospace}
code{overflow-wrap:anywhere}.til{color:light-dark(#555,#aaa);margin:0 0 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-top:1px solid #bbb;overflow-wrap:break-word}
li{margin:.25rem 0}fieldset{border:0;padding:0;margin:0 0 1rem}legend{font-weight:bold;padding:0}
select,button{font:inherit;min-height:2.75rem;padding:.25rem .9rem;border:1px solid;border-radius:.3rem;background:none;color:inherit;margin:0 .25rem .5rem 0;max-width:100%}
button{cursor:pointer}option{background:light-dark(#fff,#181818)}button[aria-pressed=true]{background:light-dark(#222,#eee);color:light-dark(#fff,#181818)}label{display:block}
@media(max-width:34rem){thead{display:none}tr{display:block;border-top:1px solid #bbb;padding:.5rem 0}td{display:block;border:0;padding:0}td[data-navn]::before{content:attr(data-navn) ': '}}
</style></head>
<body><main>!${main}</main></body></html>
`
}

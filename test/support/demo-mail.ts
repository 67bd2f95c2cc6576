import type { FastifyInstance } from 'fastify'
import { html } from 'ghtml'
import { demoPages, sendDemoPage } from './demo-page.ts'
import type { MailServer, ReceivedMail } from './mail-server.ts'

/** Where the mails of the demo can be read, newest first. Keys stand in them in the clear: this page is the demo's alone. */
export async function demoMail(app: FastifyInstance, mail: Pick<MailServer, 'mails'>): Promise<void> {
  await demoPages(app, (pages) => {
    pages.get('/demo/post', { schema: { hide: true } }, async (_request, reply) =>
      sendDemoPage(reply, { title: 'Demoens e-post', main: main(mail.mails.toReversed()) }),
    )
  })
}

function main(mails: readonly ReceivedMail[]): string {
  return html`<h1>Demoens e-post</h1>
<p>Alt demoen har sendt siden den startet, til hvem som helst. <a href="/demo/post">Last på nytt</a> · <a href="/kjop">Kjøp nøkkel</a> · <a href="/demo/hendelser">La noe skje</a> · <a href="/overvaking">Overvåking</a></p>
!${mails.length === 0 ? '<p>Ingen e-post ennå.</p>' : mails.map(article)}`
}

function article({ envelope, content }: ReceivedMail): string {
  const text = (content.text ?? '')
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`))
  return html`<article><h2>${content.subject ?? ''}</h2><p class="til">Til ${envelope.to}</p><pre>!${text}</pre></article>`
}

import { html } from 'ghtml'
import type { PageContent } from '../layout.ts'
import { messagePage, nextButton } from '../message-page.ts'
import type { Visitor } from '../visitor.ts'

/** Where the link of a mail leads: nothing has happened yet, since mail programs open links by themselves. */
export function stopMailsPage(token: string, { language, at }: Visitor): PageContent {
  const t = words[language]
  return {
    title: t.title,
    description: null,
    isHidden: true,
    main: html`<div class="ramme smal luft">
<h1 class="ds-heading" data-size="lg">${t.title}</h1>
<p class="ds-paragraph ingress">${t.text}</p>
<form class="skjema" action="${at(`/varsling/avslutt/${token}`)}" method="post">
<button class="ds-button" type="submit">${t.stop}</button>
</form>
</div>`,
  }
}

export function mailsStoppedPage({ language, at }: Visitor): PageContent {
  const t = words[language]
  return messagePage({
    title: t.stoppedTitle,
    text: t.stopped,
    next: nextButton(t.list, at('/overvaking'), { isSecondary: true }),
    isOutcome: true,
  })
}

const words = {
  nb: {
    title: 'Slutt å få e-post om endringer',
    text: 'Du får ikke flere e-poster om endringer i foretakene du overvåker. Foretakene blir stående på listen, og endringene kommer fortsatt i endringsloggen.',
    stop: 'Slutt å få e-post',
    stoppedTitle: 'Du får ikke flere e-poster om endringer',
    stopped: 'Vil du ha dem igjen, velger du det for hvert foretak på listen over det du overvåker.',
    list: 'Se listen',
  },
  en: {
    title: 'Stop mails of changes',
    text: 'You will get no more mails of changes in the companies you watch. The companies stay on your list, and the changes still come in the change log.',
    stop: 'Stop the mails',
    stoppedTitle: 'You will get no more mails of changes',
    stopped: 'If you want them again, choose so for each company on the list of what you watch.',
    list: 'See the list',
  },
}

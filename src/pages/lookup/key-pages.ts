import { html } from 'ghtml'
import type { PageContent } from '../layout.ts'
import type { Visitor } from '../visitor.ts'

/**
 * Where a key is shown once. What was typed is never shown again, right or wrong.
 *
 * @param leadsTo the page that was wanted; a path of ours
 * @param fault what was wrong with the key
 * @param wanted the number of a company that was asked for without a key
 */
export function enterPage(
  {
    token,
    leadsTo,
    fault,
    wanted,
  }: { token: string; leadsTo: string; fault: string | null; wanted: string | null },
  { language, chosen, at }: Visitor,
): PageContent {
  const t = words[language]
  return {
    title: t.title,
    description: null,
    isHidden: true,
    main: html`<div class="ramme smal luft">
<h1 class="ds-heading" data-size="lg">${t.title}</h1>
<p class="ds-paragraph ingress">${wanted === null ? t.lead : t.wanted(wanted)}</p>
<form class="skjema" action="${at('/logg-inn')}" method="post">
<input type="hidden" name="skjema" value="${token}">
<input type="hidden" name="til" value="${leadsTo}">
!${chosen === null ? '' : html`<input type="hidden" name="lang" value="${chosen}">`}
<div class="ds-field">
<label class="ds-label" for="nokkel">${t.key}</label>
<p data-field="description" id="nokkel-hjelp">${t.hint}</p>
<input class="ds-input" id="nokkel" name="nokkel" type="password" autocomplete="current-password" autocapitalize="none" spellcheck="false" maxlength="200" required aria-describedby="nokkel-hjelp!${fault === null ? '' : ' nokkel-feil'}"!${fault === null ? '' : ' aria-invalid="true"'}>
!${fault === null ? '' : html`<p class="ds-validation-message" data-color="danger" id="nokkel-feil" role="alert">${fault}</p>`}
</div>
<button class="ds-button" type="submit">${t.enter}</button>
</form>
<p class="ds-paragraph dempet">${t.promise}</p>
<p class="ds-paragraph"><a class="ds-link" href="${at('/kjop')}">${t.buy}</a> · <a class="ds-link" href="${at('/eksempler')}">${t.invented}</a></p>
</div>`,
  }
}

/** The button that ends a session, on a page of its own: no other page has anything in it that is the visitor's alone. */
export function leavePage(
  { token, keyId }: { token: string; keyId: string },
  { language, at }: Visitor,
): PageContent {
  const t = words[language]
  return {
    title: t.leaveTitle,
    description: null,
    isHidden: true,
    main: html`<div class="ramme smal luft">
<h1 class="ds-heading" data-size="lg">${t.leaveTitle}</h1>
<p class="ds-paragraph ingress">${t.leaveText(keyId)}</p>
<form class="skjema" action="${at('/logg-ut')}" method="post">
<input type="hidden" name="skjema" value="${token}">
<button class="ds-button" type="submit">${t.leave}</button>
</form>
</div>`,
  }
}

const words = {
  nb: {
    title: 'Logg inn med nøkkel',
    lead: 'Med nøkkelen din kan du slå opp alle norske foretak her på siden.',
    wanted: (number: string) =>
      `${number} er et virkelig foretak, og det trengs en nøkkel for å se det. Oppdiktede foretak er åpne for alle.`,
    key: 'Nøkkel',
    hint: 'Den begynner med bo_. Den står i e-posten du fikk.',
    enter: 'Logg inn',
    promise:
      'Nøkkelen sendes i skjemaet, aldri i en adresse. Nettleseren får en økt på tolv timer i en informasjonskapsel som ingen skript kan lese; nøkkelen selv lagres ikke. Økten slutter når du logger ut, og når nøkkelen utløper, tilbakekalles eller byttes.',
    buy: 'Kjøp nøkkel',
    invented: 'Se oppdiktede foretak',
    leaveTitle: 'Logg ut',
    leaveText: (id: string) =>
      `Økten med nøkkelen ${id} avsluttes i denne nettleseren. Nøkkelen virker som før.`,
    leave: 'Logg ut',
  },
  en: {
    title: 'Log in with a key',
    lead: 'With your key you can look up every Norwegian company on this site.',
    wanted: (number: string) =>
      `${number} is a real company, and a key is needed to see it. Invented companies are open to all.`,
    key: 'Key',
    hint: 'It begins with bo_. It is in the mail you were sent.',
    enter: 'Log in',
    promise:
      'The key is sent in the form, never in an address. The browser gets a session of twelve hours in a cookie that no script can read; the key itself is not stored. The session ends when you log out, and when the key expires, is revoked or replaced.',
    buy: 'Buy a key',
    invented: 'See invented companies',
    leaveTitle: 'Log out',
    leaveText: (id: string) =>
      `The session with the key ${id} is ended in this browser. The key works as before.`,
    leave: 'Log out',
  },
}

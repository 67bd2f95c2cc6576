import { html } from 'ghtml'
import { policy } from '#config/policy.ts'
import type { Language } from '#src/core/language.ts'
import { emailField } from '../form-parts.ts'

const { validDays, perAddressPerDay } = policy.sales.testKeys

/** Where a test key of one's own is asked for; at the end of the page about the sandbox. */
export function testKeyForm(
  language: Language,
  at: (path: string) => string,
  typed: { epost: string; error: string | null } = { epost: '', error: null },
): string {
  const t = words[language]
  return html`<form class="skjema" method="post" action="${at('/dokumentasjon/sandkasse')}" novalidate>
!${emailField({ label: t.email, hint: t.hint, value: typed.epost, error: typed.error })}
<button class="ds-button" type="submit">${t.ask}</button>
</form>`
}

/** Where one is ended before its time, by whoever has it. What was typed is never shown again. */
export function endTestKeyForm(
  language: Language,
  at: (path: string) => string,
  { isUnknown = false }: { isUnknown?: boolean } = {},
): { title: string; main: string } {
  const t = words[language]
  return {
    title: t.endTitle,
    main: html`<h1 class="ds-heading" data-size="lg">${t.endTitle}</h1>
<p class="ds-paragraph">${t.endLead}</p>
<form class="skjema" method="post" action="${at('/dokumentasjon/sandkasse/avslutt')}" novalidate>
<div class="ds-field">
<label class="ds-label" for="nokkel">${t.key}</label>
<input class="ds-input" id="nokkel" name="nokkel" type="password" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="200" required!${isUnknown ? ' aria-invalid="true" aria-describedby="nokkel-feil"' : ''}>
!${isUnknown ? html`<p class="ds-validation-message" data-color="danger" id="nokkel-feil">${t.unknown}</p>` : ''}
</div>
<button class="ds-button" data-color="danger" type="submit">${t.end}</button>
</form>
<p><a class="ds-link" href="${at('/dokumentasjon/sandkasse')}">${t.back}</a></p>`,
  }
}

export function testKeyEnded(
  language: Language,
  at: (path: string) => string,
): { title: string; main: string } {
  const t = words[language]
  return {
    title: t.endedTitle,
    main: html`<div role="status"><h1 class="ds-heading" data-size="lg">${t.endedTitle}</h1>
<p class="ds-paragraph">${t.ended}</p></div>
<p><a class="ds-link" href="${at('/dokumentasjon/sandkasse')}">${t.back}</a></p>`,
  }
}

/** The same however often the address has asked. */
export function testKeyAsked(
  language: Language,
  at: (path: string) => string,
): { title: string; main: string } {
  const t = words[language]
  return {
    title: t.askedTitle,
    main: html`<div role="status"><h1 class="ds-heading" data-size="lg">${t.askedTitle}</h1>
<p class="ds-paragraph">${t.asked}</p></div>
<p><a class="ds-link" href="${at('/dokumentasjon/sandkasse')}">${t.back}</a></p>`,
  }
}

const words = {
  nb: {
    email: 'E-postadresse',
    hint: `Nøkkelen sendes hit, og adressen slettes når den er sendt. Nøkkelen gjelder i ${validDays} dager.`,
    ask: 'Send meg en testnøkkel',
    askedTitle: 'Se i innboksen',
    asked: `Testnøkkelen kommer på e-post i løpet av et minutt. Kom den ikke, heller ikke i søppelposten, kan du be om en ny: inntil ${perAddressPerDay} i døgnet til samme adresse.`,
    back: 'Tilbake til sandkassen',
    endTitle: 'Avslutt en testnøkkel',
    endLead:
      'Har andre sett testnøkkelen din, avslutter du den her. Andre nøkler du har fått, virker som før.',
    key: 'Testnøkkelen',
    unknown:
      'Dette er ikke en testnøkkel som er sendt på e-post. Nøkkelen som er for alle, kan ikke avsluttes.',
    end: 'Avslutt den',
    endedTitle: 'Testnøkkelen er avsluttet',
    ended: 'Den virker ikke mer. En ny får du ved å be om den.',
  },
  en: {
    email: 'E-mail address',
    hint: `The key is sent here, and the address is erased when it has gone. The key is valid for ${validDays} days.`,
    ask: 'Send me a test key',
    askedTitle: 'Look in your inbox',
    asked: `The test key comes by mail within a minute. If it does not, among the junk either, ask for another: up to ${perAddressPerDay} in a day for one address.`,
    back: 'Back to the sandbox',
    endTitle: 'End a test key',
    endLead: 'If others have seen your test key, you end it here. Other keys you were sent work as before.',
    key: 'The test key',
    unknown: 'This is no test key that was sent by mail. The key that is everybody’s can not be ended.',
    end: 'End it',
    endedTitle: 'The test key is ended',
    ended: 'It works no more. You get another by asking for it.',
  },
} satisfies Record<Language, Record<string, string>>

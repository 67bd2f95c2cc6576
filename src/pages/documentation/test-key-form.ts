import { html } from 'ghtml'
import { policy } from '#config/policy.ts'
import type { Language } from '../../http/problems.ts'
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
  },
  en: {
    email: 'E-mail address',
    hint: `The key is sent here, and the address is erased when it has gone. The key is valid for ${validDays} days.`,
    ask: 'Send me a test key',
    askedTitle: 'Look in your inbox',
    asked: `The test key comes by mail within a minute. If it does not, among the junk either, ask for another: up to ${perAddressPerDay} in a day for one address.`,
    back: 'Back to the sandbox',
  },
} satisfies Record<Language, Record<string, string>>

import { html } from 'ghtml'
import { lostKeyHours, moment } from '#src/mail/templates/wording.ts'
import type { LinkFollowed } from '#src/sales/replace-key.ts'
import { choiceField, emailField } from './form-parts.ts'
import type { PageContent } from './layout.ts'
import { messagePage, nextButton } from './message-page.ts'
import type { Visitor } from './visitor.ts'

/** Somebody gives an address. What is known of it, only the mailbox learns. */
export function askForReplacementPage(
  { language, at }: Visitor,
  typed: { epost: string; isLeaked: boolean; error: string | null } = {
    epost: '',
    isLeaked: false,
    error: null,
  },
): PageContent {
  const t = words[language]
  return {
    title: typed.error === null ? t.title : `${t.errorPrefix} ${t.title}`,
    description: t.description,
    main: html`<div class="ramme smal luft">
<h1 class="ds-heading" data-size="lg">${t.title}</h1>
<p class="ds-paragraph ingress">${t.lead}</p>
<form class="skjema" method="post" action="${at('/bytt-nokkel')}" novalidate>
!${emailField({ label: t.email, hint: t.emailHint, value: typed.epost, error: typed.error })}
<fieldset class="ds-fieldset">
<legend>${t.why}</legend>
!${choiceField({ type: 'radio', name: 'grunn', value: 'tapt', id: 'tapt', label: html`${t.lost}`, hint: t.lostHint, isChosen: !typed.isLeaked })}
!${choiceField({ type: 'radio', name: 'grunn', value: 'lekket', id: 'lekket', label: html`${t.leaked}`, hint: t.leakedHint, isChosen: typed.isLeaked })}
</fieldset>
<button class="ds-button" type="submit">${t.ask}</button>
</form>
<p class="ds-paragraph dempet">${t.expiry}</p>
</div>`,
  }
}

/** The same whether the address is known or not (P35). */
export function replacementAskedPage({ language, at }: Visitor): PageContent {
  const t = words[language]
  return {
    title: t.askedTitle,
    description: null,
    isHidden: true,
    main: html`<div class="ramme smal luft">
<div role="status"><h1 class="ds-heading" data-size="lg">${t.askedTitle}</h1>
<p class="ds-paragraph ingress">${t.asked}</p></div>
<p class="ds-paragraph">${t.notThere}</p>
<p><a class="ds-link" href="${at('/bytt-nokkel')}">${t.another}</a></p>
</div>`,
  }
}

/** Where the link of the mail leads. Opening it changes nothing: scanners open links. */
export function confirmReplacementPage(token: string, { language, at }: Visitor): PageContent {
  const t = words[language]
  return {
    title: t.confirmTitle,
    description: null,
    isHidden: true,
    main: html`<div class="ramme smal luft">
<h1 class="ds-heading" data-size="lg">${t.confirmTitle}</h1>
<p class="ds-paragraph ingress">${t.confirm}</p>
<form class="skjema" method="post" action="${at(`/nokkel/erstatt/${token}`)}">
<button class="ds-button" type="submit">${t.replace}</button>
</form>
<p class="ds-paragraph dempet">${t.notYou}</p>
</div>`,
  }
}

export function replacementResultPage(outcome: LinkFollowed, { language, at }: Visitor): PageContent {
  const t = words[language]
  const mayAskAgain = outcome.utfall === 'ugyldig_lenke' || outcome.utfall === 'alt_byttet'
  const next = mayAskAgain ? nextButton(t.ask, at('/bytt-nokkel')) : ''
  const said =
    outcome.utfall === 'alt_byttet'
      ? t.replacedAt(moment(outcome.brukt, language))
      : t.outcomes[outcome.utfall]
  return messagePage({ ...said, next, isOutcome: true })
}

const words = {
  nb: {
    title: 'Bytt nøkkel',
    description: 'Få en ny nøkkel når den gamle er mistet eller kommet på avveie.',
    errorPrefix: 'Feil:',
    lead: 'Oppgi adressen nøkkelen ble sendt til. Dit sender vi en lenke som bytter den i en ny.',
    email: 'E-postadresse',
    emailHint: 'Den nøkkelen ble sendt til.',
    why: 'Hva har skjedd?',
    lost: 'Nøkkelen er mistet',
    lostHint: `Den gamle virker til du bruker den nye, men høyst i ${lostKeyHours} timer.`,
    leaked: 'Andre kan ha sett nøkkelen',
    leakedHint: 'Den gamle slutter å virke i det du bekrefter byttet i e-posten.',
    ask: 'Send meg en lenke',
    expiry: 'Den nye nøkkelen gjelder like lenge som den gamle.',
    askedTitle: 'Se i innboksen',
    asked:
      'Er det en nøkkel på adressen, kommer det straks en e-post med en lenke. Lenken gjelder i ett døgn. Er det mange nøkler på adressen, kommer lenkene fem om gangen: be om lenke igjen, så kommer de neste.',
    notThere:
      'Kom det ingenting? Se i søppelposten, og om nøkkelen kan være sendt til en annen adresse. Av hensyn til andre sier vi ikke her om en adresse er kjent.',
    another: 'Prøv en annen adresse',
    confirmTitle: 'Vil du bytte nøkkelen?',
    confirm: 'Når du bekrefter, sender vi en ny nøkkel til adressen du fikk denne lenken på.',
    replace: 'Bytt nøkkelen',
    notYou: 'Var det ikke du som ba om dette, kan du lukke siden. Da skjer det ingenting.',
    replacedAt: (when: string) => ({
      title: 'Nøkkelen er byttet',
      text: `Den ble byttet med denne lenken ${when}, og lenken virker bare én gang. Den nye nøkkelen sendes til adressen lenken kom til. Finner du den ikke, heller ikke i søppelposten, kan du be om en ny lenke.`,
    }),
    outcomes: {
      sendes: {
        title: 'Den nye nøkkelen er på vei',
        text: 'Den kommer på e-post i løpet av et minutt. Du kan lukke denne siden.',
      },
      ugyldig_lenke: {
        title: 'Lenken virker ikke lenger',
        text: 'Den er for gammel, nøkkelen er byttet med en annen lenke etterpå, eller det er ingen nøkkel igjen å bytte. Be om en ny lenke.',
      },
      for_mange: {
        title: 'Nøkkelen er byttet for mange ganger i dag',
        text: 'Prøv igjen i morgen. Den siste nøkkelen du fikk, virker. Er den kommet på avveie, kan den byttes også i dag: be om en lenke for det.',
      },
    },
  },
  en: {
    title: 'Replace a key',
    description: 'Get a new key when the old one is lost or has leaked.',
    errorPrefix: 'Error:',
    lead: 'Give the address the key was sent to. We send a link there that replaces it with a new one.',
    email: 'E-mail address',
    emailHint: 'The one the key was sent to.',
    why: 'What has happened?',
    lost: 'The key is lost',
    lostHint: `The old one works until you use the new one, and for ${lostKeyHours} hours at most.`,
    leaked: 'Others may have seen the key',
    leakedHint: 'The old one stops working the moment you confirm in the mail.',
    ask: 'Send me a link',
    expiry: 'The new key is valid for as long as the old one.',
    askedTitle: 'Look in your inbox',
    asked:
      'If there is a key for that address, a mail with a link comes at once. The link is valid for one day. If there are many keys for the address, links come five at a time: ask for a link again, and the next come.',
    notThere:
      'Nothing there? Look among the junk, and consider whether the key went to another address. For the sake of others we do not say here whether an address is known.',
    another: 'Try another address',
    confirmTitle: 'Do you want to replace the key?',
    confirm: 'When you confirm, a new key is sent to the address this link came to.',
    replace: 'Replace the key',
    notYou: 'If it was not you who asked for this, close the page. Then nothing happens.',
    replacedAt: (when: string) => ({
      title: 'The key has been replaced',
      text: `It was replaced by this link on ${when}, and the link works once. The new key is sent to the address the link came to. If you can not find it, among the junk either, ask for a new link.`,
    }),
    outcomes: {
      sendes: {
        title: 'The new key is on its way',
        text: 'It comes by mail within a minute. You may close this page.',
      },
      ugyldig_lenke: {
        title: 'The link no longer works',
        text: 'It is too old, the key was replaced by another link after it, or there is no key left to replace. Ask for a new link.',
      },
      for_mange: {
        title: 'The key has been replaced too often today',
        text: 'Try again tomorrow. The last key you got works. If it has leaked it can be replaced today as well: ask for a link for that.',
      },
    },
  },
} as const

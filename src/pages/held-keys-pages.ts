import { html } from 'ghtml'
import type { HeldKey, KeyChange, MadeKey } from '#src/access/named-keys.ts'
import type { Language } from '#src/core/language.ts'
import { norwegianDay } from '#src/core/norwegian-time.ts'
import { moment } from '#src/mail/templates/wording.ts'
import { textField } from './form-parts.ts'
import type { PageContent } from './layout.ts'
import type { Guest } from './lookup/guest.ts'
import { guestLine } from './lookup/guest-line.ts'
import { messagePage, nextButton } from './message-page.ts'
import { dateText } from './record-view/wording.ts'
import type { Visitor } from './visitor.ts'

/** What was typed, and what was wrong with it. */
type Refused = { navn: string; error: string }

const NAME = 'type="text" autocomplete="off" maxlength="60"'

/** The keys of whoever is in with the one that was bought, and a form that makes one more. */
export function heldKeysPage(
  {
    guest,
    token,
    held,
    ended,
    inUseMax,
    refused = null,
  }: {
    guest: Guest
    token: string
    held: readonly HeldKey[]
    ended: readonly HeldKey[]
    inUseMax: number
    refused?: Refused | null
  },
  visitor: Visitor,
): PageContent {
  const { language, at } = visitor
  const t = words[language]
  const rows = held.map(
    (key) => html`<tr><th scope="row">${key.navn ?? t.bought}</th><td><code>${key.id}</code></td>
<td>${dayOf(key.utstedt, language)}</td><td>${usedOn(key, language)}</td>
<td><a class="ds-link" href="${at(key.navn === null ? '/bytt-nokkel' : `/nokler/${key.id}`)}" aria-label="${t.about(key.navn)}">${key.navn === null ? t.replace : t.change}</a></td></tr>`,
  )
  return {
    title: refused === null ? t.title : `${t.errorPrefix} ${t.title}`,
    description: null,
    isHidden: true,
    main: html`<div class="ramme luft varsling">
!${guestLine(guest, visitor)}
<h1 class="ds-heading" data-size="lg">${t.title}</h1>
<p class="ds-paragraph ingress">${t.lead}</p>
<div class="rull" tabindex="0" role="region" aria-label="${t.caption}"><table class="ds-table"><caption>${t.caption}</caption>
<thead><tr><th scope="col">${t.name}</th><th scope="col">${t.id}</th><th scope="col">${t.made}</th><th scope="col">${t.used}</th><th scope="col">${t.action}</th></tr></thead>
<tbody>!${rows}</tbody></table></div>
<h2 class="ds-heading" data-size="sm" id="ny">${t.another}</h2>
<form class="skjema" method="post" action="${at('/nokler')}" novalidate>
<input type="hidden" name="skjema" value="${token}">
!${textField('navn', NAME, { label: t.newName, hint: t.newHint(inUseMax), value: refused?.navn ?? '', error: refused?.error ?? null })}
<button class="ds-button" type="submit">${t.make}</button>
</form>
<p class="ds-paragraph dempet">${t.together}</p>
!${
      ended.length === 0
        ? ''
        : html`<h2 class="ds-heading" data-size="sm">${t.endedTitle}</h2>
<ul class="ds-list">!${ended.map((key) => html`<li>${key.navn ?? t.nameless} <code>${key.id}</code>, ${t.endedAt(dayOf(key.tilbakekalt ?? key.utloper, language))}</li>`)}</ul>`
    }
</div>`,
  }
}

/** The one time a key is shown. */
export function madeKeyPage(
  made: Extract<MadeKey, { utfall: 'laget' }>,
  { language, at }: Visitor,
): PageContent {
  const t = words[language]
  return {
    title: t.madeTitle(made.navn),
    description: null,
    isHidden: true,
    main: html`<div class="ramme smal luft">
<div role="status"><h1 class="ds-heading" data-size="lg">${t.madeTitle(made.navn)}</h1>
<p class="ds-paragraph ingress" id="vist">${t.shownOnce}</p></div>
<div class="kode" role="region" aria-labelledby="vist" tabindex="0"><pre><code>${made.token}</code></pre></div>
<p class="ds-paragraph">${t.validUntil(made.id, moment(made.utloper, language))}</p>
!${nextButton(t.back, at('/nokler'))}
</div>`,
  }
}

/** One key with a name: what it is called, and its end. */
export function oneKeyPage(
  {
    guest,
    token,
    key,
    refused = null,
  }: { guest: Guest; token: string; key: HeldKey; refused?: Refused | null },
  visitor: Visitor,
): PageContent {
  const { language, at } = visitor
  const t = words[language]
  return {
    title:
      refused === null
        ? t.oneTitle(key.navn ?? key.id)
        : `${t.errorPrefix} ${t.oneTitle(key.navn ?? key.id)}`,
    description: null,
    isHidden: true,
    main: html`<div class="ramme smal luft">
!${guestLine(guest, visitor)}
<h1 class="ds-heading" data-size="lg">${t.oneTitle(key.navn ?? key.id)}</h1>
<p class="ds-paragraph ingress">${t.oneLead(key.id, dayOf(key.utstedt, language), usedOn(key, language))}</p>
<form class="skjema" method="post" action="${at(`/nokler/${key.id}/navn`)}" novalidate>
<input type="hidden" name="skjema" value="${token}">
!${textField('navn', NAME, { label: t.name, hint: t.nameHint, value: refused?.navn ?? key.navn ?? '', error: refused?.error ?? null })}
<button class="ds-button" type="submit">${t.rename}</button>
</form>
<h2 class="ds-heading" data-size="sm">${t.endTitle}</h2>
<p class="ds-paragraph">${t.endLead}</p>
<form class="skjema" method="post" action="${at(`/nokler/${key.id}/avslutt`)}">
<input type="hidden" name="skjema" value="${token}">
<button class="ds-button" data-color="danger" type="submit">${t.end}</button>
</form>
<p class="ds-paragraph"><a class="ds-link" href="${at('/nokler')}">${t.back}</a></p>
</div>`,
  }
}

/** Whoever is in with a key that was made beside the bought one, or with one that is over by now. */
export function notYourKeysPage({ language, at }: Visitor): PageContent {
  const t = words[language]
  return messagePage({ ...t.notYours, next: nextButton(t.enterOther, at('/logg-inn')) })
}

/** What is wrong with a wish that was refused. */
export function refusalOf(
  utfall: Extract<KeyChange, 'navn_i_bruk'> | 'for_mange',
  { language }: Pick<Visitor, 'language'>,
): string {
  return words[language].refused[utfall]
}

function dayOf(at: Date, language: Language): string {
  return dateText(norwegianDay(at), language)
}

function usedOn({ sistBrukt }: HeldKey, language: Language): string {
  return sistBrukt === null ? words[language].neverUsed : dateText(sistBrukt, language)
}

const words = {
  nb: {
    title: 'Nøklene dine',
    errorPrefix: 'Feil:',
    lead: 'Lag en nøkkel til hvert program eller hver kollega, og avslutt én uten å røre de andre. Alle hører til det samme kjøpet.',
    caption: 'Nøkler som virker',
    name: 'Navn',
    id: 'Id',
    made: 'Laget',
    used: 'Sist brukt',
    action: 'Endre',
    bought: 'Den du kjøpte',
    nameless: 'Uten navn',
    neverUsed: 'ikke ennå',
    replace: 'Bytt',
    change: 'Endre',
    about: (navn: string | null) => (navn === null ? 'Bytt nøkkelen du kjøpte' : `Endre ${navn}`),
    another: 'Lag én til',
    newName: 'Navn på den nye nøkkelen',
    newHint: (most: number) =>
      `Hva den skal brukes til, for eksempel «Regnskapssystemet». Høyst ${most} om gangen.`,
    nameHint: 'Hva den brukes til.',
    make: 'Lag nøkkelen',
    together:
      'Nøklene varer like lenge som den du kjøpte. Byttes den fordi andre kan ha sett den, refunderes eller tilbakekalles den, er alle over i samme øyeblikk. Er den bare mistet, virker de andre videre. Fornyer du, kommer det neste året med en ny nøkkel, og de andre lages på nytt ved siden av den. Bare med nøkkelen du kjøpte, kan du se og endre dette.',
    endedTitle: 'Avsluttet',
    endedAt: (day: string) => `over siden ${day}`,
    madeTitle: (navn: string) => `Nøkkelen «${navn}» er laget`,
    shownOnce: 'Kopier den nå. Den vises bare denne ene gangen, for vi har bare et avtrykk av den.',
    validUntil: (id: string, when: string) => `Den virker allerede, til ${when}. Id-en er ${id}.`,
    back: 'Til nøklene',
    oneTitle: (navn: string) => `Nøkkelen «${navn}»`,
    oneLead: (id: string, made: string, used: string) => `Id ${id}. Laget ${made}. Sist brukt: ${used}.`,
    rename: 'Endre navnet',
    endTitle: 'Avslutt nøkkelen',
    endLead:
      'Den slutter å virke med én gang, for godt. De andre nøklene virker som før. Endepunkter hører til kjøpet og blir stående: kan andre ha hatt nøkkelen, se over dem på /endepunkter.',
    end: 'Avslutt nøkkelen',
    notYours: {
      title: 'Nøklene endres med den du kjøpte',
      text: 'Du er inne med en nøkkel som er laget ved siden av den som ble kjøpt, eller med en som nettopp er over. Logg inn med den som kom på e-post, for å se, lage og avslutte nøkler.',
    },
    enterOther: 'Logg inn med en annen nøkkel',
    refused: {
      navn_i_bruk: 'En annen av nøklene heter det samme. Gi den et navn for seg.',
      for_mange:
        'Det er ikke plass til flere nøkler. Avslutt en du ikke trenger, eller ta kontakt om du trenger flere.',
    },
  },
  en: {
    title: 'Your keys',
    errorPrefix: 'Error:',
    lead: 'Make a key for each program or colleague, and end one without touching the others. All of them belong to the same purchase.',
    caption: 'Keys that work',
    name: 'Name',
    id: 'Id',
    made: 'Made',
    used: 'Last used',
    action: 'Change',
    bought: 'The one you bought',
    nameless: 'No name',
    neverUsed: 'not yet',
    replace: 'Replace',
    change: 'Change',
    about: (navn: string | null) => (navn === null ? 'Replace the key you bought' : `Change ${navn}`),
    another: 'Make another',
    newName: 'Name of the new key',
    newHint: (most: number) => `What it is for, such as “Accounting system”. ${most} at a time at most.`,
    nameHint: 'What it is for.',
    make: 'Make the key',
    together:
      'The keys last as long as the one you bought. If that is replaced because others may have seen it, refunded or revoked, all of them are over in the same moment. If it was only lost, the others go on. When you renew, the next year comes with a new key, and the others are made anew beside it. Only with the key you bought can you see and change this.',
    endedTitle: 'Ended',
    endedAt: (day: string) => `over since ${day}`,
    madeTitle: (navn: string) => `The key “${navn}” is made`,
    shownOnce: 'Copy it now. It is shown this one time, since all we have is a hash of it.',
    validUntil: (id: string, when: string) => `It works already, until ${when}. Its id is ${id}.`,
    back: 'To the keys',
    oneTitle: (navn: string) => `The key “${navn}”`,
    oneLead: (id: string, made: string, used: string) => `Id ${id}. Made ${made}. Last used: ${used}.`,
    rename: 'Change the name',
    endTitle: 'End the key',
    endLead:
      'It stops working at once, for good. The other keys work as before. Endpoints belong to the purchase and stay: if others may have had the key, look over them at /endepunkter.',
    end: 'End the key',
    notYours: {
      title: 'Keys are changed with the one you bought',
      text: 'You are in with a key that was made beside the one that was bought, or with one that is over since just now. Log in with the one that came by mail to see, make and end keys.',
    },
    enterOther: 'Log in with another key',
    refused: {
      navn_i_bruk: 'Another of the keys has this name. Give it one of its own.',
      for_mange: 'There is no room for more keys. End one you do not need, or get in touch if you need more.',
    },
  },
} as const

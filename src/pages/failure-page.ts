import { html } from 'ghtml'
import type { PageContent } from './layout.ts'
import { messagePage, nextButton } from './message-page.ts'
import type { Visitor } from './visitor.ts'

/** Why a page could not be shown or a form not be taken: what a person can make of it. */
export type FailureKind = keyof (typeof words)['nb']['kinds']

export const failureStatus: Record<FailureKind, number> = {
  ukjent: 404,
  fremmed: 403,
  for_mange: 429,
  skjema: 400,
  nokkel_i_adressen: 400,
  nokkel_i_listen: 400,
  ugyldig_nummer: 404,
  fullt: 409,
  trangt: 503,
  register: 503,
  stengt: 409,
  betaling: 503,
  lager: 503,
  feil: 500,
}

export function failurePage(kind: FailureKind, requestId: string, { language, at }: Visitor): PageContent {
  const t = words[language]
  return messagePage({
    ...t.kinds[kind],
    next: html`!${nextButton(t.home, at('/'), { isSecondary: true })}
!${kind === 'feil' ? html`<p class="ds-paragraph dempet">${t.id} ${requestId}</p>` : ''}`,
  })
}

const words = {
  nb: {
    home: 'Til forsiden',
    id: 'Oppgi dette om du tar kontakt:',
    kinds: {
      ukjent: { title: 'Siden finnes ikke', text: 'Adressen er feil, eller siden er borte.' },
      fremmed: {
        title: 'Skjemaet kom fra et annet nettsted',
        text: 'Av hensyn til sikkerheten tar vi bare imot skjemaer fra våre egne sider.',
      },
      for_mange: {
        title: 'For mange forsøk',
        text: 'Det har kommet mange forsøk på kort tid, fra nettverket ditt eller i alt. Vent noen minutter og prøv igjen.',
      },
      skjema: {
        title: 'Skjemaet kunne ikke leses',
        text: 'Gå tilbake, last siden på nytt og prøv igjen.',
      },
      nokkel_i_adressen: {
        title: 'Nøkkelen sto i adressen',
        text: 'Adresser blir logget underveis. Skriv nøkkelen bare i feltet på siden «Logg inn med nøkkel», og bytt den hvis den har stått i en adresse.',
      },
      nokkel_i_listen: {
        title: 'Det sto en nøkkel i listen',
        text: 'Listen er ikke slått opp, og nøkkelen er ikke lagret. Ta den ut og prøv igjen; nøkkelen skrives bare på siden «Logg inn med nøkkel».',
      },
      fullt: {
        title: 'Listen er full',
        text: 'Du overvåker så mange foretak som nøkkelen kan. Slutt å overvåke noen, og prøv igjen.',
      },
      ugyldig_nummer: {
        title: 'Det er ikke et organisasjonsnummer',
        text: 'Et organisasjonsnummer er ni siffer, og det siste er et kontrollsiffer. Se etter om et siffer er feil.',
      },
      trangt: {
        title: 'Mange slår opp akkurat nå',
        text: 'Det ble ikke din tur i tide. Vent noen sekunder og last siden på nytt.',
      },
      register: {
        title: 'Registeret svarer ikke akkurat nå',
        text: 'Vi har ikke noe vi kan vise uten det. Prøv igjen om et par minutter.',
      },
      stengt: {
        title: 'Salget er stengt',
        text: 'Det kan ikke kjøpes nøkler akkurat nå. Nøkler som er kjøpt, virker som før.',
      },
      betaling: {
        title: 'Vipps svarer ikke akkurat nå',
        text: 'Ingenting er trukket. Gå tilbake og prøv igjen om litt: det blir én ordre, uansett hvor mange ganger du prøver.',
      },
      lager: {
        title: 'Vi kan ikke svare akkurat nå',
        text: 'Ingenting er trukket eller gått tapt. Vent litt, og prøv det samme igjen.',
      },
      feil: { title: 'Noe gikk galt hos oss', text: 'Feilen er logget. Prøv igjen om litt.' },
    },
  },
  en: {
    home: 'To the front page',
    id: 'Give this if you get in touch:',
    kinds: {
      ukjent: { title: 'There is no such page', text: 'The address is wrong, or the page is gone.' },
      fremmed: {
        title: 'The form came from another site',
        text: 'For the sake of safety we take forms from our own pages only.',
      },
      for_mange: {
        title: 'Too many attempts',
        text: 'There have been many attempts in a short time, from your network or in all. Wait some minutes and try again.',
      },
      skjema: {
        title: 'The form could not be read',
        text: 'Go back, load the page again and retry.',
      },
      nokkel_i_adressen: {
        title: 'The key was in the address',
        text: 'Addresses are logged along the way. Type the key only in the field of the page "Log in with a key", and replace it if it stood in an address.',
      },
      nokkel_i_listen: {
        title: 'There was a key in the list',
        text: 'The list was not looked up, and the key was not stored. Take it out and try again; the key is typed only on the page "Log in with a key".',
      },
      fullt: {
        title: 'The list is full',
        text: 'You watch as many companies as the key may. Stop watching some, and try again.',
      },
      ugyldig_nummer: {
        title: 'That is no organisation number',
        text: 'An organisation number is nine digits, the last of which is a check digit. Look whether a digit is wrong.',
      },
      trangt: {
        title: 'Many are looking up just now',
        text: 'Your turn did not come in time. Wait some seconds and load the page again.',
      },
      register: {
        title: 'The register does not answer just now',
        text: 'We have nothing to show without it. Try again in a couple of minutes.',
      },
      stengt: {
        title: 'The sale is closed',
        text: 'Keys can not be bought just now. Those that were bought work as before.',
      },
      betaling: {
        title: 'Vipps does not answer just now',
        text: 'Nothing has been taken. Go back and try again shortly: it becomes one order, however often you try.',
      },
      lager: {
        title: 'We can not answer just now',
        text: 'Nothing has been taken, and nothing is lost. Wait a little, and try the same again.',
      },
      feil: { title: 'Something went wrong with us', text: 'It has been logged. Try again shortly.' },
    },
  },
} as const

import { html } from 'ghtml'
import type { Bedrift } from '#src/record/record.ts'
import type { PageContent } from './layout.ts'
import { messagePage, nextButton } from './message-page.ts'
import { recordView } from './record-view/record-view.ts'
import { dateText, orgnrText } from './record-view/wording.ts'
import type { Visitor } from './visitor.ts'

/** A whole record of a company that does not exist. */
export function examplePage(record: Bedrift, { language, at }: Visitor): PageContent {
  const t = words[language]
  return {
    title: t.title(record.navn ?? orgnrText(record.organisasjonsnummer)),
    description: t.description,
    main: html`<div class="ramme luft">
<div class="ds-alert merknad" data-color="info"><p class="ds-paragraph">${t.invented} <a class="ds-link" href="${at('/eksempler')}">${t.more}</a></p></div>
!${recordView(record, language)}
<p class="knapper"><a class="ds-button" href="${at('/kjop')}">${t.buy}</a> <a class="ds-button" data-variant="secondary" href="${at('/dokumentasjon')}">${t.documentation}</a></p>
</div>`,
  }
}

/** What is left of a company that was taken out of the open register: its number, and since when. */
export function removedExamplePage(
  { orgnr, slettedato }: { orgnr: string; slettedato: string | null },
  { language, at }: Visitor,
): PageContent {
  const t = words[language]
  return messagePage({
    title: t.removedTitle,
    text: t.removed(orgnrText(orgnr), slettedato === null ? null : dateText(slettedato, language)),
    next: nextButton(t.more, at('/eksempler'), { isSecondary: true }),
    isHidden: false,
  })
}

const words = {
  nb: {
    title: (name: string) => `Eksempel: ${name}`,
    description: 'En hel oppføring om et oppdiktet foretak: roller, eierskap, nøkkeltall og kilder.',
    invented:
      'Foretaket, menneskene og tallene er oppdiktet. Svaret fra tjenesten er JSON; slik kan det vises for mennesker.',
    more: 'Se flere oppdiktede foretak',
    buy: 'Kjøp nøkkel',
    documentation: 'Les dokumentasjonen',
    removedTitle: 'Fjernet fra registeret',
    removed: (orgnr: string, date: string | null) =>
      `${orgnr} er fjernet fra det åpne registeret på rettslig grunnlag${date === null ? '' : `, ${date}`}. Tjenesten svarer 410, viser ikke noe mer om foretaket og sletter det den hadde.`,
  },
  en: {
    title: (name: string) => `Example: ${name}`,
    description: 'A whole record of an invented company: roles, ownership, key figures and sources.',
    invented:
      'The company, the people and the figures are invented. The service answers in JSON; this is how it can be shown to people.',
    more: 'See more invented companies',
    buy: 'Buy a key',
    documentation: 'Read the documentation',
    removedTitle: 'Removed from the register',
    removed: (orgnr: string, date: string | null) =>
      `${orgnr} has been removed from the open register on legal grounds${date === null ? '' : `, ${date}`}. The service answers 410, shows nothing more of the company and erases what it had.`,
  },
}

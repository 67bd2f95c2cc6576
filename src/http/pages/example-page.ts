import { html } from 'ghtml'
import type { PageContent } from './layout.ts'
import { recordView } from './record-view/record-view.ts'
import { sampleRecord } from './sample/sample-record.ts'
import type { Visitor } from './visitor.ts'

/** A whole record of a company that does not exist. */
export function examplePage({ language, at }: Visitor): PageContent {
  const t = words[language]
  return {
    title: t.title,
    description: t.description,
    main: html`<div class="ramme luft">
<div class="ds-alert merknad" data-color="info"><p class="ds-paragraph">${t.invented}</p></div>
!${recordView(sampleRecord, language)}
<p class="knapper"><a class="ds-button" href="${at('/kjop')}">${t.buy}</a> <a class="ds-button" data-variant="secondary" href="/dokumentasjon">${t.documentation}</a></p>
</div>`,
  }
}

const words = {
  nb: {
    title: 'Eksempel på en oppføring',
    description: 'En hel oppføring om et oppdiktet foretak: roller, eierskap, nøkkeltall og kilder.',
    invented:
      'Foretaket, menneskene og tallene er oppdiktet. Svaret fra tjenesten er JSON; slik kan det vises for mennesker.',
    buy: 'Kjøp nøkkel',
    documentation: 'Les dokumentasjonen',
  },
  en: {
    title: 'Example of a record',
    description: 'A whole record of an invented company: roles, ownership, key figures and sources.',
    invented:
      'The company, the people and the figures are invented. The service answers in JSON; this is how it can be shown to people.',
    buy: 'Buy a key',
    documentation: 'Read the documentation',
  },
}

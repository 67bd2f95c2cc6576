import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { Bedrift } from '#src/record/record.ts'
import { sections } from '#src/record/sections.ts'
import { stateText } from './wording.ts'

type Lacking = { section: (typeof sections)[number]; advice: keyof (typeof words)['nb']['advice'] }

/** What this answer does not have, why, and when it is worth looking again; nothing when it has everything. */
export function missingParts(record: Bedrift, language: Language): string {
  const t = words[language]
  const lacking = sections.flatMap((section): Lacking[] => {
    const { tilstand, arsak } = record.kilder[section.name]
    if (tilstand === 'utilgjengelig') return [{ section, advice: arsak?.kode === 'avslatt' ? 'off' : 'soon' }]
    if (tilstand === 'utdatert') return [{ section, advice: 'older' }]
    return tilstand === 'ikke_importert' ? [{ section, advice: 'archive' }] : []
  })
  if (lacking.length === 0) return ''
  return html`<section class="ds-alert merknad" data-color="warning" aria-labelledby="mangler">
<h2 class="ds-heading" data-size="2xs" id="mangler">${t.title}</h2>
<ul class="ds-list">!${lacking.map(
    ({ section: { name, title }, advice }) =>
      html`<li><strong>${title[language]}</strong>: ${stateText(record.kilder[name].tilstand, language)}. ${t.advice[advice]}</li>`,
  )}</ul>
</section>`
}

const words = {
  nb: {
    title: 'Dette mangler i svaret nå',
    advice: {
      soon: 'Kilden spørres på nytt neste gang noen slår opp: prøv igjen om et par minutter.',
      off: 'Kilden er slått av her, og kommer ikke før den slås på igjen.',
      older: 'Det som vises, er en eldre kopi som fornyes: last siden på nytt om et par minutter.',
      archive: 'Filen er ikke lest inn her ennå. Det kommer når den er det, og ikke før.',
    },
  },
  en: {
    title: 'This is missing from the answer now',
    advice: {
      soon: 'The source is asked again the next time somebody looks: try again in a couple of minutes.',
      off: 'The source is switched off here, and comes only when it is switched on again.',
      older:
        'What is shown is an older copy that is being renewed: load the page again in a couple of minutes.',
      archive: 'The file has not been read in here yet. It comes when it has been, and not before.',
    },
  },
}

import { html } from 'ghtml'
import { type ProblemCode, problems } from '../http/problems.ts'
import type { PageContent } from './layout.ts'
import { advice } from './problem-advice.ts'
import type { Visitor } from './visitor.ts'

/** What one code means, what to check and what to do: for the caller, and for whoever runs the service. */
export function problemPage(kode: ProblemCode, { language, at }: Visitor): PageContent {
  const { status, title, detail } = problems[kode]
  const { check, act, operator } = advice[kode]
  const t = words[language]
  return {
    title: `${title[language]} (${kode})`,
    description: detail[language],
    main: html`<div class="ramme smal luft tekstside">
<h1 class="ds-heading" data-size="lg">${title[language]}</h1>
<p class="ds-paragraph dempet"><code>${kode}</code>, HTTP ${status}</p>
!${section(t.means, detail[language])}
!${section(t.check, check[language])}
!${section(t.act, act[language])}
!${operator === undefined ? '' : section(t.operator, operator[language])}
<p class="ds-paragraph luft"><a class="ds-link" href="${at('/dokumentasjon/feil')}">${t.documentation}</a></p>
</div>`,
  }
}

/** What stands between backticks in the words is something to type. */
function section(title: string, text: string): string {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
  return html`<section><h2 class="ds-heading" data-size="sm">${title}</h2><p class="ds-paragraph">!${parts}</p></section>`
}

const words = {
  nb: {
    means: 'Hva det betyr',
    check: 'Hva du kan se etter',
    act: 'Hva du kan gjøre',
    operator: 'For den som driver tjenesten',
    documentation: 'Alle feilkodene',
  },
  en: {
    means: 'What it means',
    check: 'What to check',
    act: 'What to do',
    operator: 'For whoever runs the service',
    documentation: 'All codes',
  },
} as const

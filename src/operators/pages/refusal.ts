import { html } from 'ghtml'
import { layout } from './layout.ts'

/** Why a page is not shown to a person. */
export function refusalPage(text: string): string {
  return layout(
    { title: 'Det gikk ikke', operator: null, path: '' },
    html`<div class="ds-alert" data-color="warning" role="alert">${text}</div>
<p class="ds-paragraph"><a class="ds-link" href="/">Til oversikten</a></p>`,
  )
}

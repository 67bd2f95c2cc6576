import { html } from 'ghtml'

/** A page of text: a title, a date or an opening, and sections with headings one can link to. */
export type TextSection = {
  id: string
  title: string
  /** Paragraphs; an array is a list. Written HTML: what comes from configuration is escaped by whoever writes it. */
  text: readonly (string | readonly string[])[]
}

export function textPage(title: string, opening: string, sections: readonly TextSection[]): string {
  return html`<div class="ramme smal luft tekstside">
<h1 class="ds-heading" data-size="lg">${title}</h1>
<p class="ds-paragraph ingress">${opening}</p>
!${sections.map(
    ({ id, title, text }) => html`<section aria-labelledby="${id}">
<h2 class="ds-heading" data-size="sm" id="${id}">${title}</h2>
!${text.map((part) =>
      typeof part === 'string'
        ? html`<p class="ds-paragraph">!${part}</p>`
        : html`<ul class="ds-list">!${part.map((each) => html`<li>!${each}</li>`)}</ul>`,
    )}
</section>`,
  )}
</div>`
}

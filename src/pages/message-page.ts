import { html } from 'ghtml'
import type { PageContent } from './layout.ts'

/**
 * A page that says one thing and where to go from it: how something ended, or why it could not be done.
 *
 * @param next HTML below it; empty when there is nowhere to go
 * @param isOutcome of what the visitor has just done: whoever listens to the page is told at once
 */
export function messagePage({
  title,
  text,
  next = '',
  isHidden = true,
  isOutcome = false,
}: {
  title: string
  text: string
  next?: string
  isHidden?: boolean
  isOutcome?: boolean
}): PageContent {
  const said = html`<h1 class="ds-heading" data-size="lg">${title}</h1>
<p class="ds-paragraph ingress">${text}</p>`
  return {
    title,
    description: null,
    isHidden,
    main: html`<div class="ramme smal luft">
!${isOutcome ? html`<div role="status">!${said}</div>` : said}
!${next}
</div>`,
  }
}

export function nextButton(
  label: string,
  address: string,
  { isSecondary = false }: { isSecondary?: boolean } = {},
): string {
  return html`<p class="knapper"><a class="ds-button"!${isSecondary ? ' data-variant="secondary"' : ''} href="${address}">${label}</a></p>`
}

import { html } from 'ghtml'

/** Where a company's own page is; null where there is none that this visitor could see. */
export type LinkTo = (organisasjonsnummer: string) => string | null

export const noLinks: LinkTo = () => null

/** The text, as a link to the company's page where there is one. */
export function linked(text: string, organisasjonsnummer: string | null, linkTo: LinkTo): string {
  const address = organisasjonsnummer === null ? null : linkTo(organisasjonsnummer)
  return address === null ? html`${text}` : html`<a class="ds-link" href="${address}">${text}</a>`
}

import { html } from 'ghtml'

type TextField = { label: string; hint: string; value: string; error: string | null }

/**
 * A field one types in, which must be filled in: what it is for stands above, what was wrong with it below, and both are read out
 * with it.
 *
 * @param name the field's, and the beginning of its ids
 * @param attributes what a browser is to know of it; written HTML
 */
export function textField(
  name: string,
  attributes: string,
  { label, hint, value, error }: TextField,
): string {
  return html`<div class="ds-field">
<label class="ds-label" for="${name}">${label}</label>
<p data-field="description" id="${name}-hjelp">${hint}</p>
<input class="ds-input" id="${name}" name="${name}" !${attributes} required value="${value}" aria-describedby="${name}-hjelp!${error === null ? '' : html` ${name}-feil`}"!${error === null ? '' : ' aria-invalid="true"'}>
!${error === null ? '' : html`<p class="ds-validation-message" data-color="danger" id="${name}-feil">${error}</p>`}
</div>`
}

/** One e-mail address. */
export function emailField(field: TextField): string {
  return textField(
    'epost',
    'type="email" autocomplete="email" inputmode="email" autocapitalize="none" spellcheck="false" maxlength="254"',
    field,
  )
}

export function choiceField({
  type,
  name,
  value,
  id,
  label,
  hint,
  isChosen = false,
  error = null,
}: {
  type: 'checkbox' | 'radio'
  name: string
  value: string
  id: string
  /** Written HTML. */
  label: string
  hint?: string
  isChosen?: boolean
  error?: string | null
}): string {
  const described = [hint === undefined ? '' : `${id}-hjelp`, error === null ? '' : `${id}-feil`]
    .filter((part) => part !== '')
    .join(' ')
  return html`<div class="ds-field valg">
<input class="ds-input" type="${type}" id="${id}" name="${name}" value="${value}" required!${isChosen ? ' checked' : ''}!${described === '' ? '' : html` aria-describedby="${described}"`}!${error === null ? '' : ' aria-invalid="true"'}>
<label class="ds-label" for="${id}">!${label}</label>
!${hint === undefined ? '' : html`<p data-field="description" id="${id}-hjelp">${hint}</p>`}
!${error === null ? '' : html`<p class="ds-validation-message" data-color="danger" id="${id}-feil">${error}</p>`}
</div>`
}

/** Name and value, one under the other on a phone. */
export function factList(rows: readonly (readonly [name: string, value: string])[]): string {
  return html`<dl class="fakta">!${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

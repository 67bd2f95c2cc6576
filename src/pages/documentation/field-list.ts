import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import { pathOf } from './contents.ts'
import type { DocumentedField } from './schema.ts'

/** Fields with what they hold, each with an address of its own (`#name`) at the outermost level. */
export function fieldList(
  fields: readonly DocumentedField[],
  language: Language,
  at: (path: string) => string,
  isOuter = true,
): string {
  if (fields.length === 0) return ''
  const t = words[language]
  return html`<dl class="felt">!${fields.map(
    (field) => html`<div!${isOuter ? html` id="${field.name}"` : ''}>
<dt><code>${field.name}</code> <span class="felt__type">!${typeText(field, at)}${field.isNullable ? ` ${t.orNull}` : ''}${field.isRequired ? '' : `, ${t.optional(field.standard)}`}${field.isDeprecated ? `, ${t.deprecated}` : ''}</span></dt>
<dd>!${description(field.description)}!${
      field.fields.length === 0
        ? ''
        : html`<details><summary>${t.fields(field.fields.length)}</summary>!${fieldList(field.fields, language, at, false)}</details>`
    }</dd>
</div>`,
  )}</dl>`
}

/** The names in it lead to their pages. */
export function typeText(
  { type, names }: Pick<DocumentedField, 'type' | 'names'>,
  at: (path: string) => string,
): string {
  return type
    .split(/(\w+)/)
    .map((part) =>
      names.includes(part)
        ? html`<a class="ds-link" href="${at(pathOf.type(part))}">${part}</a>`
        : html`${part}`,
    )
    .join('')
}

function description(text: string): string {
  return text === '' ? '' : html`<p class="ds-paragraph" data-size="sm">${text}</p>`
}

const words = {
  nb: {
    orNull: 'eller null',
    optional: (standard: string | null) => (standard === null ? 'kan mangle' : `${standard} når den mangler`),
    deprecated: 'foreldet',
    fields: (count: number) => `${count} felt`,
  },
  en: {
    orNull: 'or null',
    optional: (standard: string | null) =>
      standard === null ? 'may be missing' : `${standard} when it is missing`,
    deprecated: 'deprecated',
    fields: (count: number) => `${count} fields`,
  },
}

import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { Visitor } from '../visitor.ts'

/**
 * The field companies are looked up in. Without script it is a form that leads to a list; the script gives suggestions as one
 * types, in words that stand here.
 *
 * @param id of the field: a page may have two
 * @param more written HTML within the form, as filters
 */
export function searchForm(
  { language, chosen, at }: Pick<Visitor, 'language' | 'chosen' | 'at'>,
  { id, q = '', isLarge = false, more = '' }: { id: string; q?: string; isLarge?: boolean; more?: string },
): string {
  const t = searchWords[language]
  return html`<form class="sok!${isLarge ? ' sok--stor' : ''}" action="/oppslag" method="get" role="search" aria-label="${t.label}">
!${chosen === null ? '' : html`<input type="hidden" name="lang" value="${chosen}">`}
<label class="!${isLarge ? 'ds-label' : 'ds-sr-only'}" for="${id}">${t.field}</label>
<div class="sok__rad">
<div class="sok__felt" data-forslag="${at('/oppslag/forslag')}" data-ett="${t.one}" data-flere="${t.several}" data-ingen="${t.none}" data-navn="${t.suggestions}">
<input class="ds-input" id="${id}" name="q" type="search" value="${q}" maxlength="180" autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="search" placeholder="${t.placeholder}">
</div>
<button class="ds-button" type="submit"!${isLarge ? '' : ' data-variant="secondary"'}>${t.search}</button>
</div>
!${more}
</form>`
}

const searchWords: Record<
  Language,
  Record<'label' | 'field' | 'placeholder' | 'search' | 'suggestions' | 'one' | 'several' | 'none', string>
> = {
  nb: {
    label: 'Slå opp foretak',
    field: 'Navn eller organisasjonsnummer',
    placeholder: 'Navn eller org.nr.',
    search: 'Slå opp',
    suggestions: 'Forslag',
    one: '1 forslag. Velg med piltastene.',
    several: '{antall} forslag. Velg med piltastene.',
    none: 'Ingen forslag.',
  },
  en: {
    label: 'Look up a company',
    field: 'Name or organisation number',
    placeholder: 'Name or number',
    search: 'Look up',
    suggestions: 'Suggestions',
    one: '1 suggestion. Choose with the arrow keys.',
    several: '{antall} suggestions. Choose with the arrow keys.',
    none: 'No suggestions.',
  },
}

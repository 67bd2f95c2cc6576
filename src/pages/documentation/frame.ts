import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { PageContent } from '../layout.ts'
import type { Visitor } from '../visitor.ts'
import { type Contents, pathOf } from './contents.ts'

/** A page of the documentation: what there is to read beside it, or over it where the screen is narrow. */
export function inFrame(
  { title, description, main, isHidden }: Pick<PageContent, 'title' | 'description' | 'main' | 'isHidden'>,
  contents: Contents,
  current: string,
  { language, at }: Visitor,
): PageContent {
  const t = words[language]
  const link = (path: string, text: string, code = false) => {
    const here = path === current ? ' aria-current="page"' : ''
    const shown = code ? html`<code>${text}</code>` : html`${text}`
    return html`<li><a class="ds-link" href="${at(path)}"!${here}>!${shown}</a></li>`
  }
  const menu = html`<form class="dok__sok" action="/dokumentasjon/sok" role="search">
<label class="ds-label" for="dok-sok">${t.search}</label>
<input class="ds-input" id="dok-sok" name="q" type="search" maxlength="200">
!${language === 'en' ? '<input type="hidden" name="lang" value="en">' : ''}
<button class="ds-button" data-variant="secondary" type="submit">${t.find}</button>
</form>
<h2 class="ds-heading" data-size="2xs">${t.guides}</h2>
<ul class="dok__liste">!${contents.guides.map(({ slug, title: name }) => link(pathOf.guide(slug), name))}!${link('/dokumentasjon/endringer', t.changes)}</ul>
<h2 class="ds-heading" data-size="2xs">${t.calls}</h2>
<ul class="dok__liste">!${contents.operations.map(({ id, method, path }) => link(pathOf.operation(id), `${method} ${path.replace(REPEATED, '…')}`, true))}</ul>
<ul class="dok__liste">!${link(pathOf.console, t.console)}!${link(pathOf.types, t.types)}<li><a class="ds-link" href="/openapi.json">OpenAPI</a></li></ul>`
  return {
    title,
    description,
    ...(isHidden === undefined ? {} : { isHidden }),
    main: html`<div class="ramme luft dok">
<details class="dok__meny dok__meny--smal"><summary>${t.contents}</summary><nav aria-label="${t.contents}">!${menu.replaceAll('dok-sok', 'dok-sok-smal')}</nav></details>
<nav class="dok__meny dok__meny--bred" aria-label="${t.contents}">!${menu}</nav>
<div class="dok__tekst tekstside">
!${main}
</div>
</div>`,
  }
}

/** What many calls begin with, and nobody has to read in each. */
const REPEATED = /^\/api\/bedrift|^\/api\/endepunkter(?=\/)/

const words = {
  nb: {
    search: 'Søk i dokumentasjonen',
    find: 'Søk',
    guides: 'Les',
    calls: 'Kall',
    types: 'Alle typer',
    console: 'Prøv alle kall',
    contents: 'Innhold',
    changes: 'Stabilitet og endringer',
  },
  en: {
    search: 'Search the documentation',
    find: 'Search',
    guides: 'Read',
    calls: 'Calls',
    types: 'All types',
    console: 'Try every call',
    contents: 'Contents',
    changes: 'Stability and changes',
  },
} satisfies Record<Language, Record<string, string>>

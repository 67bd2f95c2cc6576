import { html } from 'ghtml'
import type { Language, Words } from '#src/core/language.ts'
import { plainLines } from '#src/core/plain-line.ts'
import { contactAddress, organisationNumber } from '#src/mail/templates/wording.ts'
import type { Assets } from './assets.ts'
import { searchForm } from './lookup/search-form.ts'
import type { Visitor } from './visitor.ts'

export type PageContent = {
  title: string
  /** For search engines and previews; null for pages that are nobody's but the visitor's. */
  description: string | null
  /** Written HTML. Begins with the page's one `h1`, or holds it. */
  main: string
  /** The page asks again by itself: the address without script, and seconds. */
  refreshSeconds?: number
  /** Loaded at the end; `defer`. */
  script?: string
  /** It has the search field in its own place, so there is none over it. */
  hasOwnSearch?: boolean
  /** What is told on the page as a feed that can be followed. */
  feed?: { url: string; title: string }
  /** Asked of search engines on pages that are somebody's own. */
  isHidden?: boolean
}

export type Frame = {
  assets: Assets
  /** Who runs the service, as it stands at the foot of each page; null when nothing is sold. */
  seller: { name: string; organisationNumber: string; address: string } | null
  /** An e-mail or web address a person answers at. */
  contact: string
}

/** One whole page: what is around the content, the same everywhere. Nothing a stranger is called turns round what stands beside it. */
export function wholePage(content: PageContent, visitor: Visitor, frame: Frame): string {
  const { language, inOtherLanguage, at } = visitor
  const t = words[language]
  const { assets } = frame
  const title = content.title === NAME ? NAME : `${content.title} – ${NAME}`
  return plainLines(html`<!doctype html>
<html lang="${language}" data-color-scheme="auto">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
!${content.description === null ? '' : html`<meta name="description" content="${content.description}">`}
!${content.isHidden === true ? '<meta name="robots" content="noindex, nofollow">' : ''}
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assets.mark.path}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style.path}">
!${content.feed === undefined ? '' : html`<link rel="alternate" type="application/atom+xml" href="${content.feed.url}" title="${content.feed.title}">`}
!${content.refreshSeconds === undefined ? '' : html`<noscript><meta http-equiv="refresh" content="${content.refreshSeconds}"></noscript>`}
<script src="${assets.lookupScript.path}" defer></script>
!${content.script === undefined ? '' : html`<script src="${content.script}" defer></script>`}
</head>
<body>
<a class="ds-skip-link" href="#innhold">${t.skip}</a>
<header class="topp">
<div class="ramme topp__rad">
<a class="merke" href="${at('/')}"><img src="${assets.mark.path}" alt="" width="28" height="28"><span>${NAME}</span></a>
!${content.hasOwnSearch === true ? '' : searchForm(visitor, { id: 'sok-topp' })}
<nav class="meny" aria-label="${t.menu}">
<ul>
<li><a class="ds-link" href="${at('/oppslag')}">${t.lookup}</a></li>
<li><a class="ds-link" href="${at('/eksempel')}">${t.example}</a></li>
<li><a class="ds-link" href="${at('/dokumentasjon')}">${t.documentation}</a></li>
<li><a class="ds-link" href="${at('/dokumentasjon/endringer')}">${t.changes}</a></li>
<li><a class="ds-link" href="${at('/kjop')}">${t.buy}</a></li>
</ul>
</nav>
<a class="ds-link sprak" href="${inOtherLanguage.url}" hreflang="${inOtherLanguage.language}" lang="${inOtherLanguage.language}">${languageNames[inOtherLanguage.language]}</a>
</div>
</header>
<main id="innhold" tabindex="-1">
!${content.main}
</main>
<footer class="bunn">
<div class="ramme bunn__rad">
<div>
<p class="bunn__navn">${NAME}</p>
!${seller(frame, language)}
</div>
<nav aria-label="${t.footMenu}">
<ul>
<li><a class="ds-link" href="${at('/vilkar')}">${t.terms}</a></li>
<li><a class="ds-link" href="${at('/personvern')}">${t.privacy}</a></li>
<li><a class="ds-link" href="${at('/bytt-nokkel')}">${t.replace}</a></li>
<li><a class="ds-link" href="${at('/eksempler')}">${t.examples}</a></li>
<li><a class="ds-link" href="${at('/status')}">${t.status}</a></li>
<li><a class="ds-link" href="${at('/dokumentasjon')}">${t.documentation}</a></li>
</ul>
</nav>
<p class="bunn__kilder">${t.sources}</p>
</div>
</footer>
</body>
</html>
`)
}

export const NAME = 'Bedriftsoppslag'

/** A link to whoever answers: by mail where the address is one. */
export function contactLink(contact: string): string {
  return html`<a class="ds-link" href="${contactAddress(contact)}">${contact}</a>`
}

function seller({ seller, contact }: Frame, language: Language): string {
  const t = words[language]
  const who =
    seller === null
      ? ''
      : html`<p>${seller.name}<br>${t.orgnr} ${organisationNumber(seller.organisationNumber)}<br>${seller.address}</p>`
  return html`!${who}<p>!${contactLink(contact)}</p>`
}

const languageNames: Words = { nb: 'Norsk', en: 'English' }

const words = {
  nb: {
    orgnr: 'Org.nr.',
    skip: 'Hopp til innholdet',
    menu: 'Meny',
    lookup: 'Slå opp',
    footMenu: 'Mer om tjenesten',
    example: 'Eksempel',
    documentation: 'Dokumentasjon',
    changes: 'Endringslogg',
    buy: 'Kjøp nøkkel',
    terms: 'Vilkår',
    privacy: 'Personvern',
    replace: 'Bytt nøkkel',
    examples: 'Oppdiktede foretak',
    status: 'Driftsstatus',
    sources:
      'Opplysninger fra Brønnøysundregistrene (NLOD 2.0), Statistisk sentralbyrå (CC BY 4.0) og Skatteetaten. Tjenesten er ikke et offentlig register.',
  },
  en: {
    orgnr: 'Org. no.',
    skip: 'Skip to the content',
    menu: 'Menu',
    lookup: 'Look up',
    footMenu: 'More about the service',
    example: 'Example',
    documentation: 'Documentation',
    changes: 'Changelog',
    buy: 'Buy a key',
    terms: 'Terms',
    privacy: 'Privacy',
    replace: 'Replace a key',
    examples: 'Invented companies',
    status: 'Service status',
    sources:
      'Data from Brønnøysundregistrene (NLOD 2.0), Statistics Norway (CC BY 4.0) and the Norwegian Tax Administration. This service is not a public register.',
  },
} as const satisfies Record<Language, Record<string, string>>

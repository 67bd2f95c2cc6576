import { html } from 'ghtml'
import { plainLines } from '#src/core/plain-line.ts'
import type { Operator } from '#src/ops/operators.ts'

/** What stands around every page. `title` is also the heading. Nothing a stranger is called turns round what stands beside it. */
export function layout(
  {
    title,
    operator,
    path,
    live = false,
  }: { title: string; operator: Operator | null; path: string; live?: boolean },
  body: string,
): string {
  return plainLines(html`<!doctype html>
<html lang="nb" data-color-scheme="auto">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${title} – drift</title>
<link rel="stylesheet" href="/stil/designsystemet.css">
<link rel="stylesheet" href="/stil/tema.css">
<link rel="stylesheet" href="/stil/drift.css">
!${live ? '<script src="/stil/drift.js" defer></script>' : ''}
</head>
<body>
<a class="ds-skip-link" href="#innhold">Til innholdet</a>
<header class="topp">
<strong>Bedriftsoppslag, drift</strong>
!${operator === null ? '' : navigation(operator, path)}
</header>
<main id="innhold" tabindex="-1">
<h1 class="ds-heading" data-size="md">${title}</h1>
!${body}
</main>
</body>
</html>`)
}

const PAGES = [
  ['/', 'Oversikt'],
  ['/levetider', 'Levetider'],
  ['/foretak', 'Foretak'],
  ['/ordre', 'Ordre'],
  ['/nokler', 'Nøkler'],
  ['/epost', 'E-post'],
  ['/jobber/', 'Jobber'],
  ['/sok', 'Søkeindeks'],
  ['/kanari', 'Kanari'],
  ['/spor', 'Spor'],
] as const

function navigation({ navn, rolle }: Operator, path: string): string {
  const links = PAGES.map(([href, name]) =>
    href === path
      ? html`<a class="ds-link" href="${href}" aria-current="page">${name}</a>`
      : html`<a class="ds-link" href="${href}">${name}</a>`,
  ).join('\n')
  return html`<nav aria-label="Hovedmeny">!${links}</nav>
<form method="post" action="/ut" class="hvem"><span>${navn} (${rolle})</span> <button class="ds-button" data-variant="tertiary" data-size="sm">Logg ut</button></form>`
}

/** A table with its headings; cells are HTML already. */
export function dataTable(
  caption: string,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (rows.length === 0) return html`<p class="ds-paragraph">${caption}: ingen.</p>`
  // Roles are written out: some browsers forget a table's own where the narrow screen shows its rows as cards.
  const heads = headings.map((heading) => html`<th scope="col" role="columnheader">${heading}</th>`)
  const body = rows.map((row) => {
    const cells = row.map(
      (cell, index) => html`<td role="cell" data-navn="${headings[index] ?? ''}">!${cell}</td>`,
    )
    return html`<tr role="row">!${cells}</tr>`
  })
  return html`<div class="rull" tabindex="0" role="region" aria-label="${caption}">
<table class="ds-table !${headings.length > COLUMNS_ON_PHONE ? 'kort' : ''}" data-size="sm" role="table"><caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">!${heads}</tr></thead>
<tbody role="rowgroup">!${body.join('\n')}</tbody>
</table></div>`
}

/** More do not fit beside each other on a phone. */
const COLUMNS_ON_PHONE = 3

/** Something to see at once: what is well, what wants attention, and what is wrong. */
export function tag(text: string, colour: 'success' | 'warning' | 'danger' | 'neutral'): string {
  return html`<span class="ds-tag" data-size="sm" data-color="${colour}">${text}</span>`
}

/** With a comma, as it is written in Norwegian. */
export function decimalText(value: number, digits: number): string {
  return value.toFixed(digits).replace('.', ',')
}

/** Escaped, for a cell. */
export function cellText(value: string | number | null): string {
  return html`${value === null ? '–' : String(value)}`
}

/** The two fields every change wants: why, and the button. Nothing for those who may not. */
export function changeForm(
  {
    operator,
    action,
    button,
    isDanger = false,
  }: { operator: Operator; action: string; button: string; isDanger?: boolean },
  hidden: Readonly<Record<string, string>>,
  fields = '',
): string {
  if (operator.rolle !== 'skrive') return ''
  const id = `hvorfor${action.replaceAll('/', '-')}-${Object.values(hidden)
    .join('-')
    .replaceAll(/[^a-z0-9-]/gi, '')}`
  const inputs = Object.entries(hidden)
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
    .join('')
  return html`<form method="post" action="${action}" class="endring">
!${inputs}!${fields}
<div class="ds-field"><label class="ds-label" for="${id}">Hvorfor</label>
<input class="ds-input" id="${id}" name="hvorfor" required minlength="3" maxlength="300" autocomplete="off"></div>
<button class="ds-button" !${isDanger ? 'data-color="danger"' : ''}>${button}</button>
</form>`
}

export function timeText(at: Date | string | null): string {
  if (at === null) return '–'
  const iso = typeof at === 'string' ? at : at.toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`
}

/** "3 d 4 t", "12 min", "8 s". */
export function duration(seconds: number): string {
  const whole = Math.round(seconds)
  const units = [
    [86_400, 'd'],
    [3600, 't'],
    [60, 'min'],
    [1, 's'],
  ] as const
  const parts: string[] = []
  let left = whole
  for (const [size, name] of units) {
    const count = Math.floor(left / size)
    left -= count * size
    if (count > 0) parts.push(`${count} ${name}`)
    if (parts.length === 2) break
  }
  return parts.join(' ') || '0 s'
}

export function bytesText(count: number): string {
  return count >= 1e9 ? `${decimalText(count / 1e9, 1)} GB` : `${decimalText(count / 1e6, 1)} MB`
}

export function shareText(share: number | null): string {
  return share === null ? '–' : `${decimalText(share * 100, share > 0.995 && share < 1 ? 2 : 1)} %`
}

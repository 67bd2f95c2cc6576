import { html } from 'ghtml'
import { Marked } from 'marked'

/** A part of a page under its own heading, as the search of the documentation finds it. */
export type Passage = { id: string; heading: string; text: string }

/** What we wrote in Markdown as the site shows it. Never for what others wrote: HTML in it is passed on. */
export function renderMarkdown(markdown: string, at: (path: string) => string): string {
  const marked = new Marked({ gfm: true })
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        const size = depth === 1 ? 'lg' : depth === 2 ? 'sm' : '2xs'
        const id = depth === 1 ? '' : html` id="${idOf(text)}"`
        return `<h${depth} class="ds-heading" data-size="${size}"${id}>${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const isPage = href.startsWith('/') && !/\.\w+$/.test(href)
        const to = isPage ? at(href) : href
        return html`<a class="ds-link" href="${to}">!${this.parser.parseInline(tokens)}</a>`
      },
      table({ header, rows }) {
        const cells = (row: typeof header, tag: 'th' | 'td') =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')
        const isNamed = header.some(({ text }) => text !== '')
        const head = isNamed
          ? `<thead><tr>${cells(header, 'th').replaceAll('<th></th>', '<td></td>')}</tr></thead>`
          : ''
        const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('')
        return `<div class="rulle" tabindex="0"><table class="ds-table" data-size="sm">${head}<tbody>${body}</tbody></table></div>`
      },
      paragraph({ tokens }) {
        return `<p class="ds-paragraph">${this.parser.parseInline(tokens)}</p>\n`
      },
      list(token) {
        return `<ul class="ds-list">${token.items.map((item) => this.listitem(item)).join('')}</ul>\n`
      },
      code({ text, lang }) {
        return codeBlock(text, lang ?? '')
      },
    },
  })
  return marked.parse(markdown, { async: false })
}

export function codeBlock(text: string, language: string): string {
  return html`<pre class="dok__kode" tabindex="0"><code data-sprak="${language}">${text}</code></pre>`
}

function idOf(heading: string): string {
  return spelt(heading)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** By the one rule for æ, ø and å that fields and addresses are spelt by. */
export function spelt(text: string): string {
  return text.toLowerCase().replaceAll('æ', 'ae').replaceAll('ø', 'o').replaceAll('å', 'aa')
}

/** Cut at its headings, without the marks. */
export function passagesOf(markdown: string): Passage[] {
  return markdown.split(/^#+ /m).flatMap((part) => {
    const [heading = '', ...lines] = part.split('\n')
    const text = lines
      .filter((line) => !line.startsWith('```'))
      .join(' ')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[`*|]|---+/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
    return heading === '' ? [] : [{ id: idOf(heading), heading: heading.replaceAll('`', ''), text }]
  })
}

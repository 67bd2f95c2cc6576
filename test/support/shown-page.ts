import { parseDocument } from 'htmlparser2'

/** An element of a page. */
type Node = ReturnType<typeof parseDocument>['children'][number]
type Element = { name: string; attribs: Record<string, string>; text: string }

/** A page as a reader without eyes meets it. */
type ShownPage = {
  all(...names: string[]): Element[]
  /** In the order of the page. */
  headings: { level: number; text: string }[]
  lang: string
  title: string
}

export function readPage(text: string): ShownPage {
  const elements: Element[] = []
  walk(parseDocument(text).children, elements)
  const all = (...names: string[]) => elements.filter(({ name }) => names.includes(name))
  return {
    all,
    headings: all('h1', 'h2', 'h3', 'h4').map(({ name, text }) => ({ level: Number(name[1]), text })),
    lang: all('html')[0]?.attribs.lang ?? '',
    title: all('title')[0]?.text ?? '',
  }
}

/** What is against the rules every page is held to; empty when nothing is. */
export function faultsOf(page: ShownPage, elsewhere: readonly RegExp[] = []): string[] {
  const faults: string[] = []
  const everything = page.all(...new Set(NAMES))
  for (const { name, attribs, text } of everything) {
    if (name === 'style' || attribs.style !== undefined) faults.push(`style within <${name}>`)
    if (name === 'script' && (attribs.src === undefined || text.trim() !== ''))
      faults.push('script within the page')
    for (const [attribute, value] of Object.entries(attribs)) {
      if (attribute.startsWith('on')) faults.push(`${attribute} on <${name}>`)
      const isAddress = ['src', 'href', 'action', 'srcset', 'poster', 'data'].includes(attribute)
      const isOurs = value.startsWith('/') || value.startsWith('#') || value.startsWith('mailto:')
      if (isAddress && (!isOurs || value.startsWith('//')) && !elsewhere.some((known) => known.test(value)))
        faults.push(`${attribute} leads to ${value}`)
    }
    if (name === 'img' && attribs.alt === undefined) faults.push('an image without alt')
    if (name === 'svg' && (attribs['aria-label'] ?? '') === '') faults.push('a picture without a label')
    if (name === 'a' && text.trim() === '') faults.push('a link without words')
  }
  const labels = new Set(page.all('label').map(({ attribs }) => attribs.for))
  const ids = everything.flatMap(({ attribs }) => (attribs.id === undefined ? [] : [attribs.id]))
  for (const { attribs } of page.all('input')) {
    if (attribs.type !== 'hidden' && !labels.has(attribs.id))
      faults.push(`input ${attribs.name} without a label`)
    for (const id of (attribs['aria-describedby'] ?? '').split(' ').filter((part) => part !== ''))
      if (!ids.includes(id)) faults.push(`input ${attribs.name} is described by nothing: ${id}`)
  }
  if (new Set(ids).size !== ids.length) faults.push('two elements of one id')
  const [first, ...rest] = page.headings
  if (first?.level !== 1 || rest.some(({ level }) => level === 1)) faults.push('not one h1, first')
  for (const [index, { level, text }] of rest.entries()) {
    if (level > (page.headings[index]?.level ?? 0) + 1) faults.push(`a level is left out before "${text}"`)
  }
  if (!['nb', 'en'].includes(page.lang)) faults.push('no language')
  if (page.all('main').length !== 1) faults.push('not one main')
  return faults
}

const NAMES =
  'html head meta title link script style noscript body header nav main footer section article figure form fieldset input button label a img svg g path rect text circle line table caption thead tbody tr th td ul ol li dl dt dd div p span h1 h2 h3 h4 code pre details summary strong time figcaption legend br'.split(
    ' ',
  )

function walk(nodes: readonly Node[], into: Element[]): string {
  let text = ''
  for (const node of nodes) {
    if (node.type === 'text') text += (node as unknown as { data: string }).data
    if (!('attribs' in node)) continue
    const element: Element = { name: node.name, attribs: node.attribs, text: '' }
    into.push(element)
    element.text = walk(node.children, into)
    text += element.text
  }
  return text
}

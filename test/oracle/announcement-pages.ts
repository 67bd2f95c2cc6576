/**
 * Pages of announcements as the register writes them, and as it might: each is made of rows that are known, so that what is
 * said of the page can be judged without reading it.
 */
export type Page = {
  /** What is otherwise than usual. */
  drift: string
  html: string
  /** What stands on the page, whole or not. */
  rows: Row[]
  /** The page is not all there, or is none of the pages known: nothing of it may be believed. */
  isRefused: boolean
  /** The page says in words that there are none. */
  saysNone: boolean
}

/** One announcement: `date` is the day it is of by what the page says, null when that can not be told. */
type Row = { kid: string; title: string; date: string | null; isWhole: boolean }

type Made = {
  kid: string
  title: string
  /** Empty: of the same day as the row above. */
  printed: string
  day: string | null
  html?: string
  isWhole?: boolean
}

const ORGNR = '901012121'
const KIDS = 20260000000000

/** Two of one day, one alone, three of one day, and one whose title has letters beyond ASCII. */
const usual: readonly Made[] = [
  ['05.11.2026', '2026-11-05', 'Endring av styre'],
  ['', null, 'Vedtektsfestet formål'],
  ['12.06.2025', '2025-06-12', 'Godkjente årsregnskap'],
  ['03.02.2024', '2024-02-03', 'Fusjonsbeslutning'],
  ['', null, 'Rettelse av kapital'],
  ['', null, 'Foretaksnavn'],
  ['30.12.2012', '2012-12-30', 'Varsel om tvangsoppløsning'],
].map(([printed = '', day = null, title = ''], index) => ({
  kid: String(KIDS + index * 7),
  printed: printed ?? '',
  day,
  title: title ?? '',
}))

/** Every page, the usual one first. */
export function* announcementPages(): Generator<Page> {
  yield page('as usual', usual)
  yield* pagesOfOneRow()
  yield* pagesOfOneDate()
  yield* wholePages()
  yield* cutPages()
}

function* pagesOfOneRow(): Generator<Page> {
  for (const [at, row] of usual.entries()) {
    const one = (drift: string, changes: Partial<Made>) =>
      page(`row ${at}: ${drift}`, usual.with(at, { ...row, ...changes }))
    yield page(`row ${at}: gone`, usual.toSpliced(at, 1))
    yield page(`row ${at}: twice`, usual.toSpliced(at, 0, row))
    for (const [drift, attributes] of Object.entries(ATTRIBUTES))
      yield one(drift, { html: rowHtml(row, { attributes }) })
    for (const [drift, wrap] of Object.entries(WRAPPINGS)) yield one(drift, { html: rowHtml(row, { wrap }) })
    yield one('an unknown cell more', {
      html: rowHtml(row).replace('</tr>', '<td class="ny">nytt</td></tr>'),
    })
    yield one('no cell is closed', { html: rowHtml(row).replaceAll(/<\/t[dr]>/g, '') })
    yield one('tags in capitals', {
      html: rowHtml(row).replaceAll(/<(\/?)(\w+)/g, (_, slash, name) => `<${slash}${name.toUpperCase()}`),
    })
    yield one('entities for letters', { html: rowHtml(row, { title: entities(row.title) }) })
    yield one('a comment in the title', { html: rowHtml(row, { title: `${row.title}<!-- x -->` }) })
    yield one('a title of 10,000 letters', {
      html: rowHtml(row, { title: 'Lang tittel '.repeat(900) }),
      isWhole: false,
    })
    yield one('no title', { html: rowHtml(row, { title: '' }), isWhole: false })
    yield one('no link', { html: rowHtml(row, { wrap: () => row.title }), isWhole: false })
    for (const [drift, address] of Object.entries(ADDRESSES(row.kid)))
      yield one(drift, { html: rowHtml(row, { address }), isWhole: false })
    yield {
      ...one('about another company', { html: rowHtml(row).replace(ORGNR, '902324352') }),
      isRefused: true,
    }
  }
}

/** A date in other forms: those that are seen, and those that are none. */
function* pagesOfOneDate(): Generator<Page> {
  for (const [at, row] of usual.entries()) {
    if (row.day === null) continue
    const [year, month, day] = row.day.split('-')
    const short = `${Number(day)}.${Number(month)}.${year}`
    for (const printed of [
      short,
      row.day,
      ` ${row.printed}\n`,
      `&nbsp;${row.printed}&nbsp;`,
      `<b>${row.printed}</b>`,
    ])
      yield page(`row ${at}: dated ${printed}`, usual.with(at, { ...row, printed }))
    for (const printed of [
      '31.02.2020',
      '99.99.9999',
      `${day}/${month}/${year}`,
      `${day}.${month}`,
      'i går',
      '20121230',
      `${short} kl. 12`,
    ])
      yield page(`row ${at}: dated ${printed}`, usual.with(at, { ...row, printed, day: null }))
  }
}

function* wholePages(): Generator<Page> {
  const none = 'Det finnes ingen kunngjøringer på dette organisasjonsnummeret.'
  yield { ...page('none, in words', [], none), saysNone: true }
  yield { ...page('none, and no words', []), isRefused: true }
  yield { ...page('an error with status 200', [], 'Ugyldig input'), isRefused: true }
  yield page('rows, and the words for none', usual, none)
  for (const [drift, html] of Object.entries({
    empty: '',
    blank: '\n \n',
    'a text': 'OK',
    json: '{"kunngjoringer":[]}',
  }))
    yield { drift, html, rows: [], isRefused: true, saysNone: false }
  yield page(
    'a script and a style of the same words',
    usual,
    `<script>"${none}"</script><style>/* ${none} */</style>`,
  )
  yield page('other columns', usual, '', '<tr><th>Dato</th><th>Kunngjøring</th></tr>')
  yield page('tables around', usual, '', '', 40)
  yield { ...page('nested beyond measure', usual, '', '', 600), isRefused: true }
  const many = Array.from({ length: 3000 }, (_, index) => ({
    kid: String(KIDS + index),
    title: `Kunngjøring ${index}`,
    printed: index % 3 === 0 ? '01.02.2020' : '',
    day: index % 3 === 0 ? '2020-02-01' : null,
  }))
  yield page('3,000 rows', many)
}

/** Cut off, at every row's begin, in its middle and in its link. */
function* cutPages(): Generator<Page> {
  const { html, rows } = page('whole', usual)
  for (const { kid } of rows)
    for (const [where, at] of [
      ['before', html.lastIndexOf('<tr', html.indexOf(kid))],
      ['within', html.indexOf(kid) + 4],
      ['after the link of', html.indexOf('</a>', html.indexOf(kid))],
    ] as const)
      yield { drift: `cut ${where} ${kid}`, html: html.slice(0, at), rows, isRefused: true, saysNone: false }
  yield {
    drift: 'without its end',
    html: html.replace(/<\/body>.*$/s, ''),
    rows,
    isRefused: true,
    saysNone: false,
  }
  const end = html.replace('</html>', '')
  yield { drift: 'its end before the rows', html: `</html>${end}`, rows, isRefused: true, saysNone: false }
}

const ATTRIBUTES = {
  'an unknown class': 'bgcolor="#ffffff" class="rad2027" data-x="1"',
  'no colour': '',
  'another colour': 'bgcolor="#eeeeee"',
  'colour in capitals': 'BGCOLOR="#FFFFFF"',
}

const WRAPPINGS: Record<string, (link: string) => string> = {
  'the link in other tags': (link) => `<div><p><span class="ny">${link}</span></p></div>`,
  'the link in a table of its own': (link) => `<table><tr><td>${link}</td></tr></table>`,
  'words around the link': (link) => `Se ${link} her`,
}

const ADDRESSES = (kid: string) => ({
  'a link elsewhere': `https://eksempel.no/?kid=${kid}&sokeverdi=${ORGNR}`,
  'a kid that is none': `hent_en.jsp?kid=abc&sokeverdi=${ORGNR}&spraak=nb`,
  'no kid': `hent_en.jsp?sokeverdi=${ORGNR}&spraak=nb`,
  'no number': `hent_en.jsp?kid=${kid}&spraak=nb`,
})

function page(drift: string, made: readonly Made[], words = '', head = '', tables = 1): Page {
  let day: string | null = null
  const rows = made.map(({ kid, title, printed, day: own, isWhole = true }) => {
    if (printed !== '') day = own
    return { kid, title, date: day, isWhole }
  })
  const html = [
    '<html><head><title>Kunngjøringer - Brønnøysundregistrene</title></head><body><div id="pagecontent">',
    `${'<table><tr><td>'.repeat(tables - 1)}<table>`,
    head,
    ...made.map((row) => row.html ?? rowHtml(row)),
    `</table>${'</td></tr></table>'.repeat(tables - 1)}`,
    words === '' ? '' : `<p>${words}</p>`,
    `<a href="hent_alle.jsp?orgnr=${ORGNR}">Alle</a></div></body></html>`,
  ].join('\n')
  return { drift, html, rows, isRefused: false, saysNone: false }
}

function rowHtml(
  { kid, title, printed }: Made,
  {
    attributes = 'bgcolor="#ffffff"',
    address = `hent_en.jsp?kid=${kid}&sokeverdi=${ORGNR}&spraak=nb`,
    wrap = (link: string) => link,
    title: shown = title,
  }: { attributes?: string; address?: string; wrap?: (link: string) => string; title?: string } = {},
): string {
  const link = `<a href="${address}">${shown}</a>`
  return `<tr ${attributes}><td>&nbsp;</td><td>${printed}</td><td>&nbsp;</td><td>${wrap(link)}</td><td>&nbsp;</td></tr>`
}

function entities(text: string): string {
  return text.replaceAll(/[^ -~]/g, (letter) => `&#${letter.codePointAt(0)};`)
}

export const ABOUT = ORGNR

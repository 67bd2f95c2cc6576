import { type Static, Type } from 'typebox'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { type Believed, pointer } from '../believe.ts'
import { SourceError } from '../source.ts'
import { kunngjoringstyper, recogniseKind } from './kind.ts'
import { readRows, type TableCell, type TableRow } from './rows.ts'

/** One announcement. `dato` is yyyy-MM-dd, null when its row has none that can be read; `tittel` the register's words, `lenke` the public page for people. */
export const Kunngjoring = Type.Object({
  dato: Type.Union([Type.String(), Type.Null()]),
  tittel: Type.String(),
  kid: Type.String(),
  type: Type.Enum(kunngjoringstyper),
  gjelderInsolvens: Type.Boolean(),
  lenke: Type.String(),
})
export type Kunngjoring = Static<typeof Kunngjoring>

/**
 * Reads the page of one company's announcements (`hent_nr.jsp`); null when it says that there are none.
 *
 * Each row has a date cell and a link to the announcement. A date is printed once: rows below it with a blank date cell are
 * of the same day, and where that day can not be read they have none either. A row that can not be read is left out and named
 * by its number among the rows of announcements. A page without its end may be a part of a list, and is not believed, nor is
 * one that neither lists nor says "none": errors come with status 200 ("Ugyldig input").
 *
 * @throws SourceError `ugyldig_svar`, or `feil_foretak` when a row is about another number
 */
export function readPage(html: string, orgnr: Organisasjonsnummer): Believed<Kunngjoring[]> | null {
  const { rows, text } = parse(html)
  if (!hasEnd(html)) throw unreadable('the page has no end', '/html')
  const byKid = new Map<string, Kunngjoring>()
  const avvik: string[] = []
  let dato: string | null = null
  const listed = rows
    .map((row) => ({ row, linked: row.cells.map(announcementLinks) }))
    .filter(({ row, linked }) => linked.some((links) => links.length > 0) || isAnnouncementRow(row))
  for (const [index, { row, linked }] of listed.entries()) {
    const path = pointer('/rader', index)
    const links = linked.flat()
    const printed = printedDate(row, linked)
    if (printed !== '') dato = isoOfPrinted(printed)
    if (links.length === 0) avvik.push(`${path}/lenke`)
    else if (dato === null) avvik.push(`${path}/dato`)
    for (const link of links) {
      const kunngjoring = announcementFrom(link, { dato, orgnr })
      if (kunngjoring === null) avvik.push(`${path}/lenke`)
      else byKid.set(kunngjoring.kid, kunngjoring)
    }
  }
  if (byKid.size > 0) return { value: [...byKid.values()].sort(newestFirst), avvik }
  const [first] = avvik
  if (first !== undefined) throw unreadable('no row of the page can be read', first)
  if (/Det finnes ingen kunngjøringer/i.test(text)) return null
  throw unreadable('the page neither lists announcements nor says that there are none')
}

/** The page's own end stands after everything it lists. */
function hasEnd(html: string): boolean {
  const page = html.toLowerCase()
  const end = page.lastIndexOf('</html')
  return end !== -1 && page.indexOf('>', end) !== -1 && end > page.lastIndexOf('hent_en.jsp')
}

/** Those without a date come last. */
function newestFirst(a: Kunngjoring, b: Kunngjoring): number {
  return (b.dato ?? '').localeCompare(a.dato ?? '')
}

function parse(html: string): ReturnType<typeof readRows> {
  try {
    return readRows(html)
  } catch (cause) {
    throw unreadable('the page can not be parsed', null, cause)
  }
}

type AnnouncementLink = { address: URL; title: string }

/** The server may write its session into the path: `hent_en.jsp;jsessionid=…`. */
export function announcementLinks({ links }: TableCell): AnnouncementLink[] {
  return links.flatMap(({ href, title }) => {
    const address = URL.parse(href, PAGE)
    const isAnnouncement = address !== null && /\/hent_en\.jsp(?:;|$)/.test(address.pathname)
    return isAnnouncement ? [{ address, title }] : []
  })
}

/** Announcements stand in white rows of five cells. */
function isAnnouncementRow({ isWhite, cells }: TableRow): boolean {
  return isWhite && cells.length >= 4 && cells.some(({ text }) => text !== '')
}

/** What stands in front of the link, where the date has its cell. */
function printedDate({ cells }: TableRow, linked: readonly AnnouncementLink[][]): string {
  const linkAt = linked.findIndex((links) => links.length > 0)
  return cells
    .slice(0, linkAt === -1 ? 2 : linkAt)
    .map(({ text }) => text)
    .join(' ')
    .trim()
}

/** `05.12.2012`, and as also seen `5.12.2012` and `2012-12-05`; null for anything else, and for a day that does not exist. */
function isoOfPrinted(printed: string): string | null {
  const [, day = '', month = '', year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(printed) ?? []
  const text = year === undefined ? printed : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : null
}

/** null when the link is not as expected. */
function announcementFrom(
  { address, title }: AnnouncementLink,
  { dato, orgnr }: { dato: string | null; orgnr: string },
): Kunngjoring | null {
  const kid = address.searchParams.get('kid') ?? ''
  const askedFor = address.searchParams.get('sokeverdi')
  if (askedFor !== null && askedFor !== orgnr) {
    throw new SourceError(
      'kunngjoringer',
      'feil_foretak',
      'a row is about another company than the one asked for',
    )
  }
  const isExpected =
    /^\d{8,20}$/.test(kid) && askedFor !== null && title !== '' && title.length <= TITLE_LENGTH_MAX
  if (!isExpected) return null
  const lenke = `${PAGE}hent_en.jsp?kid=${kid}&sokeverdi=${orgnr}&spraak=nb`
  return { dato, tittel: title, kid, ...recogniseKind(title), lenke }
}

/** The longest title seen is under fifty characters; a page gone wrong can make one of any length. */
const TITLE_LENGTH_MAX = 300

/** Where people find it, wherever our own calls are sent. */
const PAGE = 'https://w2.brreg.no/kunngjoring/'

function unreadable(message: string, field: string | null = null, cause?: unknown): SourceError {
  return new SourceError('kunngjoringer', 'ugyldig_svar', message, { status: 200, field, cause })
}

import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { SourceError } from '../source.ts'
import { type Kunngjoringstype, recogniseKind } from './kind.ts'
import { type Cell, type Row, readRows } from './rows.ts'

/** One announcement. `dato` is yyyy-MM-dd, `tittel` the register's words, `lenke` the public page for people. */
export type Kunngjoring = {
  dato: string
  tittel: string
  kid: string
  type: Kunngjoringstype
  gjelderInsolvens: boolean
  lenke: string
}

/**
 * Reads the page of one company's announcements (`hent_nr.jsp`); null when it says that there are none.
 *
 * Each row has a date cell and a link to the announcement. A date is printed once: rows below it with a blank date cell are
 * of the same day. A row that can not be read makes the page unreadable, so that the list is whole or missing. A page that
 * neither lists nor says "none" is unreadable too: errors come with status 200 ("Ugyldig input").
 *
 * @throws SourceError `ugyldig_svar`, or `feil_foretak` when a row is about another number
 */
export function readPage(html: string, orgnr: Organisasjonsnummer): Kunngjoring[] | null {
  const { rows, text } = parse(html)
  const byKid = new Map<string, Kunngjoring>()
  let dato: string | null = null
  for (const row of rows) {
    const links = row.cells.flatMap(announcementLinks)
    if (links.length === 0) {
      if (isAnnouncementRow(row)) throw unreadable('a row has no link to its announcement')
      continue
    }
    dato = dateIn(row) ?? dato
    if (dato === null) throw unreadable('the first row has no date')
    for (const link of links) {
      const kunngjoring = announcementFrom(link, { dato, orgnr })
      byKid.set(kunngjoring.kid, kunngjoring)
    }
  }
  if (byKid.size > 0) return [...byKid.values()].sort((a, b) => b.dato.localeCompare(a.dato))
  if (/Det finnes ingen kunngjøringer/i.test(text)) return null
  throw unreadable('the page neither lists announcements nor says that there are none')
}

function parse(html: string): ReturnType<typeof readRows> {
  try {
    return readRows(html)
  } catch (cause) {
    throw unreadable('the page can not be parsed', cause)
  }
}

type AnnouncementLink = { address: URL; title: string }

/** The server may write its session into the path: `hent_en.jsp;jsessionid=…`. */
function announcementLinks({ links }: Cell): AnnouncementLink[] {
  return links.flatMap(({ href, title }) => {
    const address = URL.parse(href, PAGE)
    const isAnnouncement = address !== null && /\/hent_en\.jsp(?:;|$)/.test(address.pathname)
    return isAnnouncement && title !== '' ? [{ address, title }] : []
  })
}

/** Announcements stand in white rows of five cells. */
function isAnnouncementRow({ isWhite, cells }: Row): boolean {
  return isWhite && cells.length >= 4 && cells.some(({ text }) => text !== '')
}

function dateIn({ cells }: Row): string | null {
  for (const { text } of cells) {
    const [, day, month, year] = /^(\d{2})\.(\d{2})\.(\d{4})$/.exec(text) ?? []
    if (day !== undefined) return isoDate(`${year}-${month}-${day}`)
  }
  return null
}

function isoDate(text: string): string {
  const date = new Date(`${text}T00:00:00Z`)
  if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)) return text
  throw unreadable('a row has a date that does not exist')
}

function announcementFrom(
  { address, title }: AnnouncementLink,
  { dato, orgnr }: { dato: string; orgnr: string },
): Kunngjoring {
  const kid = address.searchParams.get('kid') ?? ''
  const askedFor = address.searchParams.get('sokeverdi')
  if (!/^\d{8,20}$/.test(kid) || askedFor === null || title.length > TITLE_LENGTH_MAX) {
    throw unreadable('a link to an announcement is not as expected')
  }
  if (askedFor !== orgnr) {
    throw new SourceError(
      'kunngjoringer',
      'feil_foretak',
      'a row is about another company than the one asked for',
    )
  }
  const lenke = `${PAGE}hent_en.jsp?kid=${kid}&sokeverdi=${orgnr}&spraak=nb`
  return { dato, tittel: title, kid, ...recogniseKind(title), lenke }
}

/** The longest title seen is under fifty characters; a page gone wrong can make one of any length. */
const TITLE_LENGTH_MAX = 300

/** Where people find it, wherever our own calls are sent. */
const PAGE = 'https://w2.brreg.no/kunngjoring/'

function unreadable(message: string, cause?: unknown): SourceError {
  return new SourceError('kunngjoringer', 'ugyldig_svar', message, { status: 200, cause })
}

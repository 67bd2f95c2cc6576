/** One announcement of a company. `kid` is the register's own 14 digits. */
type Announcement = { date: string; title: string; kid: string }

const TITLE = 'Kunngjøringer - Brønnøysundregistrene'

/**
 * The announcements page of one company, in the layout that w2.brreg.no uses: five cells a row, and a date that is
 * printed once and left blank on the following rows of the same day.
 *
 * @param announcements newest first, `date` as dd.MM.yyyy; an empty list gives the page that says there are none.
 */
export function kunngjoringPage(orgnr: string, announcements: readonly Announcement[]): string {
  if (announcements.length === 0) {
    return page('<p>Det finnes ingen kunngjøringer på dette organisasjonsnummeret.</p>')
  }
  const rows = announcements.map(({ date, title, kid }, index) => {
    const shown = announcements[index - 1]?.date === date ? '' : date
    const link = `<a href="hent_en.jsp?kid=${kid}&amp;sokeverdi=${orgnr}&amp;spraak=nb">${title}</a>`
    return `<tr bgcolor="#ffffff">${[BLANK, cell(shown), BLANK, cell(link), BLANK].join('')}</tr>`
  })
  const head = `<tr>${[bold('Type'), bold('Dato'), BLANK, bold('Kunngjøring'), BLANK].join('')}</tr>`
  const footer = `<p><a href="hent_alle.jsp?orgnr=${orgnr}&amp;spraak=nb">Alle kunngjøringer</a></p>`
  return page(`<table>\n${head}\n${rows.join('\n')}\n</table>${footer}`)
}

/** What the page says to a number it does not understand: status 200, like everything it says. */
export function invalidInputPage(): string {
  return page('<p>Ugyldig input</p>')
}

const BLANK = '<td><p>&nbsp;</p></td>'
const cell = (content: string) => `<td nowrap="true"><p>${content}</p></td>`
const bold = (content: string) => `<td><p><strong>${content}</strong></p></td>`

function page(content: string): string {
  return `<html><head><title>${TITLE}</title></head><body><div id="pagecontent">${content}</div></body></html>\n`
}

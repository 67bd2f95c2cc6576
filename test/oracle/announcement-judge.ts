import type { Page } from './announcement-pages.ts'

/** The section of announcements as the service gives it. */
export type SaidOfPage = {
  tilstand: string
  kunngjoringer: { dato: string | null; tittel: string; lenke: string }[] | null
  avvik: string[]
}

/**
 * What is wrong with what was said of a page; nothing when all is well:
 *
 * - nothing is said that does not stand there: no row, no title, and no day but the row's own;
 * - a page that is not all there, or is no page of announcements, is not believed, and "none" is said by the page alone;
 * - what can be read is there, and what can not is named.
 */
export function faultsOfPage({ drift, rows, isRefused, saysNone }: Page, said: SaidOfPage): string[] {
  if (isRefused) return said.tilstand === 'utilgjengelig' ? [] : [`believed, as ${said.tilstand}`]
  if (saysNone)
    return said.tilstand === 'ikke_funnet' ? [] : [`the page says none, and it is ${said.tilstand}`]
  if (said.tilstand !== 'fersk') return [`${said.tilstand}, though it can be read`]
  const shown = said.kunngjoringer ?? []
  const byKid = new Map(rows.map((row) => [row.kid, row]))
  const faults = shown.flatMap(({ dato, tittel, lenke }) => {
    const row = byKid.get(new URL(lenke).searchParams.get('kid') ?? '')
    if (row === undefined || !row.isWhole) return [`invented: ${tittel.slice(0, 60)}`]
    return [
      ...(tittel === row.title ? [] : [`another title: ${tittel.slice(0, 60)} for ${row.title}`]),
      ...(dato === row.date ? [] : [`of ${dato}, and the page says ${row.date}: ${tittel}`]),
    ]
  })
  const lost = rows.filter(({ kid, isWhole }) => isWhole && !shown.some(({ lenke }) => lenke.includes(kid)))
  const hasUnreadable = rows.some(({ date, isWhole }) => !isWhole || date === null)
  const days = shown.map(({ dato }) => dato ?? '')
  return [
    ...faults,
    ...lost.map(({ title }) => `lost: ${title}`),
    ...(hasUnreadable && said.avvik.length === 0 ? ['a row could not be read, and nothing says so'] : []),
    ...(drift === 'as usual' && said.avvik.length > 0 ? [`named, and well: ${said.avvik.join(', ')}`] : []),
    ...(days.join() === days.toSorted().toReversed().join() ? [] : ['not the newest first']),
  ]
}

import { Type } from 'typebox'
import { always, optional } from '../believe.ts'
import { announcementLinks } from './page.ts'
import { readRows, type TableRow } from './rows.ts'

/**
 * What a page of announcements is made of, as far as it is read, and nothing of what stands on it: which columns rows have, in
 * which form they are dated, and where their links lead. For whoever watches its shape from day to day.
 */
export function outlineOf(html: string): object {
  const { rows } = readRows(html)
  return { rader: rows.filter((row) => row.isWhite || linksIn(row).length > 0).map(outlineOfRow) }
}

const seen = Type.Boolean()

/** What a page that can be read has. A date is printed once, and a page may have none that is not. */
export const Sideomriss = Type.Object({
  rader: Type.Array(
    Type.Object({
      hvit: always(seen),
      celler_5: always(seen),
      dato_dd_MM_yyyy: always(seen),
      dato_tom: optional(seen),
      lenke: always(
        Type.Object({
          'hent_en.jsp': always(
            Type.Object({ kid: always(seen), sokeverdi: always(seen), spraak: optional(seen) }),
          ),
        }),
      ),
    }),
  ),
})

function outlineOfRow(row: TableRow): object {
  const { isWhite, cells } = row
  const [link] = linksIn(row)
  const printed = cells[1]?.text ?? ''
  return {
    ...(isWhite ? { hvit: true } : { annen_farge: true }),
    [`celler_${Math.min(cells.length, 20)}`]: true,
    [`dato_${legalFormOf(printed)}`]: true,
    ...(link === undefined
      ? {}
      : { lenke: { [link.page]: Object.fromEntries(link.parameters.map((name) => [name, true])) } }),
  }
}

function linksIn({ cells }: TableRow): { page: string; parameters: string[] }[] {
  return cells.flatMap(announcementLinks).map(({ address }) => ({
    page: /([\w.-]+)(?:;[^/]*)?$/.exec(address.pathname)?.[1] ?? 'annen',
    parameters: [...address.searchParams.keys()],
  }))
}

/** `05.12.2012` → `dd_MM_yyyy`; another text by its kinds of letters, at most: it may be data. */
function legalFormOf(printed: string): string {
  if (printed === '') return 'tom'
  if (/^\d{2}\.\d{2}\.\d{4}$/.test(printed)) return 'dd_MM_yyyy'
  if (/^\d{1,2}\.\d{1,2}\.\d{4}$/.test(printed)) return 'd_M_yyyy'
  return /^\d{4}-\d{2}-\d{2}$/.test(printed) ? 'yyyy_MM_dd' : 'annen'
}

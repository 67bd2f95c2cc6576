import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { listIn, type PartOfRecord } from './fields.ts'
import { type SectionName, sectionNames } from './sections.ts'

/** A page of a section's list: so many after this number, from the beginning when it is null. */
export type ListPage = { section: SectionName; after: string | null; size: number }

/** Where a page ends: in which list, of which company, after which number. */
export type ListCursor = { section: SectionName; orgnr: string; after: string }

/** As text that a caller hands back as it is. It holds no more than where to go on, so there is nothing to sign. */
function writeListCursor({ section, orgnr, after }: ListCursor): string {
  return Buffer.from(`${section}.${orgnr}.${after}`).toString('base64url')
}

/** null for anything that `writeListCursor` did not write. */
export function readListCursor(text: string): ListCursor | null {
  if (text.length > 100) return null
  const parts = Buffer.from(text, 'base64url').toString('latin1').split('.')
  const [name, orgnr = '', after = '', ...more] = parts
  const section = sectionNames.find((each) => each === name)
  if (section === undefined || more.length > 0) return null
  if (!isOrganisasjonsnummer(orgnr) || !/^[0-9]{9}$/.test(after)) return null
  const cursor = { section, orgnr, after }
  return writeListCursor(cursor) === text ? cursor : null
}

/**
 * One page of the section's list in place of all of it; `neste` is where the next begins. Pure. The list goes by numbers, so
 * that what comes or goes between two pages moves nothing else from one to the other.
 */
export function pageOf(
  part: PartOfRecord,
  { section, after, size }: ListPage,
): PartOfRecord & { neste: string | null } {
  const list = listIn(section)
  const shown = part[section as keyof PartOfRecord] as { data: Record<string, unknown> | null } | undefined
  const all = list === null ? null : (shown?.data?.[list] as { organisasjonsnummer: string }[] | null)
  if (list === null || all === null || all === undefined) return { ...part, neste: null }
  const rest = after === null ? all : all.filter(({ organisasjonsnummer }) => organisasjonsnummer > after)
  const page = rest.slice(0, size)
  const last = page.at(-1)
  return {
    ...part,
    [section]: { ...shown, data: { ...shown?.data, [list]: page } },
    neste:
      last === undefined || rest.length === page.length
        ? null
        : writeListCursor({ section, orgnr: part.organisasjonsnummer, after: last.organisasjonsnummer }),
  }
}
